/*
Copyright 2026 The provider-kubeopera Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package sandbox

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
)

// TestHold has machines asked for that are held.
func TestHold(t *testing.T) {
	m := newMachines(nil, cloudtest.New(cloudtest.Options{}))
	ask := func(ctx context.Context) int {
		w := httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPut, "/machines/c?parameter=/c/kubeconfig&type="+PaperMachine, http.NoBody))
		return w.Code
	}
	begin := func(ctx context.Context) <-chan int {
		answer := make(chan int, 1)
		go func() { answer <- ask(ctx) }()
		err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, 10*time.Second, true, func(context.Context) (bool, error) { return m.Awaited("c"), nil })
		if err != nil {
			t.Fatal("nobody waits for the machine")
		}
		return answer
	}
	release := m.Hold("c")

	impatient, giveUp := context.WithCancel(t.Context())
	answer := begin(impatient)
	giveUp()
	if code := <-answer; code == http.StatusOK || m.Awaited("c") || m.Created("c") != 0 {
		t.Errorf("who gives up has nothing: status %d, %d made", code, m.Created("c"))
	}

	answer = begin(t.Context())
	release()
	if code := <-answer; code != http.StatusOK || m.Created("c") != 1 || m.Get("c") == nil {
		t.Errorf("who waits gets the machine: status %d, %d made", code, m.Created("c"))
	}
	if code := ask(t.Context()); code != http.StatusOK || m.Created("c") != 1 {
		t.Errorf("a machine is made once: status %d, %d made", code, m.Created("c"))
	}
	if got := m.cloud.Parameters(CloudAccount, CloudRegion)["/c/kubeconfig"]; !strings.Contains(got, "https://") {
		t.Errorf("want a kubeconfig published, got %q", got)
	}
	m.remove("c")
	if len(m.Names()) != 0 || m.Created("c") != 1 {
		t.Errorf("a machine that is gone was made all the same: %v, %d made", m.Names(), m.Created("c"))
	}
}

// TestCutOff has a bucket that answers nobody.
func TestCutOff(t *testing.T) {
	c := &Cloud{Cloud: cloudtest.New(cloudtest.Options{AllowUnsigned: true})}
	for _, name := range []string{"mine", "other"} {
		c.SetBucket(name, cloudtest.Bucket{Account: CloudAccount, Region: CloudRegion})
	}
	srv := httptest.NewServer(http.HandlerFunc(c.serve))
	defer srv.Close()
	answers := func(bucket string) bool {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodHead, srv.URL+"/"+bucket, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	}
	restore := c.CutOff("mine")
	if answers("mine") || !answers("other") {
		t.Error("want one bucket cut off, and no other")
	}
	restore()
	if !answers("mine") {
		t.Error("want the bucket back")
	}
}
