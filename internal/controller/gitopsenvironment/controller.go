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

// Package gitopsenvironment is the external client of GitOpsEnvironment: it
// keeps a cluster's tree in Git, in two passes.
package gitopsenvironment

import (
	"context"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	rtevent "sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/gitauth"
	"github.com/kubeopera/provider-kubeopera/internal/gitops"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/git"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// workers is the least number of environments that are looked at in parallel.
// They wait for Git servers most of the time, and those that wait for one that
// is dead must leave enough to the others.
const workers = 32

// Setup adds the controller of GitOpsEnvironments to a manager. The version is
// that of the KubeOpera that the trees bring; all controllers share the
// connector to targets.
func Setup(mgr ctrl.Manager, o external.Options, targets target.Connector, version string) error {
	git.Sweep(time.Now())

	kind := v1alpha1.Kind(v1alpha1.GitOpsEnvironmentKind)
	w := &workflow{
		kube:    mgr.GetClient(),
		live:    mgr.GetAPIReader(),
		targets: targets,
		events:  event.NewAPIRecorder(mgr.GetEventRecorderFor("gitopsenvironment")), //nolint:staticcheck // crossplane-runtime's recorder takes the core/v1 one.
		clock:   clock.RealClock{},
		log:     o.Logger.WithValues("controller", "gitopsenvironment"),
		assets:  sync.OnceValues(gitops.Assets),
		version: version,
		apps:    gitauth.NewApps(),
		open:    func(o git.Options) (repository, error) { return git.New(o) },
		memory:  newMemory(),
	}

	o.MaxConcurrentReconciles = max(o.MaxConcurrentReconciles, workers)
	m := mapper{kube: mgr.GetClient()}
	gone := builder.WithPredicates(predicate.Funcs{
		CreateFunc:  func(rtevent.CreateEvent) bool { return false },
		UpdateFunc:  func(rtevent.UpdateEvent) bool { return false },
		GenericFunc: func(rtevent.GenericEvent) bool { return false },
	})

	return external.NewBuilder(mgr, o, kind, &v1alpha1.GitOpsEnvironment{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(m.ofSecret)).
		// A tree is removed once Flux has let go of it.
		Watches(&v1alpha1.FluxBootstrap{}, &handler.EnqueueRequestForObject{}, gone).
		Complete(external.NewReconciler(mgr, o, kind, w))
}

// mapper maps what changed to the environments that it matters to.
type mapper struct {
	kube client.Reader
}

// ofSecret maps a Secret to the environments that refer to it.
func (m mapper) ofSecret(ctx context.Context, o client.Object) []reconcile.Request {
	l := &v1alpha1.GitOpsEnvironmentList{}
	if err := m.kube.List(ctx, l, client.InNamespace(o.GetNamespace())); err != nil {
		return nil // They are looked at again by themselves, a little later.
	}

	reqs := []reconcile.Request{}

	for i := range l.Items {
		if slices.Contains(references(&l.Items[i]), o.GetName()) {
			reqs = append(reqs, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&l.Items[i])})
		}
	}

	return reqs
}

// references are the names of the Secrets that an environment depends on.
func references(mg *v1alpha1.GitOpsEnvironment) []string {
	p := mg.Spec.ForProvider
	out := []string{p.KubeconfigSecretRef.Name, p.Git.CredentialsSecretRef.Name, v1alpha1.SealingSecretName(mg.Name)}

	if p.RegistryPullSecretRef != nil {
		out = append(out, p.RegistryPullSecretRef.Name)
	}

	return out
}
