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
	"strconv"
	"strings"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/hack/sandbox/node"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// Management is the control plane that HostClusters are applied to.
type Management struct {
	// Config acts as a user who may do everything.
	Config *rest.Config
	// Client of Config, uncached, with watches.
	Client client.WithWatch

	kubeconfig []byte           // with the server's address as in the network that the provider runs in
	plane      *kt.ControlPlane // one of these two
	node       *node.Node
}

func (s *Sandbox) startManagement(ctx context.Context) error {
	start := s.startControlPlane
	if s.opts.ManagementNode {
		start = s.startManagementNode
	}
	var err error
	if s.Management, err = start(ctx); err != nil {
		return errors.Wrap(err, "cannot start the management cluster")
	}
	s.opts.Log("management: control plane is ready")
	return nil
}

// startControlPlane starts processes of this machine, without a node, with this provider's CRDs.
func (s *Sandbox) startControlPlane(ctx context.Context) (*Management, error) {
	if err := os.Setenv(kt.EnvAssets, s.programs.kubernetes); err != nil {
		return nil, errors.Wrap(err, "cannot name the binaries of the control plane")
	}
	plane, err := kt.Start(ctx, kt.Options{Dir: filepath.Join(s.opts.Dir, managementDir)})
	if err != nil {
		return nil, err
	}
	kubeconfig, err := plane.AdminKubeconfig()
	if err != nil {
		plane.Stop()
		return nil, err
	}
	return &Management{Config: plane.Config, Client: plane.Client, kubeconfig: kubeconfig, plane: plane}, nil
}

// startManagementNode starts a cluster that can run pods, and nothing of this project in it.
func (s *Sandbox) startManagementNode(ctx context.Context) (*Management, error) {
	n, err := node.Start(ctx, node.Options{
		Dir: filepath.Join(s.opts.Dir, managementDir), Binaries: s.programs.kubernetes,
		System: s.programs.system, Images: append(s.programs.own, s.opts.ManagementImages...),
		Log: func(line string) { s.opts.Log("management: " + line) },
	})
	if err != nil {
		return nil, err
	}
	m := &Management{node: n}
	if err := m.connect(); err != nil {
		n.Stop()
		return nil, err
	}
	return m, nil
}

// connect makes clients of the management node.
func (m *Management) connect() error {
	var err error
	if m.kubeconfig, err = m.node.Kubeconfig(); err != nil {
		return err
	}
	if m.Config, err = m.node.Config(); err != nil {
		return err
	}
	m.Client, err = client.NewWithWatch(m.Config, client.Options{Scheme: kt.Scheme()})
	return errors.Wrap(err, "cannot make a client")
}

// KillContainer ends the first process of a pod's container at once, and so all others in it, as the kernel does where
// memory runs out.
func (m *Management) KillContainer(ctx context.Context, pod client.ObjectKey, container string) error {
	p := &corev1.Pod{}
	if err := m.Client.Get(ctx, pod, p); err != nil {
		return errors.Wrap(err, "cannot get a pod")
	}
	for _, c := range p.Status.ContainerStatuses {
		if c.Name != container || c.State.Running == nil {
			continue
		}
		_, id, _ := strings.Cut(c.ContainerID, "://")
		pid, err := firstProcess(id)
		if err != nil {
			return err
		}
		return errors.Wrap(syscall.Kill(pid, syscall.SIGKILL), "cannot kill a container's process")
	}
	return errors.Errorf("container %s of pod %s does not run", container, pod.Name)
}

// firstProcess returns the id, on this machine, of a container's first process.
func firstProcess(container string) (int, error) {
	groups, err := filepath.Glob("/proc/[0-9]*/cgroup")
	if err != nil {
		return 0, errors.Wrap(err, "cannot list processes")
	}
	for _, group := range groups {
		content, err := os.ReadFile(group) //nolint:gosec // the kernel's
		if err != nil || !strings.Contains(string(content), container) {
			continue // it has ended, or is another's
		}
		status, err := os.ReadFile(filepath.Join(filepath.Dir(group), "status"))
		if err != nil {
			continue
		}
		// Its ids, from this machine's to the innermost container's.
		_, ids, _ := strings.Cut(string(status), "\nNSpid:")
		ids, _, _ = strings.Cut(ids, "\n")
		if all := strings.Fields(ids); len(all) > 1 && all[len(all)-1] == "1" {
			return strconv.Atoi(all[0])
		}
	}
	return 0, errors.Errorf("no process is the first one of container %s", container)
}

func (m *Management) stop() {
	if m.plane != nil {
		m.plane.Stop()
	}
	if m.node != nil {
		m.node.Stop()
	}
}
