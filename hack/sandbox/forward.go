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
	"context"
	"io"
	"net"
	"sync"
)

// dial connects to an address of some network.
type dial func(ctx context.Context, network, address string) (net.Conn, error)

// dialer connects in this machine's network.
func dialer(ctx context.Context, network, address string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// forward passes connections on from a listener to an address, perhaps in another network.
type forward struct {
	listener net.Listener
	cancel   context.CancelFunc
	conns    sync.WaitGroup
}

func (s *Sandbox) forward(ctx context.Context, l net.Listener, to dial, address string) {
	s.forwards = append(s.forwards, newForward(ctx, l, to, address))
}

// newForward forwards until it is stopped; the context is for its values only.
func newForward(ctx context.Context, l net.Listener, to dial, address string) *forward {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &forward{listener: l, cancel: cancel}
	f.conns.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return // it was stopped
			}
			f.conns.Go(func() { pass(ctx, in, to, address) })
		}
	})
	return f
}

// stop ends all connections.
func (f *forward) stop() {
	f.cancel()
	_ = f.listener.Close()
	f.conns.Wait()
}

// pass copies both ways until one side is done or the context is. A side that cannot be reached reads as closed.
func pass(ctx context.Context, in net.Conn, to dial, address string) {
	defer in.Close()
	out, err := to(ctx, "tcp", address)
	if err != nil {
		return
	}
	defer out.Close()
	stop := context.AfterFunc(ctx, func() {
		_ = in.Close()
		_ = out.Close()
	})
	defer stop()
	var copies sync.WaitGroup
	copies.Go(func() { copyHalf(out, in) })
	copyHalf(in, out)
	copies.Wait()
}

// copyHalf copies one way, then tells the receiver that nothing more comes.
func copyHalf(to, from net.Conn) {
	_, _ = io.Copy(to, from) // either end may break off
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}
