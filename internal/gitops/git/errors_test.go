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
	"cmp"
	"context"
	"crypto/elliptic"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/pkg/ssh"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/gittest"
)

// TestServers tries to write to servers that do not let us, one way or another.
func TestServers(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		setup  func(t *testing.T) Options
		class  fault.Class
		prefix string

		// timeout of those who wait in vain.
		timeout time.Duration
	}{
		"WrongPassword": {
			reason: "Credentials are refused.",
			setup: func(t *testing.T) Options {
				t.Helper()

				o := options(gittest.Serve(t, "main", map[string]string{"a": "a"}).Start(t))
				o.Credentials["password"] = []byte("another-secret")
				o.Origin = "password in Secret git"

				return o
			},
			class: fault.Denied, prefix: "Git credentials refused by 127.0.0.1: replace password in Secret git: cannot",
		},
		"NoCredentials": {
			reason: "A Secret without credentials.",
			setup: func(t *testing.T) Options {
				t.Helper()

				o := options(gittest.Serve(t, "main", map[string]string{"a": "a"}).Start(t))
				o.Credentials = nil

				return o
			},
			class: fault.Denied, prefix: "Git credentials refused by",
		},
		"MissingRepository": {
			reason: "No such repository.",
			setup: func(t *testing.T) Options {
				t.Helper()

				o := options(gittest.Serve(t, "main", map[string]string{"a": "a"}).Start(t))
				o.URL = strings.Replace(o.URL, "iac", "other", 1)

				return o
			},
			class: fault.Refused, prefix: "Git repository not found",
		},
		"MissingBranch": {
			reason: "The message lists the branches that there are.",
			setup: func(t *testing.T) Options {
				t.Helper()

				s := gittest.Serve(t, "master", map[string]string{"a": "a"})
				s.Commit(t, "develop", "b", map[string]string{"b": "b"})

				return options(s.Start(t))
			},
			class: fault.Refused, prefix: "no branch main in the Git repository, which has develop, master:",
		},
		"ProtectedBranch": {
			reason: "The server's own words say why.",
			setup: func(t *testing.T) Options {
				t.Helper()

				s := gittest.Serve(t, "main", map[string]string{"a": "a"})
				s.Hook(t, "update", "echo 'You are not allowed to push to main.' >&2\nexit 1\n")

				return options(s.Start(t))
			},
			class: fault.Denied, prefix: "branch main is protected: let these credentials push to it, or name another: hook declined You are not allowed",
		},
		"ReadOnlyByStatus": {
			reason: "As GitHub does for a read-only token.",
			setup: func(t *testing.T) Options {
				t.Helper()

				s := gittest.Serve(t, "main", map[string]string{"a": "a"})
				s.AddHTTPMiddlewares(func(next http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if r.URL.Query().Get("service") == "git-receive-pack" {
							http.Error(w, "Write access to repository not granted.", http.StatusForbidden)

							return
						}

						next.ServeHTTP(w, r)
					})
				})

				return options(s.Start(t))
			},
			class: fault.Denied, prefix: "Git credentials may read but not write",
		},
		"ServerError": {
			reason: "It may pass.",
			setup: func(t *testing.T) Options {
				t.Helper()

				s := gittest.Serve(t, "main", map[string]string{"a": "a"})
				s.AddHTTPMiddlewares(func(http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
						http.Error(w, "oops", http.StatusBadGateway)
					})
				})

				return options(s.Start(t))
			},
			class: fault.Unreachable, prefix: "Git server 127.0.0.1 fails",
		},
		"DeadServer": {
			reason: "Nobody listens.",
			setup: func(t *testing.T) Options {
				t.Helper()

				l, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}

				_ = l.Close()

				return options("http://" + l.Addr().String() + "/" + gittest.Repository)
			},
			class: fault.Unreachable, prefix: "Git server 127.0.0.1 refuses connections",
		},
		"SilentServer": {
			reason: "It accepts and says nothing.",
			setup: func(t *testing.T) Options {
				t.Helper()

				return options("http://" + silent(t) + "/" + gittest.Repository)
			},
			class: fault.Unreachable, prefix: "Git server 127.0.0.1 does not answer in time", timeout: time.Second,
		},
		"SilentSSHServer": {
			reason: "It accepts, and the handshake never comes.",
			setup: func(t *testing.T) Options {
				t.Helper()

				o := serveSSH(t)
				o.URL = "ssh://git@" + silent(t) + "/" + gittest.Repository

				return o
			},
			class: fault.Unreachable, prefix: "Git server 127.0.0.1 does not answer in time", timeout: time.Second,
		},
		"DeadProxy": {
			reason: "Nobody listens; it is not the server's fault.",
			setup: func(t *testing.T) Options {
				t.Helper()

				o, ca := serveTLS(t)
				o.Credentials["ca.crt"] = ca
				o.Proxy = &url.URL{Scheme: "http", Host: "127.0.0.1:1"}

				return o
			},
			class: fault.Unreachable, prefix: "proxy on the way to Git server 127.0.0.1 fails",
		},
		"DeadSOCKS": {
			reason: "The same for ssh.",
			setup: func(t *testing.T) Options {
				t.Helper()

				o := serveSSH(t)
				o.Proxy = &url.URL{Scheme: "socks5", Host: "127.0.0.1:1"}

				return o
			},
			class: fault.Unreachable, prefix: "proxy on the way to Git server 127.0.0.1 fails",
		},
		"ProxyPassword": {
			reason: "It asks for a password, and has another one.",
			setup: func(t *testing.T) Options {
				t.Helper()

				p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.WriteHeader(http.StatusProxyAuthRequired)
				}))
				t.Cleanup(p.Close)

				o, ca := serveTLS(t)
				o.Credentials["ca.crt"] = ca
				o.Proxy = &url.URL{Scheme: "http", User: url.UserPassword("me", gittest.Password), Host: strings.TrimPrefix(p.URL, "http://")}

				return o
			},
			class: fault.Denied, prefix: "proxy refuses us on the way to 127.0.0.1",
		},
		"SlowServer": {
			reason: "It sends a byte now and then, and never comes to an end.",
			setup: func(t *testing.T) Options {
				t.Helper()

				slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")

					_, _ = w.Write([]byte("001e# service=git-upload-pack\n0000fff0"))

					for tick := time.NewTicker(50 * time.Millisecond); r.Context().Err() == nil; <-tick.C {
						_, _ = w.Write([]byte("0"))
						_ = http.NewResponseController(w).Flush()
					}
				}))
				t.Cleanup(slow.Close)

				return options(slow.URL + "/" + gittest.Repository)
			},
			class: fault.Unreachable, prefix: "Git server 127.0.0.1 does not answer in time", timeout: time.Second,
		},
		"UnknownHost": {
			reason: "DNS does not know it.",
			setup: func(*testing.T) Options {
				return options("https://git.invalid/a")
			},
			class: fault.Unreachable, prefix: "Git server git.invalid",
		},
		"UnknownCA": {
			reason: "The message says what to do.",
			setup: func(t *testing.T) Options {
				t.Helper()

				o, _ := serveTLS(t)

				return o
			},
			class: fault.Refused, prefix: "certificate of 127.0.0.1 not trusted: put its CA into ca.crt",
		},
		"NoClientCertificate": {
			reason: "The server asks for one.",
			setup: func(t *testing.T) Options {
				t.Helper()

				o, _, _ := serveMutualTLS(t, tls.VersionTLS13)

				return o
			},
			class: fault.Denied, prefix: "client certificate asked for by 127.0.0.1: put it and its key into tls.crt and tls.key of the Git credentials:",
		},
		"NoClientCertificateEarly": {
			reason: "A server of TLS 1.2 says so in other words.",
			setup: func(t *testing.T) Options {
				t.Helper()

				o, _, _ := serveMutualTLS(t, tls.VersionTLS12)

				return o
			},
			class: fault.Denied, prefix: "TLS refused by 127.0.0.1: if it asks for a client certificate, check tls.crt and tls.key of the Git credentials:",
		},
		"ClientCertificateOfAnotherCA": {
			reason: "The server does not know who has signed it.",
			setup: func(t *testing.T) Options {
				t.Helper()

				o, _, _ := serveMutualTLS(t, tls.VersionTLS13)
				o.Credentials["tls.crt"], o.Credentials["tls.key"] = gittest.Certificate(t)

				return o
			},
			class: fault.Denied, prefix: "client certificate refused by 127.0.0.1: replace tls.crt and tls.key of the Git credentials:",
		},
		"UnknownHostKey": {
			reason: "An SSH server with another key than known_hosts has.",
			setup: func(t *testing.T) Options {
				t.Helper()

				return knowing(t, serveSSH(t), ssh.NewRSAGenerator(2048))
			},
			class: fault.Refused, prefix: "host key of 127.0.0.1 not in known_hosts of the Git credentials:",
		},
		"OtherKindOfHostKey": {
			reason: "An SSH server without a key of the kind that known_hosts has.",
			setup: func(t *testing.T) Options {
				t.Helper()

				return knowing(t, serveSSH(t), ssh.NewEd25519Generator())
			},
			class: fault.Refused, prefix: "host key of 127.0.0.1 is of another kind than those in known_hosts: add what ssh-keyscan prints",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // Most of them only wait.

			ctx, cancel := context.WithTimeout(t.Context(), cmp.Or(tc.timeout, time.Minute))
			defer cancel()

			_, err := open(t, tc.setup(t)).Write(ctx, put("a"))
			if err == nil {
				t.Fatalf("%s There is no error.", tc.reason)
			}

			if got := fault.ClassOf(err); got != tc.class || !strings.HasPrefix(err.Error(), tc.prefix) {
				t.Errorf("%s Got %s: %v", tc.reason, got, err)
			}

			if strings.Contains(err.Error(), gittest.Password) {
				t.Errorf("the error holds the password: %v", err)
			}
		})
	}
}

