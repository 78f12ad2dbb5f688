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
	"bufio"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// TestClassify asks real listeners for their version.
func TestClassify(t *testing.T) {
	const body = `{"gitVersion":"v1.36.4"}`
	plain := httptest.NewServer(answer(http.StatusOK, body))
	defer plain.Close()
	secure := quiet(answer(http.StatusOK, body), tls.NoClientCert)
	defer secure.Close()
	wantsCert := quiet(answer(http.StatusOK, body), tls.RequireAnyClientCert)
	defer wantsCert.Close()
	other := httptest.NewUnstartedServer(nil)
	other.TLS = &tls.Config{Certificates: secure.TLS.Certificates, MinVersion: tls.VersionTLS12}

	status := func(code int, body string) string {
		s := httptest.NewServer(answer(code, body))
		t.Cleanup(s.Close)
		return s.URL
	}
	closed := listener(t, func(c net.Conn) {
		request(c)
		_ = c.Close()
	})
	silent := listener(t, func(net.Conn) {})
	stalls := listener(t, func(c net.Conn) {
		request(c)
		_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"))
	})
	refuses := listener(t, func(c net.Conn) {
		request(c)
		_, _ = c.Write([]byte("HTTP/1.1 407 s3cr3t\r\nContent-Length: 0\r\n\r\n"))
	})
	nobody := listener(t, nil)
	port := secure.URL[strings.LastIndex(secure.URL, ":"):]

	cases := map[string]struct {
		reason string
		config string
		class  fault.Class
		want   string
	}{
		"DNS":             {"A name that is never resolved (RFC 6761)", write("https://api.invalid:6443", "", "x"), fault.Unreachable, "DNS: cannot resolve api.invalid: "},
		"Refused":         {"Nothing listens", write("https://"+nobody, "", "x"), fault.Unreachable, "Refused: nothing listens at " + nobody},
		"Closed":          {"Something that is no API server", write("http://"+closed, "", "x"), fault.Unreachable, "Refused: " + closed + " closes the connection"},
		"TimeoutTLS":      {"A black hole that takes connections", write("https://"+silent, "", "x"), fault.Unreachable, "Timeout: no answer from " + silent + " in time"},
		"TimeoutAnswer":   {"An API server that hangs", write("http://"+silent, "", "x"), fault.Unreachable, "Timeout: no answer from " + silent + " in time"},
		"TimeoutBody":     {"An API server that stops in the middle", write("http://"+stalls, "", "x"), fault.Unreachable, "Timeout: no answer from the API server in time"},
		"ProxyRefuses":    {"A proxy that gives our password away", write("https://api.example.com", "proxy-url: http://u:s3cr3t@"+refuses, "x"), fault.Unreachable, "Refused: the proxy does not connect to api.example.com: it answers 407 Proxy Authentication Required"},
		"Proxy":           {"A proxy that is not there, with a password", write("https://api.example.com", "proxy-url: http://u:s3cr3t@"+nobody, "x"), fault.Unreachable, "Refused: the proxy does not connect to api.example.com: "},
		"UnknownCA":       {"The CA is missing", write(secure.URL, "", "x"), fault.Denied, "TLS: the certificate of " + secure.Listener.Addr().String() + " is not signed by the CA of the kubeconfig"},
		"OtherHost":       {"Reached by a name that is not in the certificate", write("https://localhost"+port, trusting(secure), "x"), fault.Denied, "TLS: the certificate of localhost" + port + " is for another host: "},
		"NoTLS":           {"http where https is expected", write("https://"+plain.Listener.Addr().String(), "", "x"), fault.Denied, "TLS: " + plain.Listener.Addr().String() + " does not speak TLS: "},
		"ClientCert":      {"A certificate is wanted", write(wantsCert.URL, trusting(wantsCert), "x"), fault.Denied, "TLS: " + wantsCert.Listener.Addr().String() + " does not accept the client certificate: "},
		"Unauthorized":    {"A token that is no more", write(status(401, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}`), "", "x"), fault.Denied, "Unauthorized: the cluster does not accept the credentials of the kubeconfig"},
		"Forbidden":       {"No rights", write(status(403, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"nope","reason":"Forbidden","code":403}`), "", "x"), fault.Denied, "Forbidden: nope"},
		"ServerError":     {"An API server that starts", write(status(500, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"etcd is away","reason":"InternalError","code":500}`), "", "x"), fault.Unreachable, "ServerError: etcd is away"},
		"BadGateway":      {"A load balancer without a healthy backend", write(status(502, "<html>bad gateway</html>"), "", "x"), fault.Unreachable, "ServerError: "},
		"AnotherProgram":  {"A web page is no version", write(status(200, "<html>welcome</html>"), "", "x"), fault.Unreachable, "ServerError: "},
		"WrongPathFailed": {"The answer of a server without such a path", write(status(404, "not found"), "", "x"), fault.Failing, "the server could not find the requested resource"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			// Who answers is given all the time that a busy machine takes;
			// client-go also tries a closed connection again each second,
			// until the circuit is open.
			timeout := 15 * time.Second
			if strings.HasPrefix(name, "Timeout") {
				timeout = 300 * time.Millisecond
			}
			p, _ := pool(Options{Timeout: timeout})
			c, err := p.ConnectTo(t.Context(), parse(t, tc.config), secret)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Version(t.Context())
			got := Classify(err)
			if got == nil || !strings.HasPrefix(got.Error(), tc.want) {
				t.Errorf("\n%s\nClassify(...): want prefix %q, got %v (of %v)", tc.reason, tc.want, got, err)
			}
			if diff := cmp.Diff(tc.class, fault.ClassOf(got)); diff != "" {
				t.Errorf("\n%s\nClassOf(%v): -want, +got:\n%s", tc.reason, got, diff)
			}
			if strings.Contains(got.Error(), "s3cr3t") {
				t.Errorf("\n%s\nthe message holds a password: %s", tc.reason, got)
			}
			if !errors.Is(got, err) && fault.ClassOf(got) != fault.Failing {
				t.Errorf("\n%s\nthe cause is lost: %v", tc.reason, got)
			}
		})
	}

	t.Run("Fine", func(t *testing.T) {
		p, _ := pool(Options{})
		c, err := p.ConnectTo(t.Context(), parse(t, write(secure.URL, trusting(secure), "x")), secret)
		if err != nil {
			t.Fatal(err)
		}
		v, err := c.Version(t.Context())
		if err != nil || v != "v1.36.4" {
			t.Errorf("Version(...): want v1.36.4, got %q, %v", v, err)
		}
	})
}

func TestClassifyKeeps(t *testing.T) {
	gr := schema.GroupResource{Resource: "secrets"}
	boom := errors.New("boom")
	cases := map[string]struct {
		reason string
		err    error
		want   fault.Class
		msg    string
	}{
		"Nil":      {"No error is no fault", nil, "", ""},
		"Fault":    {"A fault stays what it is", fault.New(fault.Waiting, "not yet"), fault.Waiting, "not yet"},
		"NotFound": {"What the caller did not expect is Failing", kerrors.NewNotFound(gr, "a"), fault.Failing, `secrets "a" not found`},
		"Ours":     {"An error of our own code is not a connection's", boom, fault.Failing, "boom"},
		"Busy":     {"Too many requests pass", kerrors.NewTooManyRequests("slow down", 1), fault.Unreachable, "ServerError: slow down"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Classify(tc.err)
			if tc.err == nil {
				if got != nil {
					t.Errorf("\n%s\nClassify(nil): %v", tc.reason, got)
				}
				return
			}
			if diff := cmp.Diff(tc.want, fault.ClassOf(got)); diff != "" {
				t.Errorf("\n%s\n-want class, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.msg, got.Error()); diff != "" {
				t.Errorf("\n%s\n-want message, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// quiet starts a TLS server that keeps its complaints to itself.
func quiet(h http.Handler, auth tls.ClientAuthType) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = discard()
	s.TLS = &tls.Config{ClientAuth: auth, MinVersion: tls.VersionTLS12}
	s.StartTLS()
	return s
}

// listener listens on a port of its own and hands every connection over. With
// no handler it is closed at once, so nobody listens there.
func listener(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if handle == nil {
		_ = l.Close()
		return l.Addr().String()
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = c.Close() })
			handle(c)
		}
	}()
	return l.Addr().String()
}

// request is read before it is answered: an answer that comes first is another
// kind of error.
func request(c net.Conn) {
	if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
		_ = r.Body.Close()
	}
}

func within(t *testing.T, limit time.Duration, what string, f func()) {
	t.Helper()
	before := time.Now()
	f()
	if took := time.Since(before); took > limit {
		t.Errorf("%s took %s, more than %s", what, took, limit)
	}
}
