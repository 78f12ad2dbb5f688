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
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
)

func discard() *log.Logger { return log.New(io.Discard, "", 0) }

func TestConnectFaults(t *testing.T) {
	eks := `kind: Config
contexts: [{name: a, context: {cluster: a, user: a}}]
clusters: [{name: a, cluster: {server: "https://a"}}]
users: [{name: a, user: {exec: {command: /eks-token-helper, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, args: [--cluster-name=a, --region=eu-north-1]}}}]
`
	cases := map[string]struct {
		reason string
		secret *corev1.Secret
		class  fault.Class
		want   string
	}{
		"NoSecret": {"A Secret may arrive later", nil, fault.Waiting, "Secret team/hostcluster-a-kubeconfig with key kubeconfig is not there yet"},
		"NoKey":    {"Its key, too; another one may be meant", secretWith("config", "x"), fault.Waiting, "Secret team/hostcluster-a-kubeconfig has no key kubeconfig, but config: store the kubeconfig under the key kubeconfig"},
		"NoConfig": {"Something else is refused", secretWith("kubeconfig", "x"), fault.Refused, "not a kubeconfig: it is not a YAML object with clusters, users and contexts"},
		"Helper":   {"No cloud token without the owner's credentials", secretWith("kubeconfig", eks), fault.Refused, "kubeconfig asks for /eks-token-helper: name the ProviderConfig with the cloud credentials in spec.providerConfigRef"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			secrets := []*corev1.Secret{}
			if tc.secret != nil {
				secrets = append(secrets, tc.secret)
			}
			p, _ := pool(Options{}, secrets...)
			_, err := p.Connect(t.Context(), secret)
			if err == nil {
				t.Fatalf("\n%s\nConnect(...): no error", tc.reason)
			}
			if diff := cmp.Diff(tc.want, err.Error()); diff != "" {
				t.Errorf("\n%s\nConnect(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.class, fault.ClassOf(err)); diff != "" {
				t.Errorf("\n%s\nConnect(...): -want class, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestConnectKeeps looks at which clients are kept, and for how long.
func TestConnectKeeps(t *testing.T) {
	p, clock := pool(Options{MaxClusters: 2, Idle: time.Hour})
	connect := func(token string) *Cluster {
		t.Helper()
		c, err := p.ConnectTo(t.Context(), parse(t, write("https://a", "", token)), secret)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	one := connect("one")
	if connect("one") != one {
		t.Error("the same kubeconfig has another client")
	}
	clock.SetTime(clock.Now().Add(time.Minute))
	two := connect("two")
	if two == one {
		t.Error("another kubeconfig has the same client")
	}
	connect("three")
	if len(p.entries) != 2 {
		t.Errorf("want 2 clients, got %d", len(p.entries))
	}
	if connect("two") != two {
		t.Error("a client was dropped that is not the least recently used one")
	}
	clock.SetTime(clock.Now().Add(2 * time.Hour))
	connect("two")
	if len(p.entries) != 1 {
		t.Errorf("want the idle client forgotten and 1 kept, got %d", len(p.entries))
	}
}

// tokens gives each owner a token of its own.
type tokens struct{}

func (tokens) TokenSource(_ context.Context, s types.NamespacedName, _ kubeconfig.Helper) (oauth2.TokenSource, error) {
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: s.Namespace}), nil
}

// TestHelperTokens makes sure that one owner's token never serves another
// owner of the same kubeconfig.
func TestHelperTokens(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"gitVersion":%q}`, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	}))
	defer s.Close()
	k := parse(t, strings.Replace(write(s.URL, trusting(s), "x"), "token: x", "exec: {command: /gke-token-helper, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}", 1))
	p, _ := pool(Options{Tokens: tokens{}})
	for _, ns := range []string{"a", "b", "a"} {
		c, err := p.ConnectTo(t.Context(), k, types.NamespacedName{Namespace: ns, Name: "same"})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Version(t.Context()); err != nil || got != ns {
			t.Errorf("want the token of %s, got %q, %v", ns, got, err)
		}
	}
}

// TestDeadCluster makes sure that a cluster that does not answer is not waited
// for again and again, that its client says why, and that it heals.
func TestDeadCluster(t *testing.T) {
	var alive atomic.Bool
	var calls atomic.Int32
	addr := listener(t, func(c net.Conn) {
		calls.Add(1)
		if alive.Load() {
			request(c)
			_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 24\r\nConnection: close\r\n\r\n" + `{"gitVersion":"v1.36.4"}`))
		}
	})
	p, clock := pool(Options{Timeout: 2 * time.Second})
	k := parse(t, write("http://"+addr, "", "x"))
	version := func() error {
		c, err := p.ConnectTo(t.Context(), k, secret)
		if err != nil {
			return err
		}
		_, err = c.Version(t.Context())
		return Classify(err)
	}

	want := "Timeout: no answer from " + addr + " in time"
	for range threshold {
		if err := version(); err == nil || err.Error() != want {
			t.Fatalf("want %q, got %v", want, err)
		}
	}
	// Another client of the same configuration, such as Helm's, is part of it.
	for range 100 {
		if err := version(); err == nil || err.Error() != want || !fault.Is(err, fault.Unreachable) {
			t.Fatalf("want %q, got %v", want, err)
		}
	}
	if got := calls.Load(); got != threshold {
		t.Errorf("want %d connections, got %d", threshold, got)
	}

	alive.Store(true)
	clock.SetTime(clock.Now().Add(firstBreak))
	if err := version(); err != nil {
		t.Errorf("the cluster is back: %v", err)
	}
}

// TestBounded makes sure that a call ends that the server keeps putting off.
func TestBounded(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer s.Close()
	p, _ := pool(Options{Timeout: 100 * time.Millisecond})
	c, err := p.ConnectTo(t.Context(), parse(t, write(s.URL, "", "x")), secret)
	if err != nil {
		t.Fatal(err)
	}
	within(t, 30*time.Second, "a call", func() {
		if err := c.Client.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "b"}, &corev1.Secret{}); err == nil {
			t.Error("want an error")
		}
	})
}

// TestDroppedClosesConnections makes sure that nothing is left of a client
// that was dropped.
func TestDroppedClosesConnections(t *testing.T) {
	closed := make(chan struct{})
	s := httptest.NewUnstartedServer(answer(http.StatusOK, `{"gitVersion":"v1"}`))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			close(closed)
		}
	}
	s.Start()
	defer s.Close()
	p, _ := pool(Options{MaxClusters: 1})
	c, err := p.ConnectTo(t.Context(), parse(t, write(s.URL, "", "x")), secret)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Version(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := p.ConnectTo(t.Context(), parse(t, write("https://other", "", "x")), secret); err != nil {
		t.Fatal(err)
	}
	select {
	case <-closed:
	case <-time.After(5 * time.Second):
		t.Error("the connection of the dropped client is still open")
	}
}
