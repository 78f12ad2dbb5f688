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

package provisionedcluster

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	xpevent "github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/providerconfig"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
)

// setupConfigs adds the controllers that keep ProviderConfigs as long as they
// are used.
func setupConfigs(mgr ctrl.Manager, o external.Options, settings Settings) error {
	kinds := map[string]client.Object{v1alpha1.ProviderConfigKind: &v1alpha1.ProviderConfig{}}
	if settings.ClusterProviderConfigs {
		kinds[v1alpha1.ClusterProviderConfigKind] = &v1alpha1.ClusterProviderConfig{}
	}
	for kind, of := range kinds {
		name := providerconfig.ControllerName(v1alpha1.Kind(kind).GroupKind().String())
		r := providerconfig.NewReconciler(mgr, resource.ProviderConfigKinds{
			Config:    v1alpha1.Kind(kind),
			Usage:     v1alpha1.Kind(v1alpha1.ProviderConfigUsageKind),
			UsageList: v1alpha1.Kind(v1alpha1.ProviderConfigUsageKind + "List"),
		},
			providerconfig.WithLogger(o.Logger.WithValues("controller", name)),
			providerconfig.WithRecorder(xpevent.NewAPIRecorder(mgr.GetEventRecorderFor(name)))) //nolint:staticcheck // crossplane-runtime's recorder takes the core/v1 one.
		err := ctrl.NewControllerManagedBy(mgr).
			Named(name).
			WithOptions(o.ForControllerRuntime()).
			For(of).
			Watches(&v1alpha1.ProviderConfigUsage{}, &resource.EnqueueRequestForProviderConfig{Kind: kind}).
			Complete(o.Limit(name, &sealing{Reconciler: r, of: of, kube: mgr.GetClient(), live: mgr.GetAPIReader(), namespace: settings.Namespace}))
		if err != nil {
			return errors.Wrapf(err, "cannot set up controller of %ss", kind)
		}
	}
	return nil
}

// mapper maps what changed to the ProvisionedClusters that it matters to. What
// cannot be listed is looked at again by itself, a little later.
type mapper struct {
	kube client.Reader
	// clusterWide says that ClusterProviderConfigs are used, too.
	clusterWide bool
}

// ofSecret maps a Secret to those whose ProviderConfig names it.
func (m mapper) ofSecret(ctx context.Context, o client.Object) []reconcile.Request {
	var reqs []reconcile.Request
	l := &v1alpha1.ProviderConfigList{}
	if err := m.kube.List(ctx, l, client.InNamespace(o.GetNamespace())); err != nil {
		return nil
	}
	for i := range l.Items {
		if ref := l.Items[i].Spec.Credentials.SecretRef; ref != nil && ref.Name == o.GetName() {
			reqs = append(reqs, m.ofConfig(v1alpha1.ProviderConfigKind)(ctx, &l.Items[i])...)
		}
	}
	if !m.clusterWide {
		return reqs
	}
	all := &v1alpha1.ClusterProviderConfigList{}
	if err := m.kube.List(ctx, all); err != nil {
		return reqs
	}
	for i := range all.Items {
		if ref := all.Items[i].Spec.Credentials.SecretRef; ref != nil && ref.Name == o.GetName() && ref.Namespace == o.GetNamespace() {
			reqs = append(reqs, m.ofConfig(v1alpha1.ClusterProviderConfigKind)(ctx, &all.Items[i])...)
		}
	}
	return reqs
}

// ofConfig maps a ProviderConfig to those that refer to it: of its namespace,
// or of all if it is a ClusterProviderConfig.
func (m mapper) ofConfig(kind string) handler.MapFunc {
	return func(ctx context.Context, o client.Object) []reconcile.Request {
		l := &v1alpha1.ProvisionedClusterList{}
		if err := m.kube.List(ctx, l, client.InNamespace(o.GetNamespace())); err != nil {
			return nil
		}
		var reqs []reconcile.Request
		for i := range l.Items {
			ref := l.Items[i].GetProviderConfigReference()
			if ref != nil && ref.Kind == kind && ref.Name == o.GetName() {
				reqs = append(reqs, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&l.Items[i])})
			}
		}
		return reqs
	}
}

// ofUser maps a ClusterAccess to the cluster that it leads into.
func ofUser(_ context.Context, o client.Object) []reconcile.Request {
	ca, ok := o.(*v1alpha1.ClusterAccess)
	if !ok || ca.Spec.ForProvider.ProvisionedClusterRef == nil {
		return nil
	}
	key := client.ObjectKey{Namespace: ca.GetNamespace(), Name: ca.Spec.ForProvider.ProvisionedClusterRef.Name}
	return []reconcile.Request{{NamespacedName: key}}
}

// specChanged lets changes of a spec through, and not those of a status.
func specChanged() builder.WatchesOption {
	return builder.WithPredicates(predicate.GenerationChangedPredicate{})
}

// gone lets deletions through.
func gone() builder.WatchesOption {
	return builder.WithPredicates(predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  func(event.UpdateEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	})
}
