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

// Package clusteraccess is the external client of ClusterAccess: it validates a
// kubeconfig, looks at the cluster that it leads to, and stores it.
package clusteraccess

import (
	"context"
	"strings"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

const (
	// workers is the least number of ClusterAccesses that are handled at the
	// same time. They wait for clusters most of the time, and those that wait for
	// one that is dead must leave enough to the others.
	workers = 64

	// Indices of ClusterAccesses by what they come from.
	bySecret      = "spec.forProvider.kubeconfigSecretRef.name"
	byProvisioned = "spec.forProvider.provisionedClusterRef.name"
)

// Setup adds the controller of ClusterAccesses to a manager. All controllers
// share the connector to targets.
func Setup(mgr ctrl.Manager, o external.Options, targets Connector) error {
	local, err := target.Local(mgr.GetConfig(), target.Options{})
	if err != nil {
		return errors.Wrap(err, "cannot connect to the cluster that the provider runs on")
	}
	w := &workflow{kube: mgr.GetClient(), live: mgr.GetAPIReader(), targets: targets, local: local, clock: clock.RealClock{}}
	for field, of := range indices() {
		if err := mgr.GetFieldIndexer().IndexField(context.Background(), &v1alpha1.ClusterAccess{}, field, of); err != nil {
			return errors.Wrapf(err, "cannot index ClusterAccesses by %s", field)
		}
	}

	o.MaxConcurrentReconciles = max(o.MaxConcurrentReconciles, workers)
	kind := v1alpha1.Kind(v1alpha1.ClusterAccessKind)
	m := mapper{kube: mgr.GetClient()}
	gone := builder.WithPredicates(predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  func(event.UpdateEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	})
	leaves := builder.WithPredicates(predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  func(e event.UpdateEvent) bool { return meta.WasDeleted(e.ObjectNew) && !meta.WasDeleted(e.ObjectOld) },
		GenericFunc: func(event.GenericEvent) bool { return false },
	})
	return external.NewBuilder(mgr, o, kind, &v1alpha1.ClusterAccess{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(m.ofSecret)).
		Watches(&v1alpha1.ProvisionedCluster{}, handler.EnqueueRequestsFromMapFunc(m.ofProvisioned)).
		Watches(&v1alpha1.FluxBootstrap{}, handler.EnqueueRequestsFromMapFunc(ofUser), gone).
		Watches(&v1alpha1.GitOpsEnvironment{}, handler.EnqueueRequestsFromMapFunc(ofUser), gone).
		Watches(&v1alpha1.Administrator{}, handler.EnqueueRequestsFromMapFunc(ofUser), gone).
		Watches(&v1alpha1.ClusterAccess{}, handler.EnqueueRequestsFromMapFunc(m.ofHolder), gone).
		Watches(&v1alpha1.HostCluster{}, handler.EnqueueRequestsFromMapFunc(ofHostCluster), leaves).
		Complete(sweeper{w: w, next: external.NewReconciler(mgr, o, kind, w)})
}

// indices of ClusterAccesses by what they come from.
func indices() map[string]client.IndexerFunc {
	return map[string]client.IndexerFunc{
		bySecret: func(o client.Object) []string {
			if ca, ok := o.(*v1alpha1.ClusterAccess); ok && ca.Spec.ForProvider.KubeconfigSecretRef != nil {
				return []string{ca.Spec.ForProvider.KubeconfigSecretRef.Name}
			}
			return nil
		},
		byProvisioned: func(o client.Object) []string {
			if ca, ok := o.(*v1alpha1.ClusterAccess); ok && ca.Spec.ForProvider.ProvisionedClusterRef != nil {
				return []string{ca.Spec.ForProvider.ProvisionedClusterRef.Name}
			}
			return nil
		},
	}
}

// mapper maps what changed to the ClusterAccesses that it matters to.
type mapper struct {
	kube client.Reader
}

// ofSecret maps a Secret to those whose source or stored kubeconfig it is.
func (m mapper) ofSecret(ctx context.Context, o client.Object) []reconcile.Request {
	reqs := m.list(ctx, o.GetNamespace(), client.MatchingFields{bySecret: o.GetName()})
	if c := metav1.GetControllerOf(o); c != nil && c.Kind == v1alpha1.ProvisionedClusterKind {
		reqs = append(reqs, m.list(ctx, o.GetNamespace(), client.MatchingFields{byProvisioned: c.Name})...)
	}
	return append(reqs, ofStored(o.GetNamespace(), o.GetName())...)
}

// ofProvisioned maps a ProvisionedCluster to those that it is the source of.
func (m mapper) ofProvisioned(ctx context.Context, o client.Object) []reconcile.Request {
	return m.list(ctx, o.GetNamespace(), client.MatchingFields{byProvisioned: o.GetName()})
}

// ofHolder maps a ClusterAccess that is gone to those that wanted its cluster.
func (m mapper) ofHolder(ctx context.Context, o client.Object) []reconcile.Request {
	l := &v1alpha1.ClusterAccessList{}
	if err := m.kube.List(ctx, l, client.InNamespace(o.GetNamespace())); err != nil {
		return nil // They are looked at again by themselves, a little later.
	}
	var reqs []reconcile.Request
	for i := range l.Items {
		r := l.Items[i].GetCondition(xpv2.TypeReady).Reason
		if r == v1alpha1.ReasonConflict || r == v1alpha1.ReasonWaiting {
			reqs = append(reqs, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&l.Items[i])})
		}
	}
	return reqs
}

func (m mapper) list(ctx context.Context, namespace string, by client.MatchingFields) []reconcile.Request {
	l := &v1alpha1.ClusterAccessList{}
	if err := m.kube.List(ctx, l, client.InNamespace(namespace), by); err != nil {
		return nil // They are looked at again by themselves, a little later.
	}
	reqs := make([]reconcile.Request, 0, len(l.Items))
	for i := range l.Items {
		reqs = append(reqs, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&l.Items[i])})
	}
	return reqs
}

// ofUser maps who needed a stored kubeconfig to whose it is.
func ofUser(_ context.Context, o client.Object) []reconcile.Request {
	switch u := o.(type) {
	case *v1alpha1.FluxBootstrap:
		return ofStored(u.GetNamespace(), u.Spec.ForProvider.KubeconfigSecretRef.Name)
	case *v1alpha1.GitOpsEnvironment:
		return ofStored(u.GetNamespace(), u.Spec.ForProvider.KubeconfigSecretRef.Name)
	case *v1alpha1.Administrator:
		return ofStored(u.GetNamespace(), u.Spec.ForProvider.KubeconfigSecretRef.Name)
	default:
		return nil
	}
}

// ofStored maps the name of a stored kubeconfig to whose it is.
func ofStored(namespace, secret string) []reconcile.Request {
	before, after, _ := strings.Cut(v1alpha1.KubeconfigSecretName("/"), "/")
	id, hasPrefix := strings.CutPrefix(secret, before)
	id, hasSuffix := strings.CutSuffix(id, after)
	if !hasPrefix || !hasSuffix || id == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: namespace, Name: id}}}
}
