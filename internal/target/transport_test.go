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
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"
)

// TestDeadConnection cuts a connection the way a firewall does, without a
// word. Calls over it must not fail for longer than the ping takes.
func TestDeadConnection(t *testing.T) {
	s := httptest.NewUnstartedServer(answer(http.StatusOK, "{}"))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()

	var cut atomic.Bool
	front := listener(t, func(c net.Conn) {
		back, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Listener.Addr().String())
		if err != nil {
			return
		}
		dead := cut.Load
		if dead() {
			// A connection made after the cut works.
			dead = func() bool { return false }
		}
		go pipe(back, c, dead)
		go pipe(c, back, dead)
	})

	cfg := &rest.Config{TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
	rt, err := newTransport(cfg, Options{Clock: clocktesting.NewFakePassiveClock(start), Timeout: 10 * time.Second}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	rt.HTTP2.SendPingTimeout, rt.HTTP2.PingTimeout = 50*time.Millisecond, 50*time.Millisecond
	defer rt.CloseIdleConnections()

	get := func() (int, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+front, nil)
		if err != nil {
			return 0, err
		}
		res, err := rt.RoundTrip(req)
		if err != nil {
			return 0, err
		}
		return res.ProtoMajor, res.Body.Close()
	}
	if proto, err := get(); err != nil || proto != 2 {
		t.Fatalf("want an answer over HTTP/2, got HTTP/%d, %v", proto, err)
	}
	cut.Store(true)
	within(t, 30*time.Second, "to notice the dead connection", func() {
		if _, err := get(); err == nil {
			t.Error("want an error over the dead connection")
		}
	})
	if _, err := get(); err != nil {
		t.Errorf("want a new connection, got %v", err)
	}
}

// pipe copies until the connection is dead; then it swallows everything.
func pipe(dst io.Writer, src io.Reader, dead func() bool) {
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		if err != nil {
			return
		}
		if dead() {
			continue
		}
		if _, err := dst.Write(buf[:n]); err != nil {
			return
		}
	}
}
