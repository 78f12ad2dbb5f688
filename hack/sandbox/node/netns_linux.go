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

package node

import (
	"context"
	"net"
	"os"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// in runs f with the node's network. A socket or process that f makes keeps that network when f has returned.
func (n *Node) in(f func() error) error {
	// Namespaces belong to threads, so nothing else may run on this one meanwhile.
	runtime.LockOSThread()
	outside, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		runtime.UnlockOSThread()
		return errors.Wrap(err, "cannot open the network namespace of this thread")
	}
	defer outside.Close()
	if err := unix.Setns(int(n.netns.Fd()), unix.CLONE_NEWNET); err != nil {
		runtime.UnlockOSThread()
		return errors.Wrap(err, "cannot enter the node's network namespace")
	}
	err = f()
	if back := unix.Setns(int(outside.Fd()), unix.CLONE_NEWNET); back != nil {
		// The thread stays locked, so it ends with its goroutine instead of serving another in the wrong network.
		return errors.Wrap(back, "cannot leave the node's network namespace")
	}
	runtime.UnlockOSThread()
	return err
}

// DialContext connects to an address as seen from the node.
func (n *Node) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	var conn net.Conn
	err := n.in(func() (err error) {
		conn, err = (&net.Dialer{}).DialContext(ctx, network, address)
		return err
	})
	return conn, err
}

// Listen listens on an address of the node.
func (n *Node) Listen(ctx context.Context, network, address string) (net.Listener, error) {
	var l net.Listener
	err := n.in(func() (err error) {
		l, err = (&net.ListenConfig{}).Listen(ctx, network, address)
		return err
	})
	return l, err
}

// StartProcess starts a command of this machine with the node's network. Stop does not end it.
func (n *Node) StartProcess(cmd *exec.Cmd) error { return n.in(cmd.Start) }
