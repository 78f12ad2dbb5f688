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
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/hack/sandbox/node"
)

// Files and directories below Options.Dir.
const (
	ManagementKubeconfig = "management.kubeconfig"
	TargetKubeconfig     = "target.kubeconfig"

	managementDir = "management"
	targetDir     = "target"
	gitDir        = "git"
	logsDir       = "logs"
)

func (s *Sandbox) startTarget(ctx context.Context) error {
	var err error
	if s.opts.TargetKubeconfig != "" {
		if s.TargetKubeconfig, err = os.ReadFile(s.opts.TargetKubeconfig); err != nil {
			return errors.Wrap(err, "cannot read the target's kubeconfig")
		}
		s.Target, err = clientcmd.RESTConfigFromKubeConfig(s.TargetKubeconfig)
		return errors.Wrap(err, "cannot use the target's kubeconfig")
	}
	s.node, err = node.Start(ctx, node.Options{
		Dir: filepath.Join(s.opts.Dir, targetDir), Binaries: s.programs.kubernetes,
		System: s.programs.system, Images: s.programs.images,
		Log: func(line string) { s.opts.Log("target: " + line) },
	})
	if err != nil {
		return errors.Wrap(err, "cannot start the target cluster")
	}
	if s.TargetKubeconfig, err = s.node.Kubeconfig(); err != nil {
		return err
	}
	s.Target, err = s.node.Config()
	return err
}

// connect joins the target's network with the machine's, and writes kubeconfigs for both API servers.
func (s *Sandbox) connect(ctx context.Context) error {
	management, err := s.Management.AdminKubeconfig()
	if err != nil {
		return err
	}
	target := s.TargetKubeconfig
	if s.node != nil {
		if target, err = s.joinNetworks(ctx); err != nil {
			return err
		}
	}
	for name, kubeconfig := range map[string][]byte{ManagementKubeconfig: management, TargetKubeconfig: target} {
		if err := os.WriteFile(s.Path(name), kubeconfig, 0o600); err != nil {
			return errors.Wrap(err, "cannot write a kubeconfig")
		}
	}
	return nil
}

// joinNetworks lets the target's network reach the management API and the Git server, and this machine the target's
// API. It returns the target's kubeconfig for this machine.
func (s *Sandbox) joinNetworks(ctx context.Context) ([]byte, error) {
	api, err := url.Parse(s.Management.Config.Host)
	if err != nil {
		return nil, errors.Wrap(err, "cannot parse the management API's address")
	}
	for inside, outside := range map[string]string{api.Host: api.Host, gitAddress: s.Git.listen} {
		l, err := s.node.Listen(ctx, "tcp", inside)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot listen on %s in the target's network", inside)
		}
		s.forward(ctx, l, (&net.Dialer{}).DialContext, outside)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Wrap(err, "cannot listen for connections to the target's API")
	}
	s.forward(ctx, l, s.node.DialContext, node.IP+":6443")
	return withServer(s.TargetKubeconfig, fmt.Sprintf("https://%s", l.Addr()))
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

// Path returns the path of a file of the sandbox.
func (s *Sandbox) Path(name ...string) string {
	return filepath.Join(append([]string{s.opts.Dir}, name...)...)
}
