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

package testing

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/testing/pki"
)

const (
	// startTimeout bounds a start. It takes 4 to 6 s on two idle cores; builds on the same machine make it slower.
	startTimeout = 90 * time.Second
	// pollEvery is the pause between two looks at something that is coming up.
	pollEvery = 50 * time.Millisecond
	// attempts is how often a start is tried when another process took a port between our look and our use.
	attempts = 3
)

// Options of a control plane. The zero value is what most tests want.
type Options struct {
	// CRDDirs are directories (or files) of CustomResourceDefinitions. Nil means package/crds of this module; an empty
	// slice means none.
	CRDDirs []string
	// CRDs are installed too.
	CRDs []*apiextensionsv1.CustomResourceDefinition
	// Scheme of Client; nil means Scheme().
	Scheme *runtime.Scheme
	// Dir holds everything that the control plane writes; empty means a temporary directory. Stop removes it.
	Dir string
}

// ControlPlane is a running Kubernetes control plane.
type ControlPlane struct {
	// Config acts as a user who may do everything.
	Config *rest.Config
	// Client of Config, uncached, with watches.
	Client client.WithWatch
	// Dir that the logs and certificates are in.
	Dir string

	server string
	ca     *pki.Authority
	// processes that Stop ends, in this order; none if the control plane belongs to somebody else.
	processes []*process
}

// Start starts a control plane and waits until it serves, its CRDs are established and its controllers work. The wait
// is bounded; an error holds the end of the log of what failed. The processes live until Stop, or until this process
// ends, whichever comes first.
func Start(ctx context.Context, o Options) (*ControlPlane, error) {
	bins, err := findBinaries()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()

	for i := 1; ; i++ {
		c, err := start(ctx, bins, o)
		if err == nil {
			return c, nil
		}
		if i == attempts || !strings.Contains(err.Error(), "address already in use") {
			return nil, errors.Wrap(err, "cannot start test control plane")
		}
	}
}

// Stop ends the processes and removes the directory. On a control plane that somebody else started it does nothing.
func (c *ControlPlane) Stop() {
	if len(c.processes) == 0 {
		return
	}
	for _, p := range c.processes {
		p.kill()
	}
	c.processes = nil
	_ = os.RemoveAll(c.Dir) // A left-over is swept by the next start.
}

func start(ctx context.Context, bins binaries, o Options) (_ *ControlPlane, err error) {
	dir, err := makeDir(o.Dir)
	if err != nil {
		return nil, err
	}
	c := &ControlPlane{Dir: dir}
	defer func() {
		if err != nil {
			c.kill()
		}
	}()
	if c.ca, err = pki.New(dir); err != nil {
		return nil, err
	}
	ports, err := freePorts(ctx, 3)
	if err != nil {
		return nil, err
	}
	if err := c.startAPIServer(ctx, bins, ports); err != nil {
		return nil, err
	}
	if err := c.connect(o.Scheme); err != nil {
		return nil, err
	}
	// Before the controller manager: its garbage collector looks for new kinds every 30 s only.
	if err := c.install(o); err != nil {
		return nil, err
	}
	if err := c.startControllers(ctx, bins); err != nil {
		return nil, err
	}
	return c, nil
}

// kill ends what a failed start has started.
func (c *ControlPlane) kill() {
	if len(c.processes) > 0 {
		c.Stop()
		return
	}
	_ = os.RemoveAll(c.Dir) // Swept by the next start otherwise.
}

// connect makes Config and Client.
func (c *ControlPlane) connect(s *runtime.Scheme) error {
	cfg, err := c.UserConfig(admin)
	if err != nil {
		return err
	}
	if s == nil {
		s = Scheme()
	}
	cl, err := client.NewWithWatch(cfg, client.Options{Scheme: s})
	c.Config, c.Client = cfg, cl
	return errors.Wrap(err, "cannot make client")
}

// install installs the CRDs of the options and waits until they are served.
func (c *ControlPlane) install(o Options) error {
	if o.CRDDirs == nil {
		root, err := ModuleRoot()
		if err != nil {
			return err
		}
		o.CRDDirs = []string{filepath.Join(root, "package", "crds")}
	}
	return c.InstallCRDs(o.CRDDirs, o.CRDs...)
}

// InstallCRDs installs CRDs from directories or files, and single ones, and waits until they are served. One that is
// there already is updated.
func (c *ControlPlane) InstallCRDs(paths []string, crds ...*apiextensionsv1.CustomResourceDefinition) error {
	_, err := envtest.InstallCRDs(c.Config, envtest.CRDInstallOptions{
		Paths: paths, CRDs: crds, ErrorIfPathMissing: true, MaxTime: startTimeout, PollInterval: pollEvery,
	})
	return errors.Wrap(err, "cannot install CRDs")
}

// until polls until ok is true. It gives up when the context ends or one of the processes does.
func (c *ControlPlane) until(ctx context.Context, what string, ok func(context.Context) bool) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for !ok(ctx) {
		for _, p := range c.processes {
			if p.ended() {
				return errors.Errorf("%s ended while waiting for %s; its log ends with:\n%s", p.name, what, p.tail())
			}
		}
		select {
		case <-ctx.Done():
			p := c.processes[0]
			return errors.Errorf("%s took longer than %s; the log of %s ends with:\n%s", what, startTimeout, p.name, p.tail())
		case <-tick.C:
		}
	}
	return nil
}

// serving reports that the API server is ready, its own start-up hooks included.
func (c *ControlPlane) serving(cs kubernetes.Interface) func(context.Context) bool {
	return func(ctx context.Context) bool {
		return cs.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error() == nil
	}
}

// controlling reports that the controller manager works: the ServiceAccount and the root CA of a namespace are there.
func (c *ControlPlane) controlling(ctx context.Context) bool {
	key := client.ObjectKey{Namespace: corev1.NamespaceDefault, Name: "default"}
	if c.Client.Get(ctx, key, &corev1.ServiceAccount{}) != nil {
		return false
	}
	key.Name = "kube-root-ca.crt"
	return c.Client.Get(ctx, key, &corev1.ConfigMap{}) == nil
}
