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

	"github.com/kubeopera/provider-kubeopera/hack/sandbox/image"
	"github.com/kubeopera/provider-kubeopera/hack/sandbox/node"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
	"github.com/kubeopera/provider-kubeopera/internal/version"
)

// caCertificates is where Debian and most Go programs have them.
const caCertificates = "/etc/ssl/certs/ca-certificates.crt"

// programs are all that a sandbox runs.
type programs struct {
	kubernetes string   // directory of etcd and the Kubernetes programs
	provider   string   // file
	system     []string // image tarballs of the node itself
	images     []string // image tarballs of what pods run
}

// builder builds programs and images.
type builder struct {
	root  string // directory of this module
	bin   string // directory for this module's programs
	cache string // directory of image tarballs
	log   func(string)
}

// build builds everything that is not built yet.
func build(ctx context.Context, opts Options) (programs, error) {
	root, err := kt.ModuleRoot()
	if err != nil {
		return programs{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return programs{}, errors.Wrap(err, "cannot find the user's cache directory")
	}
	b := builder{root: root, bin: filepath.Join(root, ".sandbox", "bin"), cache: filepath.Join(cache, "kubeopera", "images"), log: opts.Log}

	var p programs
	if p.kubernetes, err = b.tool(ctx, "kubernetes"); err != nil {
		return programs{}, err
	}
	if err := b.own(ctx, "./cmd/provider", "./hack/sandbox/pause", "github.com/bitnami-labs/sealed-secrets/cmd/controller"); err != nil {
		return programs{}, err
	}
	p.provider = filepath.Join(b.bin, "provider")
	if opts.TargetKubeconfig != "" {
		// A cluster of the user's own pulls its images, but ours has not been published yet.
		p.images, err = b.write(ctx, b.providerImage())
		if err == nil {
			b.log("your cluster needs this image, for instance by kind load image-archive: " + p.images[0])
		}
		return p, err
	}
	if p.system, err = b.systemImages(ctx); err != nil {
		return programs{}, err
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
	b.log("building the provider")
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

// podImages are made under the names that Flux's manifests and the GitOps tree have for them, each as its own
// Dockerfile would.
func (b builder) podImages(ctx context.Context) ([]string, error) {
	images := []image.Image{b.providerImage(), {
		Name: render.SealedSecretsImage, Files: map[string]string{"/usr/local/bin/controller": filepath.Join(b.bin, "controller")},
		Entrypoint: []string{"controller"}, User: "1001",
	}}
	for _, name := range []string{"source-controller", "kustomize-controller", "helm-controller"} {
		dir, err := b.tool(ctx, name)
		if err != nil {
			return nil, err
		}
		images = append(images, image.Image{
			Name:       "ghcr.io/fluxcd/" + name + ":" + versionOf(dir),
			Files:      map[string]string{"/usr/local/bin/" + name: filepath.Join(dir, name), caCertificates: caCertificates},
			Entrypoint: []string{name}, User: "65534:65534",
		})
	}
	return b.write(ctx, images...)
}

// providerImage is the image of this provider.
func (b builder) providerImage() image.Image {
	return image.Image{
		Name:       render.ProviderImage + ":" + version.String(),
		Files:      map[string]string{"/usr/local/bin/provider": filepath.Join(b.bin, "provider"), caCertificates: caCertificates},
		Entrypoint: []string{"provider"}, User: "65532",
	}
}

func (b builder) write(ctx context.Context, images ...image.Image) ([]string, error) {
	var files []string
	for _, i := range images {
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
