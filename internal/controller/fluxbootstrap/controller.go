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

// Package fluxbootstrap installs Flux on a target and has it reconcile a tree.
package fluxbootstrap

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/flux"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// workers is the least number of FluxBootstraps that are handled at the same
// time. They wait for clusters most of the time, and those that wait for one
// that is dead must leave enough to the others.
const workers = 32

// Setup adds the controller of FluxBootstraps to the manager.
func Setup(mgr ctrl.Manager, o external.Options, targets target.Connector) error {
	kind := v1alpha1.Kind(v1alpha1.FluxBootstrapKind)
	w := &workflow{
		reader:  mgr.GetClient(),
		targets: targets,
		charts:  flux.NewCharts(),
		clock:   clock.RealClock{},
		events:  event.NewAPIRecorder(mgr.GetEventRecorderFor("fluxbootstrap")), //nolint:staticcheck // crossplane-runtime's recorder takes the core/v1 one.
		log:     o.Logger.WithValues("controller", "fluxbootstrap"),
	}
	o.MaxConcurrentReconciles = max(o.MaxConcurrentReconciles, workers)
	err := external.NewBuilder(mgr, o, kind, &v1alpha1.FluxBootstrap{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(referrers(mgr.GetClient()))).
		Complete(external.NewReconciler(mgr, o, kind, w))
	return errors.Wrap(err, "cannot set up controller of FluxBootstraps")
}

// referrers of a Secret: a kubeconfig or credentials that appear or change are
// taken up at once.
func referrers(c client.Reader) handler.MapFunc {
	return func(ctx context.Context, secret client.Object) []reconcile.Request {
		l := &v1alpha1.FluxBootstrapList{}
		if err := c.List(ctx, l, client.InNamespace(secret.GetNamespace())); err != nil {
			return nil // The next poll sees it.
		}
		var out []reconcile.Request
		for i := range l.Items {
			if refers(&l.Items[i], secret.GetName()) {
				out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&l.Items[i])})
			}
		}
		return out
	}
}

func refers(fb *v1alpha1.FluxBootstrap, secret string) bool {
	p := fb.Spec.ForProvider
	return p.KubeconfigSecretRef.Name == secret ||
		p.Git != nil && p.Git.CredentialsSecretRef.Name == secret ||
		p.RegistryPullSecretRef != nil && p.RegistryPullSecretRef.Name == secret
}
