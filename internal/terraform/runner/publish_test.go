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

package runner

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// recorder takes Secrets, or refuses them.
type recorder struct {
	mu   sync.Mutex
	puts []*corev1.Secret
	at   []time.Time
	fail int
	wake chan struct{}
}

func newRecorder(fail int) *recorder { return &recorder{fail: fail, wake: make(chan struct{}, 100)} }

func (r *recorder) Put(_ context.Context, s *corev1.Secret) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = append(r.at, time.Now())
	r.wake <- struct{}{}
	if r.fail > 0 {
		r.fail--
		return errors.New("forbidden")
	}
	r.puts = append(r.puts, s)
	return nil
}

// steps returns the step of each report.
func (r *recorder) steps(t *testing.T) []string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, s := range r.puts {
		var st run.Status
		if err := json.Unmarshal(s.Data[run.StatusKey], &st); err != nil {
			t.Fatal(err)
		}
		out = append(out, string(st.Phase)+" "+st.Progress.Step)
	}
	return out
}

func testPublisher(t *testing.T, r *recorder, times Times) *publisher {
	t.Helper()
	spec := run.Spec{ID: "run-1", Cluster: "c", Publish: run.Publish{Namespace: "ns", Secret: "s"}}
	log := &logger{out: io.Discard, redact: newRedactor(nil)}
	return publish(t.Context(), r, spec, times, log, firstStatus(spec, "here", time.Unix(0, 0)))
}

func succeed(s *run.Status) { s.Phase, s.Progress.Step = v1alpha1.RunSucceeded, "" }

func TestPublish(t *testing.T) {
	const interval = 50 * time.Millisecond
	r := newRecorder(0)
	p := testPublisher(t, r, Times{Publish: interval, PublishFor: time.Minute, Backoff: time.Millisecond})
	<-r.wake // The first report goes out at once.
	for range 100 {
		p.step("a")
		p.step("b")
	}
	<-r.wake
	p.step("b") // Nothing new.
	if err := p.finish(t.Context(), succeed, map[string][]byte{run.KubeconfigKey: []byte("k")}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Running ", "Running b", "Succeeded "}, r.steps(t)); diff != "" {
		t.Errorf("reports: -want, +got:\n%s", diff)
	}
	if d := r.at[1].Sub(r.at[0]); d < interval {
		t.Errorf("two reports within %s", d)
	}
	if last := r.puts[2]; string(last.Data[run.KubeconfigKey]) != "k" || last.GetName() != "s" || last.GetNamespace() != "ns" {
		t.Errorf("the last report has no outputs: %v", last)
	}
}

func TestPublishAgain(t *testing.T) {
	r := newRecorder(3)
	p := testPublisher(t, r, Times{PublishFor: time.Minute, Backoff: time.Millisecond})
	for range 4 {
		<-r.wake // Three are refused, the fourth says the same.
	}
	r.mu.Lock()
	r.fail = 2
	r.mu.Unlock()
	if err := p.finish(t.Context(), succeed, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Running ", "Succeeded "}, r.steps(t)); diff != "" {
		t.Errorf("reports: -want, +got:\n%s", diff)
	}
}

func TestPublishInVain(t *testing.T) {
	r := newRecorder(1 << 20)
	p := testPublisher(t, r, Times{Publish: time.Hour, PublishFor: 20 * time.Millisecond, Backoff: time.Millisecond})
	<-r.wake
	if err := p.finish(t.Context(), succeed, nil); err == nil {
		t.Error("finish(): want an error when nobody takes the report")
	}
}
