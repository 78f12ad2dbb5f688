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
	// providerKubeconfig is the management cluster's for the network that the provider runs in.
	providerKubeconfig = "provider.kubeconfig"

	managementDir = "management"
	targetDir     = "target"
	gitDir        = "git"
	logsDir       = "logs"
	cloudDir      = "cloud"
)

func (s *Sandbox) startTarget(ctx context.Context) error {
	if s.opts.Cloud {
		return nil // clusters are made in it
	}
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

// connect joins the networks, and writes kubeconfigs for this machine.
func (s *Sandbox) connect(ctx context.Context) error {
	if err := s.joinNetworks(ctx); err != nil {
		return err
	}
	management, err := s.forThisMachine(ctx, s.Management.node, s.Management.kubeconfig)
	if err != nil {
		return err
	}
	files := map[string][]byte{ManagementKubeconfig: management, providerKubeconfig: s.Management.kubeconfig}
	if s.TargetKubeconfig != nil {
		if files[TargetKubeconfig], err = s.forThisMachine(ctx, s.node, s.TargetKubeconfig); err != nil {
			return err
		}
	}
	if s.node != nil && s.Management.node != nil {
		if s.TargetKubeconfig, err = withServer(s.TargetKubeconfig, "https://"+targetAddress); err != nil {
			return err
		}
	}
	for name, kubeconfig := range files {
		if err := os.WriteFile(s.Path(name), kubeconfig, 0o600); err != nil {
			return errors.Wrap(err, "cannot write a kubeconfig")
		}
	}
	return nil
}

// forThisMachine returns a kubeconfig for this machine; it is that already if there is no node.
func (s *Sandbox) forThisMachine(ctx context.Context, n *node.Node, kubeconfig []byte) ([]byte, error) {
	if n == nil {
		return kubeconfig, nil
	}
	return s.reach(ctx, n, kubeconfig)
}

// Path returns the path of a file of the sandbox.
func (s *Sandbox) Path(name ...string) string {
	return filepath.Join(append([]string{s.opts.Dir}, name...)...)
}
