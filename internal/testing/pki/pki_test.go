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

package pki

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
)

func TestIssue(t *testing.T) {
	a, err := New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, err := a.Read(CA + ".crt")
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(root)

	cases := map[string]struct {
		reason string
		id     Identity
		opts   x509.VerifyOptions
		ok     bool
	}{
		"Client": {
			reason: "an identity without hosts is a client",
			id:     Identity{File: "client", Name: "admin", Groups: []string{"system:masters"}},
			opts:   x509.VerifyOptions{KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}},
			ok:     true,
		},
		"ServerByName": {
			reason: "a server has its names",
			id:     Identity{File: "name", Name: "git", Hosts: []string{"localhost", "10.200.0.2"}},
			opts:   x509.VerifyOptions{DNSName: "localhost"},
			ok:     true,
		},
		"ServerByAddress": {
			reason: "a server has its addresses",
			id:     Identity{File: "address", Name: "git", Hosts: []string{"localhost", "10.200.0.2"}},
			opts:   x509.VerifyOptions{DNSName: "10.200.0.2"},
			ok:     true,
		},
		"ServerByAnother": {
			reason: "a server has no other address",
			id:     Identity{File: "other", Name: "git", Hosts: []string{"localhost"}},
			opts:   x509.VerifyOptions{DNSName: "10.200.0.2"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if err := a.Issue(tc.id); err != nil {
				t.Fatal(err)
			}
			pair, err := tls.LoadX509KeyPair(a.File(tc.id.File+".crt"), a.File(tc.id.File+".key"))
			if err != nil {
				t.Fatal(err)
			}
			tc.opts.Roots = roots
			if _, err := pair.Leaf.Verify(tc.opts); (err == nil) != tc.ok {
				t.Errorf("\n%s\nVerify(...): %v", tc.reason, err)
			}
		})
	}
}
