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

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/cluster/images"
	"github.com/kubeopera/provider-kubeopera/hack/image"
	"github.com/kubeopera/provider-kubeopera/internal/version"
)

// programs of this module that go into images.
var programs = []string{
	"./cmd/provider", "./cmd/function", "./cmd/kubeopera-api", "./cmd/terraform-runner", "./cmd/eks-token-helper", "./cmd/gke-token-helper",
}

// artifact is an image, or a package with the image that runs it, if it runs any.
type artifact struct {
	name  string
	image func(images.Programs) image.Image
	// root of the package, with its examples and what of it is not the package's.
	root     string
	examples string
	ignore   string
}

// artifacts are what is built.
var artifacts = []artifact{
	{name: "provider-kubeopera", image: inPackage(images.Provider), root: "package", examples: "examples"},
	{name: "function-kubeopera", image: images.Function, root: "cluster/function"},
	{name: "configuration-kubeopera", root: "cluster/configuration"},
	{name: "terraform-runner", image: images.Runner},
	{name: "kubeopera-api", image: images.API},
}

// inPackage has the provider watch all namespaces, and use ClusterProviderConfigs:
// Crossplane gives it the rights to, and runs it in a namespace where nobody's
// objects are.
func inPackage(provider func(images.Programs) image.Image) func(images.Programs) image.Image {
	return func(bin images.Programs) image.Image {
		i := provider(bin)
		i.Environment = append(i.Environment, "ALL_NAMESPACES=true", "CLUSTER_PROVIDER_CONFIGS=true")
		return i
	}
}

// builder builds the artifacts of one architecture after the other.
type builder struct {
	out   string
	crank string
}

// all builds the artifacts for all architectures.
func (b builder) all(ctx context.Context, architectures []string) error {
	crank, err := tool(ctx, "crank")
	if err != nil {
		return err
	}
	b.crank = crank
	if err := os.MkdirAll(b.out, 0o750); err != nil {
		return errors.Wrap(err, "cannot make the directory of packages")
	}
	for _, a := range artifacts {
		if a.image != nil {
			continue
		}
		if err := b.artifact(ctx, a, nil, ""); err != nil {
			return errors.Wrapf(err, "cannot build %s", a.name)
		}
	}
	for _, a := range architectures {
		if err := b.build(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

func (b builder) build(ctx context.Context, architecture string) error {
	bin, err := b.programs(ctx, architecture)
	if err != nil {
		return err
	}
	for _, a := range artifacts {
		if a.image == nil {
			continue
		}
		if err := b.artifact(ctx, a, bin, architecture); err != nil {
			return errors.Wrapf(err, "cannot build %s for %s", a.name, architecture)
		}
	}
	return nil
}

// artifact builds an image, and the package around it. One without an image is
// the same for all architectures: a registry would find neither of two.
func (b builder) artifact(ctx context.Context, a artifact, bin images.Programs, architecture string) error {
	archive := ""
	if a.image != nil {
		i := a.image(bin)
		i.Architecture = architecture
		archive = b.file(a, architecture, "tar")
		if err := i.WriteTo(archive); err != nil {
			return err
		}
	}
	if a.root == "" {
		fmt.Fprintln(os.Stdout, archive)
		return nil
	}
	file := b.file(a, architecture, "xpkg")
	args := []string{"xpkg", "build", "--package-root=" + a.root, "--package-file=" + file}
	if archive != "" {
		args = append(args, "--embed-runtime-image-tarball="+archive)
	}
	if a.examples != "" {
		args = append(args, "--examples-root="+a.examples)
	}
	if a.ignore != "" {
		args = append(args, "--ignore="+a.ignore)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(b.crank, "crank"), args...) //nolint:gosec // our own tool
	out, err := cmd.CombinedOutput()
	if err != nil {
		return errors.Wrapf(err, "crank says %s", strings.TrimSpace(string(out)))
	}
	fmt.Fprintln(os.Stdout, file)
	return nil
}

func (b builder) file(a artifact, architecture, extension string) string {
	name := a.name + "-" + version.String()
	if architecture != "" {
		name += "-" + architecture
	}
	return filepath.Join(b.out, name+"."+extension)
}

// programs builds what goes into the images and tells where it is.
func (b builder) programs(ctx context.Context, architecture string) (images.Programs, error) {
	dir := filepath.Join(b.out, "bin", architecture)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, errors.Wrap(err, "cannot make the directory of programs")
	}

	cmd := exec.CommandContext(ctx, "go", append([]string{"build", "-o", dir + "/"}, programs...)...) //nolint:gosec // our own packages
	cmd.Env, cmd.Stderr = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+architecture), os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, errors.Wrap(err, "cannot build this module's programs")
	}

	dirOfTofu, err := tool(ctx, "opentofu", "GOARCH="+architecture)
	if err != nil {
		return nil, err
	}
	tofu := filepath.Join(dirOfTofu, "tofu")
	return func(name string) string {
		if name == "tofu" {
			return tofu
		}
		return filepath.Join(dir, name)
	}, nil
}

// tool builds a pinned tool and returns the directory of its programs.
func tool(ctx context.Context, name string, env ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "hack/tools/build", name) //nolint:gosec // our own script
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), os.Stderr
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), errors.Wrapf(err, "cannot build %s", name)
}
