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

package flux

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"helm.sh/helm/v4/pkg/action"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/kube"
	"helm.sh/helm/v4/pkg/postrenderer"
	rcommon "helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	"k8s.io/client-go/rest"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// helmTimeout bounds one Helm action. It waits for nothing to become ready, so
// it is about 60 requests, each of which has its own timeout too.
const helmTimeout = 2 * time.Minute

// Helm works on the release of Flux on one target.
type Helm struct {
	cfg       *action.Configuration
	namespace string
}

// NewHelm returns a Helm for the target that cfg leads to. It needs no
// kubeconfig file and no home directory.
func NewHelm(cfg *rest.Config, namespace string) (*Helm, error) {
	// What Helm logs may hold parts of manifests: all that matters is in its errors.
	ac := action.NewConfiguration(action.ConfigurationSetLogger(slog.DiscardHandler))
	if err := ac.Init(newGetter(cfg, namespace), namespace, "secrets"); err != nil {
		return nil, errors.Wrap(err, "cannot set up Helm")
	}
	ac.Releases.SetLogger(slog.DiscardHandler)

	return &Helm{cfg: ac, namespace: namespace}, nil
}

// A Package is a chart, what to give it, and the digest of both.
type Package struct {
	Chart  *chart.Chart
	Values map[string]any
	Digest string

	// Foreign charts get their CRDs annotated, so that these outlive the release.
	Foreign bool
}

func (p Package) postRenderer() postrenderer.PostRenderer {
	if p.Foreign {
		return keepCRDs{}
	}
	return nil
}

// Install makes the first revision of the release. It does not wait for
// anything to become ready.
func (h *Helm) Install(ctx context.Context, p Package) error {
	i := action.NewInstall(h.cfg)
	i.ReleaseName = ReleaseName
	i.Namespace = h.namespace
	i.Labels = map[string]string{labelDigest: p.Digest}
	i.PostRenderer = p.postRenderer()
	i.WaitStrategy = kube.HookOnlyStrategy
	i.DisableHooks = true
	i.DisableOpenAPIValidation = true // The API server validates; no need to download its whole schema.
	i.Timeout = helmTimeout

	ctx, cancel := detach(ctx)
	defer cancel()
	_, err := i.RunWithContext(ctx, p.Chart, p.Values)
	return classify(err, "cannot install Flux")
}

// Upgrade makes the next revision of the release. Fields that somebody else
// changed become what the chart says, and what was deleted comes back.
func (h *Helm) Upgrade(ctx context.Context, p Package) error {
	u := action.NewUpgrade(h.cfg)
	u.Namespace = h.namespace
	u.Labels = map[string]string{labelDigest: p.Digest}
	u.PostRenderer = p.postRenderer()
	u.WaitStrategy = kube.HookOnlyStrategy
	u.DisableHooks = true
	u.DisableOpenAPIValidation = true
	u.ServerSideApply = "true"
	u.ForceConflicts = true
	u.ResetValues = true
	u.MaxHistory = maxHistory
	u.Timeout = helmTimeout

	ctx, cancel := detach(ctx)
	defer cancel()
	_, err := u.RunWithContext(ctx, ReleaseName, p.Chart, p.Values)
	return classify(err, "cannot upgrade Flux")
}

// Repair marks the last revision as failed, so that an upgrade can go on from
// it. Helm itself never does that for a release whose process has died.
func (h *Helm) Repair() error {
	last, err := h.cfg.Releases.Last(ReleaseName)
	if err != nil {
		return classify(err, "cannot read the release of Flux")
	}
	r, ok := last.(*release.Release)
	if !ok {
		return errors.Errorf("cannot read a release of type %T", last)
	}
	r.SetStatus(rcommon.StatusFailed, "The process that worked on it was interrupted")
	return classify(h.cfg.Releases.Update(r), "cannot repair the release of Flux")
}

// detach an action from a context that is cancelled when the provider shuts
// down: Helm would only stop to listen to its own work, and leave the release
// pending. It ends within the time that a shutdown has.
func detach(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), helmTimeout)
}

func classify(err error, message string) error {
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "invalid ownership metadata"):
		return fault.Wrap(err, v1alpha1.ReasonConflict, message)
	default:
		return errors.Wrap(target.Classify(err), message)
	}
}
