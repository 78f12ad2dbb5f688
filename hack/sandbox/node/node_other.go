//go:build !linux

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
	"os/exec"

	"k8s.io/client-go/rest"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Node is never there on this system.
type Node struct{}

func errLinux() error { return errors.New("a node needs Linux") }

// Main does nothing on this system.
func Main() {}

// Start fails on this system.
func Start(context.Context, Options) (*Node, error) { return nil, errLinux() }

// Stop does nothing on this system.
func (*Node) Stop() {}

// Gone is never closed on this system.
func (*Node) Gone() <-chan struct{} { return nil }

// Kubeconfig fails on this system.
func (*Node) Kubeconfig() ([]byte, error) { return nil, errLinux() }

// Config fails on this system.
func (*Node) Config() (*rest.Config, error) { return nil, errLinux() }

// Enter returns a command that fails on this system.
func (*Node) Enter(ctx context.Context, name string, args ...string) *exec.Cmd {
	return &exec.Cmd{Err: errLinux()}
}

// DialContext fails on this system.
func (*Node) DialContext(context.Context, string, string) (net.Conn, error) { return nil, errLinux() }

// Listen fails on this system.
func (*Node) Listen(context.Context, string, string) (net.Listener, error) { return nil, errLinux() }

// StartProcess fails on this system.
func (*Node) StartProcess(*exec.Cmd) error { return errLinux() }