func TestPrivateCA(t *testing.T) {
	o, ca := serveTLS(t)
	o.Credentials["ca.crt"] = ca

	if _, err := open(t, o).Write(t.Context(), put("a")); err != nil {
		t.Fatal(err)
	}
}

// TestClientCertificate writes to servers that ask for a client certificate.
func TestClientCertificate(t *testing.T) {
	for name, version := range map[string]uint16{"TLS12": tls.VersionTLS12, "TLS13": tls.VersionTLS13} {
		t.Run(name, func(t *testing.T) {
			o, cert, key := serveMutualTLS(t, version)
			o.Credentials["tls.crt"], o.Credentials["tls.key"] = cert, key

			if _, err := open(t, o).Write(t.Context(), put("a")); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestClassify says what texts mean that come from a connection.
func TestClassify(t *testing.T) {
	cert, key := gittest.Certificate(t)
	const (
		alert   = `Get "https://git.example.com/acme/iac.git/info/refs": remote error: tls: `
		none    = "client certificate asked for by git.example.com: put it and its key into tls.crt and tls.key"
		refused = "client certificate refused by git.example.com: replace tls.crt and tls.key"
	)

	cases := map[string]struct {
		reason string
		text   string
		pair   bool
		class  fault.Class
		prefix string
	}{
		"CertificateRequired": {reason: "TLS 1.3, without one.", text: alert + "certificate required", class: fault.Denied, prefix: none},
		"BadWithoutOne":       {reason: "TLS 1.2, without one.", text: alert + "bad certificate", class: fault.Denied, prefix: none},
		"Bad":                 {reason: "Not what the server takes.", text: alert + "bad certificate", pair: true, class: fault.Denied, prefix: refused},
		"OtherCA":             {reason: "It is our certificate, not the server's.", text: alert + "unknown certificate authority", pair: true, class: fault.Denied, prefix: refused},
		"Expired":             {reason: "Its time is over.", text: alert + "expired certificate", pair: true, class: fault.Denied, prefix: refused},
		"Revoked":             {reason: "Its CA does not want it any more.", text: alert + "revoked certificate", pair: true, class: fault.Denied, prefix: refused},
		"AccessDenied":        {reason: "The certificate is good, its owner has no rights.", text: alert + "access denied", pair: true, class: fault.Denied, prefix: refused},
		"HandshakeFailure":    {reason: "OpenSSL says so without a certificate; others mean something else.", text: alert + "handshake failure", class: fault.Denied, prefix: "TLS refused by git.example.com: if it asks for a client certificate, check tls.crt and tls.key"},
		"OtherAlert":          {reason: "It is not about certificates.", text: alert + "internal error", pair: true, class: fault.Unreachable, prefix: "Git server git.example.com fails: cannot fetch: "},
		"NoTLS":               {reason: "Something else answers.", text: "tls: first record does not look like a TLS handshake", class: fault.Unreachable, prefix: "Git server git.example.com fails: cannot fetch: "},
		"OfTheProxy":          {reason: "The proxy's own TLS.", text: "proxyconnect tcp: remote error: tls: certificate required", class: fault.Unreachable, prefix: "proxy on the way to Git server git.example.com fails"},
		"Untrusted":           {reason: "The server's certificate.", text: "tls: failed to verify certificate: x509: certificate signed by unknown authority", pair: true, class: fault.Refused, prefix: "certificate of git.example.com not trusted: put its CA into ca.crt"},
		"HostKeyKind": {
			reason: "As golang.org/x/crypto/ssh says it.",
			text:   `ssh: handshake failed: ssh: no common algorithm for host key; we offered: ["ssh-ed25519"], peer offered: ["rsa-sha2-512"]`,
			class:  fault.Refused, prefix: "host key of git.example.com is of another kind than those in known_hosts: add",
		},
		"HostKey": {reason: "Another one than ours.", text: "ssh: handshake failed: knownhosts: key mismatch", class: fault.Refused, prefix: "host key of git.example.com not in known_hosts"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := options("https://git.example.com/acme/iac.git")
			if tc.pair {
				o.Credentials["tls.crt"], o.Credentials["tls.key"] = cert, key
			}

			err := open(t, o).classify(errors.New(tc.text), "fetch")
			if got := fault.ClassOf(err); got != tc.class || !strings.HasPrefix(err.Error(), tc.prefix) {
				t.Errorf("%s Got %s: %v", tc.reason, got, err)
			}
		})
	}
}

func TestSSH(t *testing.T) {
	r := open(t, serveSSH(t))

	got, err := r.Write(t.Context(), put("a"))
	if err != nil {
		t.Fatal(err)
	}

	if head, err := r.Head(t.Context()); err != nil || head != got.Commit {
		t.Errorf("the head is %s, %v instead of %s", head, err, got.Commit)
	}
}

// TestSeveralHostKeys knows keys of several kinds, of which the server has one.
func TestSeveralHostKeys(t *testing.T) {
	o := serveSSH(t)
	host := strings.Fields(string(o.Credentials["known_hosts"]))[0]
	known := []string{"# as ssh-keyscan prints it"}

	for _, g := range []ssh.KeyPairGenerator{ssh.NewEd25519Generator(), ssh.NewECDSAGenerator(elliptic.P256())} {
		other, err := g.Generate()
		if err != nil {
			t.Fatal(err)
		}

		known = append(known, host+" "+strings.Join(strings.Fields(string(other.PublicKey))[:2], " "))
	}

	o.Credentials["known_hosts"] = []byte(strings.Join(append(known, string(o.Credentials["known_hosts"])), "\n"))

	if _, err := open(t, o).Write(t.Context(), put("a")); err != nil {
		t.Fatal(err)
	}
}

func TestNew(t *testing.T) {
	key, err := ssh.NewEd25519Generator().Generate()
	if err != nil {
		t.Fatal(err)
	}

	cert, _ := gittest.Certificate(t)
	_, otherKey := gittest.Certificate(t)
	basic := map[string][]byte{"username": []byte(gittest.Username), "password": []byte(gittest.Password)}

	cases := map[string]struct {
		reason      string
		url         string
		credentials map[string][]byte
		prefix      string
	}{
		"PasswordInURL":    {reason: "It would be seen.", url: "https://u:" + gittest.Password + "@host/a", prefix: "the URL of the Git repository holds a password"},
		"TokenInURL":       {reason: "It would be seen.", url: "https://" + gittest.Password + "@host/a", prefix: "the URL of the Git repository holds a user name or token"},
		"PasswordInSSH":    {reason: "It would be seen.", url: "ssh://u:" + gittest.Password + "@host/a", prefix: "the URL of the Git repository holds a password"},
		"NotAURL":          {reason: "Never repeat it.", url: "https://" + gittest.Password + "@ho st:x/%zz", prefix: "the URL of the Git repository is not a URL"},
		"File":             {reason: "Only servers.", url: "file:///etc", prefix: "the URL of the Git repository must begin with"},
		"Scp":              {reason: "Flux does not take it either.", url: "git@host:a/b", prefix: "the URL of the Git repository"},
		"NoHost":           {reason: "A server is needed.", url: "https:///a", prefix: "the URL of the Git repository names no host"},
		"NoRepository":     {reason: "A repository is needed.", url: "https://host/", prefix: "the URL of the Git repository names no host or no repository"},
		"Query":            {reason: "Tokens hide there.", url: "https://host/a?private_token=" + gittest.Password, prefix: "the URL of the Git repository must not have a query"},
		"NoUsername":       {reason: "Basic needs both.", url: "https://host/a", credentials: map[string][]byte{"password": []byte(gittest.Password)}, prefix: "the Git credentials do not fit the URL"},
		"NoIdentity":       {reason: "SSH needs a key.", url: "ssh://git@host/a", credentials: basic, prefix: "the Git credentials do not fit the URL"},
		"BadIdentity":      {reason: "Not a key.", url: "ssh://git@host/a", credentials: map[string][]byte{"identity": []byte(gittest.Password), "known_hosts": []byte("x")}, prefix: "identity in the Git credentials"},
		"BadKnownHosts":    {reason: "Not a file of that kind.", url: "ssh://git@host/a", credentials: map[string][]byte{"identity": key.PrivateKey, "known_hosts": []byte("@what x y z")}, prefix: "known_hosts in the Git credentials"},
		"BadCA":            {reason: "Not a certificate.", url: "https://host/a", credentials: map[string][]byte{"username": []byte(gittest.Username), "password": []byte(gittest.Password), "ca.crt": []byte("x")}, prefix: "ca.crt in the Git credentials"},
		"OtherClientKey":   {reason: "The key of another certificate.", url: "https://host/a", credentials: map[string][]byte{"tls.crt": cert, "tls.key": otherKey}, prefix: "tls.crt and tls.key do not fit together: store a certificate and its own key"},
		"PasswordAndToken": {reason: "Which one?", url: "https://host/a", credentials: map[string][]byte{"username": []byte(gittest.Username), "password": []byte(gittest.Password), "bearerToken": []byte("t")}, prefix: ""},
		"Good":             {reason: "An ordinary one.", url: "https://host/a.git", credentials: basic},
		"GoodBearer":       {reason: "A token.", url: "https://host/a.git", credentials: map[string][]byte{"bearerToken": []byte(gittest.Password)}},
		"Public":           {reason: "No credentials.", url: "https://host/a.git"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := New(Options{URL: tc.url, Branch: "main", Path: testFolder, Credentials: tc.credentials})
			if tc.prefix == "" {
				if err != nil {
					t.Errorf("%s %v", tc.reason, err)
				}

				return
			}

			if err == nil || !strings.HasPrefix(err.Error(), tc.prefix) || fault.ClassOf(err) != fault.Refused {
				t.Errorf("%s Got %v.", tc.reason, err)
			}

			if err != nil && strings.Contains(err.Error(), gittest.Password) {
				t.Errorf("the error holds the secret: %v", err)
			}
		})
	}
}

func TestRedact(t *testing.T) {
	r := newRedactor(map[string][]byte{"username": []byte(gittest.Username), "password": []byte(gittest.Password + "\n"), "ca.crt": []byte("public")}, nil)

	got := r.clean(fmt.Sprintf("%s said\n %s is public \xff", gittest.Username, gittest.Password))
	if want := "bot said [redacted] is public ?"; got != want {
		t.Errorf("got %q instead of %q", got, want)
	}
}

// silent is the address of a server that accepts connections and says nothing.
func silent(t *testing.T) string {
	t.Helper()

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = l.Close() })

	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}

			t.Cleanup(func() { _ = c.Close() })
		}
	}()

	return l.Addr().String()
}

