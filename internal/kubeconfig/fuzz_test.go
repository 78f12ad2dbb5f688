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

package kubeconfig

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/client-go/tools/clientcmd"
)

// FuzzParse holds Parse against client-go: what we accept, client-go accepts
// too, and understands in the same way. It never panics, and a message never
// holds the token.
func FuzzParse(f *testing.F) {
	cert, key := pair(f, now.AddDate(1, 0, 0))
	for _, s := range []string{
		with(server, "token: abcdefghijkl"),
		with("server: http://a", "token: abc\nas: bob"),
		with(server+"\ncertificate-authority-data: "+cert, "client-certificate-data: "+cert+"\nclient-key-data: "+key),
		with(server+"\nproxy-url: http://p:3128\ntls-server-name: a\ninsecure-skip-tls-verify: true", "token: "+jwt(now)),
		with(server, "token: abc\nas: bob\nas-groups: [a, b]\nas-user-extra: {c: [d]}"),
		with(server, "exec: {command: /eks-token-helper, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, args: [--cluster-name, c1, --region=eu-north-1]}"),
		with(server, "exec: {command: /bin/sh, args: [-c, id]}"),
		with(server, "tokenFile: /etc/passwd\nclient-key: /etc/shadow"),
		"a: &a [*a]", "{}", "kind: Secret", "\xff\xfe", "",
	} {
		f.Add([]byte(s))
	}

	f.Fuzz(func(t *testing.T, in []byte) {
		k, err := Parse(in)
		if err != nil {
			if k != nil || err.Error() == "" || !utf8.ValidString(err.Error()) || len(err.Error()) > 1024 {
				t.Errorf("Parse(...): result %v with the error %q", k, err)
			}
			return
		}
		again, err := Parse(bytes.Clone(in))
		if err != nil || again.Digest() != k.Digest() || cmp.Diff(k.Warnings(now), again.Warnings(now)) != "" {
			t.Errorf("Parse(...): another result the second time: %v", err)
		}
		checkAgainstClientGo(t, in, k)
	})
}

func checkAgainstClientGo(t *testing.T, in []byte, k *Kubeconfig) {
	t.Helper()
	raw, err := clientcmd.Load(in)
	if err != nil {
		t.Fatalf("Parse accepts what client-go does not: %s", err)
	}
	want, err := clientcmd.NewNonInteractiveClientConfig(*raw, k.Context, &clientcmd.ConfigOverrides{}, nil).ClientConfig()
	if err != nil {
		t.Fatalf("Parse accepts what client-go does not: %s", err)
	}
	got := k.RESTConfig()
	if diff := cmp.Diff(want.Host, got.Host); diff != "" {
		t.Errorf("Host: -client-go, +Parse:\n%s", diff)
	}
	if diff := cmp.Diff(strings.TrimSpace(want.BearerToken), got.BearerToken); diff != "" {
		t.Errorf("BearerToken: -client-go, +Parse:\n%s", diff)
	}
	if diff := cmp.Diff(want.Impersonate, got.Impersonate, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("Impersonate: -client-go, +Parse:\n%s", diff)
	}
	w, g := want.TLSClientConfig, got.TLSClientConfig
	if w.Insecure != g.Insecure || w.ServerName != g.ServerName || !bytes.Equal(w.CAData, g.CAData) || !bytes.Equal(w.CertData, g.CertData) || !bytes.Equal(w.KeyData, g.KeyData) {
		t.Error("TLS: client-go and Parse differ")
	}
	if g.CAFile != "" || g.CertFile != "" || g.KeyFile != "" || got.BearerTokenFile != "" || got.ExecProvider != nil || got.AuthProvider != nil {
		t.Error("Parse returns something to read or to execute")
	}
	if (want.ExecProvider != nil) != (k.Helper != nil) || (want.Proxy != nil) != (got.Proxy != nil) {
		t.Error("helper or proxy: client-go and Parse differ")
	}
}
