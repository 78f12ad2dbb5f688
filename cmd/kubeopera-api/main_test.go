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

package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		env    map[string]string
		want   func(o options) any
		is     any
		err    string
	}{
		"Defaults": {
			reason: "The Jobs' namespace is that of the documents.",
			want:   func(o options) any { return o.jobNamespace }, is: "kubeopera-provisioning",
		},
		"JobNamespace": {
			reason: "The variable is called as in the documents.",
			env:    map[string]string{"JOB_NAMESPACE": "jobs"},
			want:   func(o options) any { return o.jobNamespace }, is: "jobs",
		},
		"PodNamespace": {
			reason: "The downward API says where it runs.",
			env:    map[string]string{"POD_NAMESPACE": "here"},
			want:   func(o options) any { return o.namespace }, is: "here",
		},
		"CommandLineWins": {
			args: []string{"--job-namespace=b"}, env: map[string]string{"JOB_NAMESPACE": "a"},
			want: func(o options) any { return o.jobNamespace }, is: "b",
		},
		"Audiences": {
			args: []string{"--token-audiences=a, b,"},
			want: func(o options) any { return o.accepted() }, is: []string{"a", "b"},
		},
		"KeyAlone":     {args: []string{"--tls-key=k"}, err: "--tls-cert"},
		"NoStreams":    {args: []string{"--max-log-streams=0"}, err: "--max-log-streams"},
		"BadNamespace": {args: []string{"--namespace=A"}, err: "--namespace=A"},
		"BadVariable":  {env: map[string]string{"MAX_LOG_STREAMS": "x"}, err: "MAX_LOG_STREAMS"},
		"BadMode":      {env: map[string]string{"ENVIRONMENT": "x"}, err: "--environment=x"},
		"Argument":     {args: []string{"serve"}, err: `"serve"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o, err := parse(tc.args, func(k string) string { return tc.env[k] }, io.Discard)
			switch {
			case tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)), tc.err == "" && err != nil:
				t.Fatalf("%v, want %q", err, tc.err)
			case tc.err == "":
				if d := cmp.Diff(tc.is, tc.want(o)); d != "" {
					t.Errorf("%s\n%s", tc.reason, d)
				}
			}
		})
	}
}

// TestRun starts without an API server, says so, and ends when it is told to.
func TestRun(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	const nowhere = "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: a, user: a}}]\n" +
		"clusters: [{name: a, cluster: {server: 'https://127.0.0.1:1'}}]\nusers: [{name: a, user: {token: a}}]\n"
	if err := os.WriteFile(kubeconfig, []byte(nowhere), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", kubeconfig)
	o, err := parse(nil, func(string) string { return "" }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, o, l) }()
	for path, want := range map[string]int{"/healthz": http.StatusOK, "/readyz": http.StatusServiceUnavailable, "/api/v1/provisions": http.StatusUnauthorized} {
		resp, err := http.Get("http://" + l.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, resp.StatusCode, want)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
