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

	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/hack/sandbox/node"
)

// Options of a sandbox.
type Options struct {
	// Dir keeps everything that the sandbox writes, but for what is cached. Only one sandbox at a time can have it.
	Dir string
	// Log takes a line of progress.
	Log func(line string)
	// TargetKubeconfig is the file of a kubeconfig that leads to a target cluster of the user's own. Without it the
	// sandbox makes one.
	TargetKubeconfig string
	// ManagementNode makes the management cluster a node that runs pods, too. It has none of this project's CRDs.
	ManagementNode bool
	// ManagementImages are tarballs of images for it, besides this project's own.
	ManagementImages []string
	// Cloud starts a stand-in for a cloud account, where clusters can be provisioned. There is no target then.
	Cloud bool
	// GitAddress is where the pods of the user's own target reach the Git server: an address of this machine, and a
	// port.
	GitAddress string
}

// Sandbox is what Start has started.
type Sandbox struct {
	// Management is the control plane that HostClusters are applied to, with this provider's CRDs.
	Management *Management
	// Target is the administrator's access to the cluster that they are about.
	Target *rest.Config
	// TargetKubeconfig is what a HostCluster needs to reach it.
	TargetKubeconfig []byte
	// Git is the repository that it is to be managed from.
	Git *Git
	// Cloud is where clusters can be provisioned, if it was asked for.
	Cloud *Cloud
	// Crossplane is there once InstallCrossplane was called.
	Crossplane *Crossplane

	opts     Options
	lock     *os.File
	programs programs
	node     *node.Node // nil if the target is the user's own
	forwards []*forward
}

// Main turns a program that this package has run into what it is to be, and does nothing in any other.
func Main() { node.Main() }

// Start starts a sandbox. What it has to build first may take long; it says so.
func Start(ctx context.Context, opts Options) (*Sandbox, error) {
	log.SetLogger(logr.Discard()) // what controller-runtime's clients have to say is for the provider's log
	s := &Sandbox{opts: opts}
	if err := s.start(ctx); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// Prepare does all that Start does before anything starts, and may take long.
func Prepare(ctx context.Context, opts Options) error {
	if err := requireMachine(ctx, opts); err != nil {
		return err
	}
	_, err := build(ctx, opts)
	return err
}

func (s *Sandbox) start(ctx context.Context) error {
	if err := requireMachine(ctx, s.opts); err != nil {
		return err
	}
	if err := s.claim(); err != nil {
		return err
	}
	var err error
	if s.programs, err = build(ctx, s.opts); err != nil {
		return err
	}
	parts, partsCtx := errgroup.WithContext(ctx)
	parts.Go(func() error { return s.startManagement(partsCtx) })
	parts.Go(func() error { return s.startTarget(partsCtx) })
	parts.Go(func() error { return s.startGit(partsCtx) })
	if err := parts.Wait(); err != nil {
		return err
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	return s.startCloud(ctx)
}

// claim makes the directory this sandbox's own, and empties what the last one left there.
func (s *Sandbox) claim() error {
	if err := os.MkdirAll(s.opts.Dir, 0o750); err != nil {
		return errors.Wrap(err, "cannot make the sandbox's directory")
	}
	var err error
	if s.lock, err = lock(filepath.Join(s.opts.Dir, "lock")); err != nil {
		return errors.Wrapf(err, "cannot use %s, perhaps another sandbox does", s.opts.Dir)
	}
	for _, name := range []string{managementDir, gitDir, cloudDir, logsDir} {
		if err := os.RemoveAll(filepath.Join(s.opts.Dir, name)); err != nil {
			return errors.Wrap(err, "cannot remove what the last sandbox left")
		}
	}
	return errors.Wrap(os.MkdirAll(filepath.Join(s.opts.Dir, logsDir), 0o750), "cannot make the directory of logs")
}

// Node is the node of the target; nil if the target is the user's own.
func (s *Sandbox) Node() *node.Node { return s.node }

// Program returns the path of a Kubernetes program, such as kubectl.
func (s *Sandbox) Program(name string) string { return filepath.Join(s.programs.kubernetes, name) }

// Stop stops everything that runs. The files stay for a look at them.
func (s *Sandbox) Stop() {
	for _, f := range s.forwards {
		f.stop()
	}
	s.forwards = nil
	if s.Git != nil {
		s.Git.stop()
	}
	if s.node != nil {
		s.node.Stop()
	}
	if s.Crossplane != nil {
		s.Crossplane.stop()
	}
	if s.Cloud != nil {
		s.Cloud.stop()
	}
	if s.Management != nil {
		s.Management.stop()
	}
	if s.lock != nil {
		_ = s.lock.Close() // which unlocks it
	}
}
