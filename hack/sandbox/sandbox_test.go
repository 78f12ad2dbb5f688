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
	"io"
	"net"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
)

func TestMissing(t *testing.T) {
	cases := map[string]struct {
		reason string
		list   string
		there  map[string]bool
		want   []string
	}{
		"All":     {reason: "files that are not there are missing", list: "mount mount-program\niproute2 ip\n", want: []string{"mount", "iproute2"}},
		"Some":    {reason: "files that are there are not", list: "mount mount-program\niproute2 ip\n", there: map[string]bool{"ip": true}, want: []string{"mount"}},
		"Nothing": {reason: "an empty list misses nothing"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := missing(tc.list, func(file string) bool { return tc.there[file] })
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestStuck(t *testing.T) {
	cases := map[string]struct {
		reason     string
		conditions []xpv2.Condition
		want       []string
	}{
		"None": {reason: "an object without conditions has not been looked at", want: []string{"Kind: no condition yet"}},
		"Some": {
			reason: "only conditions that are not True are stuck",
			conditions: []xpv2.Condition{
				{Type: "Synced", Status: corev1.ConditionTrue},
				{Type: "Ready", Status: corev1.ConditionFalse, Reason: "Waiting", Message: "for a Secret"},
			},
			want: []string{"Kind: Ready=False Waiting: for a Secret"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, stuck("Kind", tc.conditions)); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestVersionOf(t *testing.T) {
	cases := map[string]struct{ reason, dir, want string }{
		"Tool":  {reason: "the version stands between name and key", dir: "/c/source-controller-v1.9.5-8a5c46719941", want: "v1.9.5"},
		"Other": {reason: "another directory has none", dir: "/c/bin"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, versionOf(tc.dir)); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestWithServer(t *testing.T) {
	in := []byte("apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters: [{name: a, cluster: {server: 'https://10.200.0.2:6443'}}]\ncontexts: [{name: a, context: {cluster: a}}]\n")
	out, err := withServer(in, "https://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := clientcmd.RESTConfigFromKubeConfig(out)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("https://127.0.0.1:1", cfg.Host); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestForward(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		conn, err := server.Accept()
		if err == nil {
			_, _ = io.Copy(conn, conn) // an echo, until the client is done
			_ = conn.Close()
		}
	}()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := newForward(t.Context(), l, (&net.Dialer{}).DialContext, server.Addr().String())
	defer f.stop()

	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("hello", string(got)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
