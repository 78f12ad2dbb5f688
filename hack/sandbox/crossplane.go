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
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/kube"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	xperrors "github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/cluster/images"
	"github.com/kubeopera/provider-kubeopera/hack/image"
)

const (
	crossplaneNamespace = "crossplane-system"
	crossplaneImage     = "xpkg.crossplane.io/crossplane/crossplane"
	// crossplaneTimeout bounds the installation; it takes half a minute on two idle cores.
	crossplaneTimeout = 5 * time.Minute
)

// Crossplane is Crossplane's core on the management node, and a registry of packages beside it.
type Crossplane struct {
	registry *http.Server
	address  string // of the registry on this machine
}

// CrossplaneImage builds the image of Crossplane's core and returns its tarball, for Options.ManagementImages.
func CrossplaneImage(ctx context.Context, opts Options) (string, error) {
	b, err := newBuilder(opts)
	if err != nil {
		return "", err
	}
	dir, err := b.tool(ctx, "crossplane")
	if err != nil {
		return "", err
	}
	module, err := crossplaneModule(ctx, b.root)
	if err != nil {
		return "", err
	}
	files := map[string]string{"/usr/local/bin/crossplane": filepath.Join(dir, "crossplane"), images.CACertificates: images.CACertificates}
	for _, from := range []string{"crds", "webhookconfigurations"} {
		manifests, err := filepath.Glob(filepath.Join(module, "cluster", from, "*.yaml"))
		if err != nil {
			return "", xperrors.Wrap(err, "cannot list Crossplane's manifests")
		}
		for _, m := range manifests {
			files["/"+from+"/"+filepath.Base(m)] = m
		}
	}
	out, err := b.write(ctx, image.Image{
		Name: crossplaneImage + ":" + versionOf(dir), Files: files, Entrypoint: []string{"crossplane"}, User: "65532",
	})
	if err != nil {
		return "", err
	}
	return out[0], nil
}

// crossplaneModule is the directory of the sources that the tool is built from.
func crossplaneModule(ctx context.Context, root string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/crossplane/crossplane/v2")
	cmd.Dir = filepath.Join(root, "hack", "tools", "crossplane")
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), xperrors.Wrap(err, "cannot find Crossplane's sources")
}

// InstallCrossplane installs Crossplane on the management node by its own chart, and serves it an empty registry.
func (s *Sandbox) InstallCrossplane(ctx context.Context) error {
	if s.Management.node == nil {
		return xperrors.New("cannot install Crossplane: the management cluster has no node")
	}
	if err := s.serveRegistry(ctx); err != nil {
		return err
	}
	b, err := newBuilder(s.opts)
	if err != nil {
		return err
	}
	module, err := crossplaneModule(ctx, b.root)
	if err != nil {
		return err
	}
	ch, err := loader.LoadDir(filepath.Join(module, "cluster", "charts", "crossplane"))
	if err != nil {
		return xperrors.Wrap(err, "cannot read Crossplane's chart")
	}
	flags := genericclioptions.NewConfigFlags(false)
	kubeconfig := s.Path(ManagementKubeconfig)
	flags.KubeConfig = &kubeconfig
	cfg := action.NewConfiguration(action.ConfigurationSetLogger(slog.DiscardHandler))
	if err := cfg.Init(flags, crossplaneNamespace, "secrets"); err != nil {
		return xperrors.Wrap(err, "cannot set up Helm")
	}
	tool, err := b.tool(ctx, "crossplane")
	if err != nil {
		return err
	}
	i := action.NewInstall(cfg)
	i.ReleaseName, i.Namespace, i.CreateNamespace = "crossplane", crossplaneNamespace, true
	i.WaitStrategy, i.Timeout = kube.StatusWatcherStrategy, crossplaneTimeout
	_, err = i.RunWithContext(ctx, ch, map[string]any{
		"image": map[string]any{"tag": versionOf(tool)},
		// The registry is on the node's loopback, where it may be plain HTTP.
		"hostNetwork": true, "dnsPolicy": "ClusterFirstWithHostNet",
		// Nobody's kinds become active but those that somebody activates.
		"provider":             map[string]any{"defaultActivations": []any{}},
		"resourcesCrossplane":  map[string]any{"limits": map[string]any{"cpu": "4"}},
		"resourcesRBACManager": map[string]any{"limits": map[string]any{"cpu": "4"}},
	})
	if err == nil {
		s.opts.Log("management: Crossplane " + versionOf(tool) + " is installed")
	}
	return xperrors.Wrap(err, "cannot install Crossplane")
}

func (s *Sandbox) serveRegistry(ctx context.Context) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return xperrors.Wrap(err, "cannot listen for the registry")
	}
	server := &http.Server{Handler: registry.New(registry.Logger(log.New(io.Discard, "", 0))), ReadHeaderTimeout: 10 * time.Second}
	s.Crossplane = &Crossplane{registry: server, address: l.Addr().String()}
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.opts.Log("registry: " + err.Error())
		}
	}()
	return s.expose(ctx, s.Management.node, registryAddress, s.Crossplane.address)
}

// Push pushes a package's file to the registry, and returns its reference for the management node.
func (c *Crossplane) Push(ctx context.Context, file, repository, tag string) (string, error) {
	img, err := tarball.ImageFromPath(file, nil)
	if err != nil {
		return "", xperrors.Wrapf(err, "cannot read %s", file)
	}
	ref, err := name.ParseReference(c.address+"/"+repository+":"+tag, name.Insecure)
	if err != nil {
		return "", xperrors.Wrap(err, "cannot name a package")
	}
	if err := remote.Write(ref, img, remote.WithContext(ctx)); err != nil {
		return "", xperrors.Wrapf(err, "cannot push %s", file)
	}
	return registryAddress + "/" + repository + ":" + tag, nil
}

func (c *Crossplane) stop() { _ = c.registry.Close() }
