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
	"fmt"
	"net"
	"net/url"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/hack/sandbox/node"
)

// Where things are in the network of a node. Every node has the same address
// in a network of its own, so each network is joined with this machine's by
// forwards from such addresses.
const (
	apiPort = "6443"

	gitAddress     = node.IP + ":8443"
	modulesAddress = node.IP + ":8090"
	cloudAddress   = node.IP + ":9000"
	// targetAddress is the target's API server for the management node.
	targetAddress = node.IP + ":16443"
	// detourAddress is the target's API server, by a way that can be cut off.
	detourAddress = node.IP + ":26443"
	// registryAddress is plain HTTP for containerd and Crossplane alike, since it is on loopback.
	registryAddress = "127.0.0.1:5000"
)

// home is the node in whose network the provider runs; nil if that is this machine's.
func (s *Sandbox) home() *node.Node {
	if s.Management.node != nil {
		return s.Management.node
	}
	return s.node
}

// joinNetworks lets the provider and the target's pods reach what they need.
func (s *Sandbox) joinNetworks(ctx context.Context) error {
	for _, n := range []*node.Node{s.Management.node, s.node} {
		if n == nil {
			continue
		}
		if err := s.expose(ctx, n, gitAddress, s.Git.listen); err != nil {
			return err
		}
	}
	if n := s.Management.node; n != nil && s.node != nil {
		if err := s.exposeAPI(ctx, n, targetAddress, s.node); err != nil {
			return err
		}
	}
	if s.Management.plane == nil || s.node == nil {
		return nil
	}
	api, err := url.Parse(s.Management.Config.Host)
	if err != nil {
		return errors.Wrap(err, "cannot parse the management API's address")
	}
	return s.expose(ctx, s.node, api.Host, api.Host)
}

// expose lets the network of a node reach an address of this machine.
func (s *Sandbox) expose(ctx context.Context, n *node.Node, inside, outside string) error {
	l, err := n.Listen(ctx, "tcp", inside)
	if err != nil {
		return errors.Wrapf(err, "cannot listen on %s in a node's network", inside)
	}
	s.forward(ctx, l, dialer, outside)
	return nil
}

// exposeAPI lets the network of a node reach the API server of another.
func (s *Sandbox) exposeAPI(ctx context.Context, n *node.Node, inside string, of *node.Node) error {
	l, err := n.Listen(ctx, "tcp", inside)
	if err != nil {
		return errors.Wrapf(err, "cannot listen on %s in a node's network", inside)
	}
	s.forward(ctx, l, of.DialContext, node.IP+":"+apiPort)
	return nil
}

// reach returns a node's kubeconfig for this machine.
func (s *Sandbox) reach(ctx context.Context, n *node.Node, kubeconfig []byte) ([]byte, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Wrap(err, "cannot listen for connections to a node's API")
	}
	s.forward(ctx, l, n.DialContext, node.IP+":"+apiPort)
	return withServer(kubeconfig, fmt.Sprintf("https://%s", l.Addr()))
}

// Detour returns a kubeconfig that leads the provider to the target by a way of its own, and what cuts this way off, so
// that connections are refused while pods and everybody else reach the target.
func (s *Sandbox) Detour(ctx context.Context) (kubeconfig []byte, cut func(), err error) {
	l, err := s.home().Listen(ctx, "tcp", detourAddress)
	if err != nil {
		return nil, nil, errors.Wrapf(err, "cannot listen on %s in a node's network", detourAddress)
	}
	f := newForward(ctx, l, s.node.DialContext, node.IP+":"+apiPort)
	s.forwards = append(s.forwards, f)
	kubeconfig, err = withServer(s.TargetKubeconfig, "https://"+detourAddress)
	return kubeconfig, f.stop, err
}

// withServer returns a kubeconfig with another address of its server.
func withServer(kubeconfig []byte, server string) ([]byte, error) {
	cfg, err := clientcmd.Load(kubeconfig)
	if err != nil {
		return nil, errors.Wrap(err, "cannot read a kubeconfig")
	}
	for _, c := range cfg.Clusters {
		c.Server = server
	}
	out, err := clientcmd.Write(*cfg)
	return out, errors.Wrap(err, "cannot write a kubeconfig")
}
