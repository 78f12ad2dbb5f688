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

package gittest

import (
	"context"
	"encoding/binary"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// Host is a name that no DNS knows: only who asks a Proxy gets there.
const Host = "git.behind-the-proxy.invalid"

// A Proxy leads to this machine, whatever host it is asked for.
type Proxy struct {
	// HTTP and SOCKS are its addresses, as in HTTPS_PROXY and ALL_PROXY.
	HTTP, SOCKS string

	mu   sync.Mutex
	seen []string
	open atomic.Int64
}

// ServeProxy starts a proxy for HTTP, with CONNECT, and one for SOCKS5.
func ServeProxy(tb testing.TB) *Proxy {
	tb.Helper()

	p := &Proxy{}
	h := httptest.NewServer(http.HandlerFunc(p.http))
	tb.Cleanup(h.Close)

	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}

	tb.Cleanup(func() { _ = l.Close() })

	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}

			go p.socks(c)
		}
	}()

	p.HTTP, p.SOCKS = h.URL, "socks5://"+l.Addr().String()

	return p
}

// Seen are the addresses that it was asked for, each once.
func (p *Proxy) Seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()

	return slices.Compact(slices.Sorted(slices.Values(p.seen)))
}

// Open tells how many connections go through it, plain HTTP's aside.
func (p *Proxy) Open() int64 { return p.open.Load() }

// dial this machine in place of an address.
func (p *Proxy) dial(ctx context.Context, address string) (net.Conn, error) {
	p.mu.Lock()
	p.seen = append(p.seen, address)
	p.mu.Unlock()

	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}

	return (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", port))
}

func (p *Proxy) http(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		to, err := p.dial(r.Context(), r.Host)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)

			return
		}

		from, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			_ = to.Close()

			return
		}

		_, _ = io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")

		p.join(from, to)

		return
	}

	t := &http.Transport{DialContext: func(ctx context.Context, _, address string) (net.Conn, error) { return p.dial(ctx, address) }}
	defer t.CloseIdleConnections()

	res, err := t.RoundTrip(r.Clone(r.Context()))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)

		return
	}
	defer res.Body.Close()

	maps.Copy(w.Header(), res.Header)
	w.WriteHeader(res.StatusCode)
	_, _ = io.Copy(w, res.Body)
}

// socks speaks as much of RFC 1928 as a client needs that sends names and no password.
func (p *Proxy) socks(c net.Conn) {
	read := func(n int) []byte {
		b := make([]byte, n)
		if _, err := io.ReadFull(c, b); err != nil {
			return make([]byte, n)
		}

		return b
	}

	read(int(read(2)[1])) // The methods that it offers.
	_, _ = c.Write([]byte{5, 0})

	name := string(read(int(read(5)[4])))
	port := strconv.Itoa(int(binary.BigEndian.Uint16(read(2))))

	to, err := p.dial(context.Background(), net.JoinHostPort(name, port))
	if err != nil {
		_ = c.Close()

		return
	}

	_, _ = c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})

	p.join(c, to)
}

// join two connections until both have ended.
func (p *Proxy) join(a, b net.Conn) {
	p.open.Add(1)
	defer p.open.Add(-1)

	done := make(chan struct{})

	go func() {
		defer close(done)

		_, _ = io.Copy(a, b)
		_ = a.Close()
	}()

	_, _ = io.Copy(b, a)
	_ = b.Close()
	<-done
}
