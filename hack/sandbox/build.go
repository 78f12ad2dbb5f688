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
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/cluster/images"
	"github.com/kubeopera/provider-kubeopera/hack/image"
	"github.com/kubeopera/provider-kubeopera/hack/sandbox/node"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// programs are all that a sandbox runs.
type programs struct {
	kubernetes string   // directory of etcd and the Kubernetes programs
	provider   string   // file
	path       string   // directories of what a run on this machine needs, for PATH
	system     []string // image tarballs of the node itself
	images     []string // image tarballs of what a target's pods run
	own        []string // image tarballs of what a management node's pods run
}

// builder builds programs and images.
type builder struct {
	root  string // directory of this module
	bin   string // directory for this module's programs
	cache string // directory of image tarballs
	log   func(string)
}

func newBuilder(opts Options) (builder, error) {
	root, err := kt.ModuleRoot()
	if err != nil {
		return builder{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return builder{}, errors.Wrap(err, "cannot find the user's cache directory")
	}
	return builder{root: root, bin: filepath.Join(root, ".sandbox", "bin"), cache: filepath.Join(cache, "kubeopera", "images"), log: opts.Log}, nil
}

// build builds everything that is not built yet.
func build(ctx context.Context, opts Options) (programs, error) {
	b, err := newBuilder(opts)
	if err != nil {
		return programs{}, err
	}
	var p programs
	if p.kubernetes, err = b.tool(ctx, "kubernetes"); err != nil {
		return programs{}, err
	}
	if err := b.own(ctx, "./cmd/provider", "./cmd/eks-token-helper", "./cmd/gke-token-helper", "./hack/sandbox/pause", "github.com/bitnami-labs/sealed-secrets/cmd/controller"); err != nil {
		return programs{}, err
	}
	p.provider = filepath.Join(b.bin, "provider")
	if opts.TargetKubeconfig != "" {
		// A cluster of the user's own pulls its images, but ours has not been published yet.
		p.images, err = b.write(ctx, images.Provider(b.program))
		if err == nil {
			b.log("your cluster needs this image, for instance by kind load image-archive: " + p.images[0])
		}
		return p, err
	}
	if p.system, err = b.systemImages(ctx); err != nil {
		return programs{}, err
	}
	if opts.ManagementNode {
		if err := b.runs(ctx, &p); err != nil {
			return programs{}, err
		}
	}
	p.images, err = b.podImages(ctx)
	return p, err
}

// tool builds a pinned tool and returns the directory of its programs. Its progress is shown as it comes.
func (b builder) tool(ctx context.Context, name string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(b.root, "hack", "tools", "build"), name) //nolint:gosec // our own script
	cmd.Stderr = lines(b.log)
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), errors.Wrapf(err, "cannot build %s", name)
}

// own builds programs from this module's dependencies.
func (b builder) own(ctx context.Context, packages ...string) error {
	if err := os.MkdirAll(b.bin, 0o750); err != nil {
		return errors.Wrap(err, "cannot make the directory of programs")
	}
	b.log("building " + strings.Join(packages, " "))
	cmd := exec.CommandContext(ctx, "go", append([]string{"build", "-o", b.bin + "/"}, packages...)...) //nolint:gosec // our own packages
	cmd.Dir, cmd.Stderr = b.root, lines(b.log)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	return errors.Wrap(cmd.Run(), "cannot build this module's programs")
}

func (b builder) systemImages(ctx context.Context) ([]string, error) {
	coredns, err := b.tool(ctx, "coredns")
	if err != nil {
		return nil, err
	}
	return b.write(ctx,
		image.Image{
			Name: node.PauseImage, Files: map[string]string{"/pause": filepath.Join(b.bin, "pause")},
			Entrypoint: []string{"/pause"}, User: "65535",
		},
		image.Image{
			Name: node.CoreDNSImage, Files: map[string]string{"/coredns": filepath.Join(coredns, "coredns")},
			Entrypoint: []string{"/coredns"}, User: "0", // it listens on port 53
		})
}

// runs builds what a management node needs to provision clusters, as images and as programs.
func (b builder) runs(ctx context.Context, p *programs) error {
	if err := b.own(ctx, "./cmd/terraform-runner", "./hack/sandbox/cmd/machines"); err != nil {
		return err
	}
	tofu, err := b.tool(ctx, "opentofu")
	if err != nil {
		return err
	}
	runner := images.Runner(func(name string) string {
		if name == "tofu" {
			return filepath.Join(tofu, name)
		}
		return b.program(name)
	})
	runner.Files["/usr/local/bin/machines"] = b.program("machines")
	p.path = b.bin + string(os.PathListSeparator) + tofu
	p.own, err = b.write(ctx, images.Provider(b.program), runner)
	return err
}

// podImages are made under the names that Flux's manifests and the GitOps tree have for them, each as its own
// Dockerfile would.
func (b builder) podImages(ctx context.Context) ([]string, error) {
	all := []image.Image{images.Provider(b.program), {
		Name: render.SealedSecretsImage, Files: map[string]string{"/usr/local/bin/controller": filepath.Join(b.bin, "controller")},
		Entrypoint: []string{"controller"}, User: "1001",
	}}
	for _, name := range []string{"source-controller", "kustomize-controller", "helm-controller"} {
		dir, err := b.tool(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, image.Image{
			Name:       "ghcr.io/fluxcd/" + name + ":" + versionOf(dir),
			Files:      map[string]string{"/usr/local/bin/" + name: filepath.Join(dir, name), images.CACertificates: images.CACertificates},
			Entrypoint: []string{name}, User: "65534:65534",
		})
	}
	return b.write(ctx, all...)
}

// program is the path of one of this module's programs.
func (b builder) program(name string) string { return filepath.Join(b.bin, name) }

func (b builder) write(ctx context.Context, all ...image.Image) ([]string, error) {
	var files []string
	for _, i := range all {
		file, err := i.Write(ctx, b.cache)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// versionOf is the tool's version, which hack/tools/build has in the directory's name.
func versionOf(dir string) string {
	return regexp.MustCompile(`v\d+\.\d+\.\d+`).FindString(filepath.Base(dir))
}

// lines passes each line that is written on to a function.
type lines func(string)

func (l lines) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		l(strings.TrimSpace(line))
	}
	return len(p), nil
}
