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

package web

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/util/cert"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
)

// TestServe serves HTTPS with whatever certificate its files hold, and ends
// only when what runs is answered.
func TestServe(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	s := Server{Certificate: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key"), Log: logging.NewNopLogger()}
	write := func(host string) {
		c, k, err := cert.GenerateSelfSignedCertKey(host, nil, nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(os.WriteFile(s.Key, k, 0o600)).To(Succeed())
		g.Expect(os.WriteFile(s.Certificate, c, 0o600)).To(Succeed())
	}
	write("first.example.com")

	begun, finish := make(chan struct{}), make(chan struct{})
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(begun)
			<-finish
		}
		_, _ = io.WriteString(w, "done")
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()

	host := func() string {
		c, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			return err.Error()
		}
		defer c.Close()
		return c.ConnectionState().PeerCertificates[0].DNSNames[0]
	}
	g.Eventually(host, patience).Should(Equal("first.example.com"))
	write("second.example.com")
	g.Eventually(host, patience, 100*time.Millisecond).Should(Equal("second.example.com"))

	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	answered := make(chan string, 1)
	go func() {
		resp, err := client.Get("https://" + l.Addr().String() + "/slow")
		if err != nil {
			answered <- err.Error()
			return
		}
		data, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		answered <- string(data)
	}()
	<-begun
	cancel()
	g.Eventually(func() error {
		c, err := net.Dial("tcp", l.Addr().String())
		if err == nil {
			_ = c.Close()
		}
		return err
	}, patience).Should(HaveOccurred(), "nobody new is let in")
	g.Expect(ended).NotTo(Receive())
	close(finish)
	g.Expect(<-answered).To(Equal("done"))
	g.Expect(<-ended).To(Succeed())
}

// TestPanic is answered and logged, and does not end the program.
func TestPanic(t *testing.T) {
	cases := map[string]struct {
		reason string
		value  any
		status int
		logs   string
	}{
		"Fault": {"The log has where.", "something", http.StatusInternalServerError, "panic: something"},
		"Abort": {"It is no fault: an answer is not whole.", http.ErrAbortHandler, 0, "Answered"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := &lockedBuffer{}
			h := logged(logging.NewLogrLogger(funcr.New(b.add, funcr.Options{})), clocktesting.NewFakePassiveClock(time.Unix(1, 0)),
				http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(tc.value) }))
			s := httptest.NewServer(h)
			defer s.Close()
			status := 0
			resp, err := http.Get(s.URL + "/?secret=" + canary)
			if err == nil {
				_ = resp.Body.Close()
				status = resp.StatusCode
			}
			if log := b.String(); status != tc.status || !strings.Contains(log, tc.logs) || strings.Contains(log, canary) {
				t.Errorf("%s: %d, %v, %s", tc.reason, status, err, log)
			}
		})
	}
}
