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

package target

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// TestHostileServer connects to servers that somebody supplied who means harm.
// What they make us say is what a condition and an event will show.
func TestHostileServer(t *testing.T) {
	const token = "s3cr3t-canary"
	type want struct {
		Class   fault.Class
		Message string
	}
	cases := map[string]struct {
		reason string
		server http.HandlerFunc
		want   want
	}{
		"Echo": {
			"A proxy for debugging gives back what it got",
			func(w http.ResponseWriter, r *http.Request) {
				http.Error(w, "cannot read "+r.Header.Get("Authorization"), http.StatusBadGateway)
			},
			want{fault.Unreachable, `ServerError: an error on the server ("cannot read Bearer (redacted)") has prevented the request from succeeding (get pods b)`},
		},
		"EchoStatus": {
			"In Kubernetes' own form, too",
			func(w http.ResponseWriter, r *http.Request) {
				answer(http.StatusForbidden, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":403,"reason":"Forbidden","message":"no rights for `+r.Header.Get("Authorization")+`"}`)(w, r)
			},
			want{fault.Denied, "Forbidden: no rights for Bearer (redacted)"},
		},
		"Terminal": {
			"Nothing may control the terminal of who reads it",
			answer(http.StatusTeapot, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":418,"reason":"BadRequest","message":"\u001b[31mred\u0007\u202e"}`),
			want{fault.Failing, "?[31mred??"},
		},
		"Long": {
			"Nor fill the status",
			answer(http.StatusConflict, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":409,"reason":"Conflict","message":"`+strings.Repeat("x", 5000)+`"}`),
			want{fault.Failing, strings.Repeat("x", 300) + "…"},
		},
		"Redirect": {
			"It could lead to what only we can reach",
			func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://169.254.169.254/latest/meta-data?"+r.Header.Get("Authorization"), http.StatusFound)
			},
			want{fault.Denied, "Redirect: HOST is no API server, it leads to http://169.254.169.254: put the API server's own address into the kubeconfig"},
		},
		"Endless": {
			"An answer must not fill our memory",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				chunk := []byte(strings.Repeat(" ", 1<<20))
				for range 1 << 10 {
					if _, err := w.Write(chunk); err != nil {
						return
					}
				}
			},
			want{fault.Failing, "unexpected error when reading response body. Please retry. Original error: answer is larger than 67108864 bytes"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewTLSServer(tc.server)
			defer s.Close()
			p, _ := pool(Options{Timeout: 20 * time.Second})
			c, err := p.ConnectTo(t.Context(), parse(t, write(s.URL, trusting(s), token)), secret)
			if err != nil {
				t.Fatal(err)
			}
			err = Classify(c.Client.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "b"}, &corev1.Pod{}))
			if err == nil {
				t.Fatalf("\n%s\nGet(...): no error", tc.reason)
			}
			got := want{fault.ClassOf(err), strings.ReplaceAll(err.Error(), strings.TrimPrefix(s.URL, "https://"), "HOST")}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nGet(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