func serveTLS(t *testing.T) (Options, []byte) {
	t.Helper()

	s := gittest.Serve(t, "main", map[string]string{"a": "a"})
	s.Auth(gittest.Username, gittest.Password)

	cert, key := gittest.Certificate(t)
	if err := s.StartHTTPS(cert, key, cert, "127.0.0.1"); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(s.StopHTTP)

	return options(s.HTTPAddress() + "/" + gittest.Repository), cert
}

// serveMutualTLS asks for a client certificate, and returns one that it takes.
func serveMutualTLS(t *testing.T, maxVersion uint16) (o Options, cert, key []byte) {
	t.Helper()

	cert, key = gittest.Certificate(t)
	s := gittest.Serve(t, "main", map[string]string{"a": "a"})
	o = options(s.StartMutualTLS(t, cert, maxVersion))
	o.Credentials = s.Credentials()

	return o, cert, key
}

// knowing is a client that knows the server by another key of some kind.
func knowing(t *testing.T, o Options, kind ssh.KeyPairGenerator) Options {
	t.Helper()

	other, err := kind.Generate()
	if err != nil {
		t.Fatal(err)
	}

	host := strings.Fields(string(o.Credentials["known_hosts"]))[0]
	o.Credentials["known_hosts"] = []byte(host + " " + strings.Join(strings.Fields(string(other.PublicKey))[:2], " "))

	return o
}

func serveSSH(t *testing.T) Options {
	t.Helper()

	_, o := serveSSHRepository(t)

	return o
}

func serveSSHRepository(t *testing.T) (*gittest.Server, Options) {
	t.Helper()

	s := gittest.Serve(t, "main", map[string]string{"a": "a"})
	s.KeyDir(t.TempDir())
	s.Auth(gittest.Username, gittest.Password)

	if err := s.ListenSSH(); err != nil {
		t.Fatal(err)
	}

	done := make(chan struct{})

	go func() {
		defer close(done)

		_ = s.StartSSH()
	}()

	t.Cleanup(func() {
		_ = s.StopSSH()
		<-done
	})

	key, err := ssh.NewEd25519Generator().Generate()
	if err != nil {
		t.Fatal(err)
	}

	u, err := url.Parse(s.SSHAddress())
	if err != nil {
		t.Fatal(err)
	}

	known, err := ssh.ScanHostKey(u.Host, 5*time.Second, nil, false)
	if err != nil {
		t.Fatal(err)
	}

	o := options(s.SSHAddress() + "/" + gittest.Repository)
	o.Credentials = map[string][]byte{"identity": key.PrivateKey, "known_hosts": known}

	return s, o
}
