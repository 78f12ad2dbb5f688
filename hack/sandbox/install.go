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
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// rolloutTimeout bounds how long the provider's pod may take to become ready.
const rolloutTimeout = 2 * time.Minute

// controllerDeployment is what cluster/install calls the provider.
const controllerDeployment = "deployment/host-cluster-controller"

// Kubectl runs kubectl against the management cluster and returns what it prints.
func (s *Sandbox) Kubectl(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.Program("kubectl"), args...) //nolint:gosec // the caller's own commands
	cmd.Env = append(os.Environ(), "KUBECONFIG="+s.Path(ManagementKubeconfig))
	out, err := cmd.CombinedOutput()
	return string(out), errors.Wrapf(err, "cannot run kubectl %s: %s", strings.Join(args, " "), strings.TrimSpace(string(out)))
}

// KubectlApply applies a manifest to the management cluster.
func (s *Sandbox) KubectlApply(ctx context.Context, manifest []byte) error {
	cmd := exec.CommandContext(ctx, s.Program("kubectl"), "apply", "--server-side", "--filename=-") //nolint:gosec // our own program
	cmd.Env = append(os.Environ(), "KUBECONFIG="+s.Path(ManagementKubeconfig))
	cmd.Stdin = bytes.NewReader(manifest)
	out, err := cmd.CombinedOutput()
	return errors.Wrapf(err, "cannot apply a manifest: %s", strings.TrimSpace(string(out)))
}

// InstallCRDs installs this provider's CRDs on the management cluster.
func (s *Sandbox) InstallCRDs(ctx context.Context) error {
	root, err := kt.ModuleRoot()
	if err != nil {
		return err
	}
	if _, err := s.Kubectl(ctx, "apply", "--server-side", "-f", filepath.Join(root, "package", "crds")); err != nil {
		return err
	}
	_, err = s.Kubectl(ctx, "wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
	return err
}

// InstallProvider installs the provider on the management node as docs/install.md says, without Crossplane, and
// waits for its pod. The arguments are added to those that cluster/install has.
func (s *Sandbox) InstallProvider(ctx context.Context, args ...string) error {
	root, err := kt.ModuleRoot()
	if err != nil {
		return err
	}
	if err := s.InstallCRDs(ctx); err != nil {
		return err
	}
	if _, err := s.Kubectl(ctx, "apply", "-k", filepath.Join(root, "cluster", "install")); err != nil {
		return err
	}
	namespace := "--namespace=" + v1alpha1.PlatformNamespace
	var patches []string
	for _, arg := range args {
		patches = append(patches, fmt.Sprintf(`{"op": "add", "path": "/spec/template/spec/containers/0/args/-", "value": %q}`, arg))
	}
	patch := "[" + strings.Join(patches, ",") + "]"
	if _, err := s.Kubectl(ctx, "patch", controllerDeployment, namespace, "--type=json", "--patch="+patch); err != nil {
		return err
	}
	if s.Cloud != nil {
		if _, err := s.Kubectl(ctx, append([]string{"set", "env", controllerDeployment, namespace}, s.endpoints()...)...); err != nil {
			return err
		}
	}
	_, err = s.Kubectl(ctx, "rollout", "status", controllerDeployment, namespace, "--timeout="+rolloutTimeout.String())
	return err
}
