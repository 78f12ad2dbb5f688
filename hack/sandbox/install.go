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
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// rolloutTimeout bounds how long the provider's pod may take to become ready.
const rolloutTimeout = 2 * time.Minute

// controllerDeployment is what cluster/install calls the provider.
const controllerDeployment = "Deployment/host-cluster-controller"

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
	if err := s.InstallCRDs(ctx); err != nil {
		return err
	}
	overlay, err := s.overlay(args)
	if err != nil {
		return err
	}
	if _, err := s.Kubectl(ctx, "apply", "-k", overlay); err != nil {
		return err
	}
	_, err = s.Kubectl(ctx, "rollout", "status", controllerDeployment, "--namespace="+v1alpha1.PlatformNamespace, "--timeout="+rolloutTimeout.String())
	return err
}

// overlay writes a kustomization of cluster/install whose provider has more arguments, and the way to the cloud if
// there is one: one that got them later would be there twice, and the one without them might lead.
func (s *Sandbox) overlay(args []string) (dir string, err error) {
	root, err := kt.ModuleRoot()
	if err != nil {
		return "", err
	}
	dir = s.Path("install")
	base, err := filepath.Rel(dir, filepath.Join(root, "cluster", "install"))
	if err != nil {
		return "", errors.Wrap(err, "cannot find cluster/install")
	}
	const container = "/spec/template/spec/containers/0"
	patch := []map[string]any{}
	for _, arg := range args {
		patch = append(patch, map[string]any{"op": "add", "path": container + "/args/-", "value": arg})
	}
	if s.Cloud != nil {
		for _, variable := range s.endpoints() {
			name, value, _ := strings.Cut(variable, "=")
			patch = append(patch, map[string]any{"op": "add", "path": container + "/env/-", "value": map[string]string{"name": name, "value": value}})
		}
	}
	operations, err := json.Marshal(patch)
	if err != nil {
		return "", errors.Wrap(err, "cannot write a patch")
	}
	kind, name, _ := strings.Cut(controllerDeployment, "/")
	content, err := yaml.Marshal(map[string]any{
		"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": []string{base},
		"patches": []any{map[string]any{"target": map[string]string{"kind": kind, "name": name}, "patch": string(operations)}},
	})
	if err != nil {
		return "", errors.Wrap(err, "cannot write a kustomization")
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", errors.Wrap(err, "cannot make a directory")
	}
	return dir, errors.Wrap(os.WriteFile(filepath.Join(dir, "kustomization.yaml"), content, 0o600), "cannot write a kustomization")
}
