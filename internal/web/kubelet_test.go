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
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"

	. "github.com/onsi/gomega"
)

// kubelet is a fake of pods/log at the wire: the test's control plane runs no
// pods. It stands before the real API server, which answers all else.
type kubelet struct {
	lines  chan string
	asked  chan url.Values
	ended  chan struct{}
	broken bool
}

func (k *kubelet) before(w *world) {
	u, err := url.Parse(w.apiserver)
	w.Expect(err).NotTo(HaveOccurred())
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(w.cp.Config.CAData)
	proxy := httputil.NewSingleHostReverseProxy(u)
	proxy.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	s := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/log") {
			k.log(out, r)
			return
		}
		proxy.ServeHTTP(out, r)
	}))
	w.t.Cleanup(s.Close)
	w.apiserver = s.URL
}

// log sends lines as they come, until there are no more or nobody reads.
func (k *kubelet) log(w http.ResponseWriter, r *http.Request) {
	defer func() { k.ended <- struct{}{} }()
	k.asked <- r.URL.Query()
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush()
	for {
		select {
		case line, more := <-k.lines:
			if !more && k.broken {
				panic(http.ErrAbortHandler)
			}
			if !more {
				return
			}
			fmt.Fprintln(w, line)
			_ = http.NewResponseController(w).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

func newKubelet() *kubelet {
	return &kubelet{lines: make(chan string), asked: make(chan url.Values, 8), ended: make(chan struct{}, 8)}
}
