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

package clusteraccess

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// plainConfig is a kubeconfig of a server.
const plainConfig = `kind: Config
contexts: [{name: a, context: {cluster: a, user: a}}]
clusters: [{name: a, cluster: {server: "%s"}}]
users: [{name: a, user: {token: t}}]
`

// TestDeadClusters connects 50 clusters of which 10 are black holes, each in
// its own way. All that live are connected while the dead ones are waited for,
// the dead ones are called dead, and nothing piles up.
func TestDeadClusters(t *testing.T) {
	const healthy, total = 40, 50 // beside the one that shows that everything runs
	wd := newWorld(t)
	wd.run()
	fronts := wd.fronts()
	wd.supply("source", wd.admin())
	wd.access("a")
	wd.until("everything runs", wd.has("a", xpv2.ReasonAvailable))
	before := runtime.NumGoroutine()
	most := watchGoroutines(t)

	names := map[string]xpv2.ConditionReason{}
	connect := func(name, server string, want xpv2.ConditionReason) {
		names[name] = want
		wd.supply(name, fmt.Appendf(nil, plainConfig, server))
		wd.access(name, func(ca *v1alpha1.ClusterAccess) { ca.Spec.ForProvider.KubeconfigSecretRef.Name = name })
	}
	taken := make(chan struct{}, 1<<10)
	for i := range 4 {
		connect(fmt.Sprintf("silent-%d", i), "https://"+silent(t, taken), v1alpha1.ReasonUnreachable)
	}
	for i := range 3 {
		connect(fmt.Sprintf("lost-%d", i), "https://"+lost(t), v1alpha1.ReasonUnreachable)
		connect(fmt.Sprintf("closed-%d", i), "https://"+closed(t), v1alpha1.ReasonUnreachable)
	}
	for range 4 {
		<-taken // The silent ones are being waited for by now.
	}
	for i := range healthy {
		connect(fmt.Sprintf("healthy-%d", i), fmt.Sprintf("%s/%d", fronts.URL, i), xpv2.ReasonAvailable)
	}
	if len(names) != total {
		t.Fatalf("want %d clusters, got %d", total, len(names))
	}
	for name, want := range names {
		wd.until(name+" is "+string(want), wd.has(name, want))
	}

	// An idle connection of each cluster has two ends, of two goroutines each,
	// and some have that twice: there is a proxy in between.
	if limit := before + 7*total; int(most.Load()) > limit {
		t.Errorf("%d goroutines at most, want no more than %d", most.Load(), limit)
	}

	for name := range names {
		wd.delete(&v1alpha1.ClusterAccess{}, name)
	}
	for name := range names {
		wd.until(name+" goes", wd.isGone(&v1alpha1.ClusterAccess{}, name))
	}
	fronts.Close()
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
		return runtime.NumGoroutine() <= before+20, nil
	})
	if err != nil {
		t.Errorf("%d goroutines are left, there were %d before", runtime.NumGoroutine(), before)
	}
	t.Logf("goroutines: %d before, %d at most, %d after", before, most.Load(), runtime.NumGoroutine())
}

// watchGoroutines keeps the largest number of goroutines until the test ends.
func watchGoroutines(t *testing.T) *atomic.Int64 {
	t.Helper()
	most := &atomic.Int64{}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		wait.UntilWithContext(ctx, func(context.Context) { most.Store(max(most.Load(), int64(runtime.NumGoroutine()))) }, 5*time.Millisecond)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return most
}

// fronts makes many clusters of the control plane: each path below it is one,
// with a UID of its own.
func (wd *world) fronts() *httptest.Server {
	wd.t.Helper()
	back, err := url.Parse(wd.cp.Config.Host)
	if err != nil {
		wd.t.Fatal(err)
	}
	rt, err := rest.TransportFor(wd.cp.Config)
	if err != nil {
		wd.t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Transport: rt, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(back)
		r.Out.Header.Del("Authorization")
	}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if path == "api/v1/namespaces/kube-system" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"kube-system","uid":"front-%s"}}`, id)
			return
		}
		r.URL.Path = "/" + path
		proxy.ServeHTTP(w, r)
	}))
	wd.t.Cleanup(s.Close)
	return s
}

// silent takes connections and never answers.
func silent(t *testing.T, taken chan<- struct{}) string {
	t.Helper()
	l := listen(t)
	go func() {
		var conns []net.Conn
		for {
			c, err := l.Accept()
			if err != nil {
				break
			}
			conns = append(conns, c)
			taken <- struct{}{}
		}
		for _, c := range conns {
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

// closed has nothing that listens.
func closed(t *testing.T) string {
	t.Helper()
	l := listen(t)
	_ = l.Close()
	return l.Addr().String()
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// lost swallows every packet, as a firewall does: its queue is full.
func lost(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	at, ok := name.(*syscall.SockaddrInet4)
	if !ok {
		t.Fatalf("want an IPv4 address, got %T", name)
	}
	addr := fmt.Sprintf("127.0.0.1:%d", at.Port)
	for range 8 {
		c, err := (&net.Dialer{Timeout: 200 * time.Millisecond}).DialContext(t.Context(), "tcp", addr)
		if err != nil {
			return addr
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	t.Fatal("the queue is not full yet")
	return ""
}
