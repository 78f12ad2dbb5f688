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

package git

import (
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"

	"github.com/kubeopera/provider-kubeopera/internal/gitops/gittest"
)

// envOptions hands options to the process that writes through a proxy: what
// the environment says about proxies is read once in the life of a process.
const envOptions = "KUBEOPERA_TEST_WRITE"

// remote is what that process is to write to.
type remote struct {
	URL         string            `json:"url"`
	Credentials map[string][]byte `json:"credentials"`
}

// TestWriteOptions is that process, and does nothing unless it is.
func TestWriteOptions(t *testing.T) {
	in := remote{}
	if s := os.Getenv(envOptions); s == "" {
		return
	} else if err := json.Unmarshal([]byte(s), &in); err != nil {
		t.Fatal(err)
	}

	o := options(in.URL)
	o.Credentials = in.Credentials

	if _, err := open(t, o).Write(t.Context(), put("through the proxy")); err != nil {
		t.Fatal(err)
	}
}

// TestProxy writes to servers that only a proxy can reach.
func TestProxy(t *testing.T) {
	https := func(t *testing.T) (*gittest.Server, Options) {
		t.Helper()

		s := gittest.Serve(t, "main", map[string]string{"a": "a"})
		o := options(s.StartTLS(t))
		o.Credentials = s.Credentials()

		return s, o
	}

	cases := map[string]struct {
		reason string
		serve  func(t *testing.T) (*gittest.Server, Options)
		env    func(p *gittest.Proxy) []string
		proxy  func(p *gittest.Proxy) string
	}{
		"HTTP": {
			reason: "A plain proxy.",
			serve: func(t *testing.T) (*gittest.Server, Options) {
				t.Helper()

				s := gittest.Serve(t, "main", map[string]string{"a": "a"})

				return s, options(s.Start(t))
			},
			env:   func(p *gittest.Proxy) []string { return []string{"HTTP_PROXY=" + p.HTTP} },
			proxy: func(p *gittest.Proxy) string { return p.HTTP },
		},
		"HTTPS": {
			reason: "With CONNECT; the private CA is that of the server behind it.",
			serve:  https,
			env:    func(p *gittest.Proxy) []string { return []string{"HTTPS_PROXY=" + p.HTTP} },
			proxy:  func(p *gittest.Proxy) string { return p.HTTP },
		},
		"SOCKS": {
			reason: "SOCKS5 for https.",
			serve:  https,
			env:    func(p *gittest.Proxy) []string { return []string{"HTTPS_PROXY=" + p.SOCKS} },
			proxy:  func(p *gittest.Proxy) string { return p.SOCKS },
		},
		"SSH": {
			reason: "SOCKS5 for ssh.",
			serve:  serveSSHRepository,
			env:    func(p *gittest.Proxy) []string { return []string{"ALL_PROXY=" + p.SOCKS} },
			proxy:  func(p *gittest.Proxy) string { return p.SOCKS },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := gittest.ServeProxy(t)
			s, o := tc.serve(t)

			u, err := url.Parse(o.URL)
			if err != nil {
				t.Fatal(err)
			}

			o.URL = strings.Replace(o.URL, u.Hostname(), gittest.Host, 1)
			o.Credentials["known_hosts"] = []byte(strings.ReplaceAll(string(o.Credentials["known_hosts"]), u.Hostname(), gittest.Host))

			in, err := json.Marshal(remote{URL: o.URL, Credentials: o.Credentials})
			if err != nil {
				t.Fatal(err)
			}

			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWriteOptions$")
			cmd.Env = append(os.Environ(), append(tc.env(p), envOptions+"="+string(in))...)

			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s %v: %s", tc.reason, err, out)
			}

			if got := s.Git(t, "show", "main:"+testFolder+"/dir/file.yaml"); got != "through the proxy" {
				t.Errorf("the file holds %q", got)
			}

			// The same, told in the credentials.
			if o.Proxy, err = url.Parse(tc.proxy(p)); err != nil {
				t.Fatal(err)
			}

			if _, err := open(t, o).Write(t.Context(), put("as the credentials say")); err != nil {
				t.Fatalf("%s %v", tc.reason, err)
			}

			if diff := cmp.Diff([]string{gittest.Host + ":" + u.Port()}, p.Seen()); diff != "" {
				t.Errorf("%s The proxy was asked for: -want, +got: %s", tc.reason, diff)
			}
		})
	}
}

// TestConnectionsEnd: thousands of looks at repositories leave no connections.
func TestConnectionsEnd(t *testing.T) {
	p := gittest.ServeProxy(t)
	s := gittest.Serve(t, "main", map[string]string{"a": "a"})
	o := options(s.StartTLS(t))
	o.Credentials = s.Credentials()

	var err error
	if o.Proxy, err = url.Parse(p.HTTP); err != nil {
		t.Fatal(err)
	}

	for range 5 {
		if _, err := open(t, o).Head(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	NewWithT(t).Eventually(p.Open, 10*idleConnection).Should(BeZero())
}
