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

package clusteraccess

import (
	"context"
	"slices"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
)

// annotationHandedOver marks a stored kubeconfig that a ClusterAccess has left
// to the one that its HostCluster makes next.
const annotationHandedOver = "kubeopera.io/handed-over"

// remade tells whether a ClusterAccess that is being deleted will be made
// again: its HostCluster is there to stay. That is read from the API server,
// so that a cascade is not taken for somebody's slip.
func (w *workflow) remade(ctx context.Context, ca *v1alpha1.ClusterAccess) (bool, error) {
	hc, err := w.hostCluster(ctx, client.ObjectKeyFromObject(ca))
	return hc != nil && !meta.WasDeleted(hc) && metav1.IsControlledBy(ca, hc), err
}

// hostCluster of a name; nil if there is none.
func (w *workflow) hostCluster(ctx context.Context, key types.NamespacedName) (*v1alpha1.HostCluster, error) {
	hc := &v1alpha1.HostCluster{}
	err := w.live.Get(ctx, key, hc)
	if kerrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // None is no error.
	}
	return hc, errors.Wrapf(err, "cannot get HostCluster %s", key)
}

// sweeper removes a stored kubeconfig that was handed over and whose
// HostCluster went before it made the next ClusterAccess. Nobody else would
// take our finalizer off. Like the workflow it waits for those who use it.
type sweeper struct {
	w    *workflow
	next reconcile.Reconciler
}

// Reconcile a ClusterAccess, or what one has left.
func (s sweeper) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	err := s.w.kube.Get(ctx, req.NamespacedName, &v1alpha1.ClusterAccess{})
	if kerrors.IsNotFound(err) {
		return reconcile.Result{}, s.sweep(ctx, req.NamespacedName)
	}
	return s.next.Reconcile(ctx, req) // It reads it again, and reports what goes wrong.
}

// sweep what the ClusterAccess of a name has left.
func (s sweeper) sweep(ctx context.Context, key types.NamespacedName) error {
	ca := &v1alpha1.ClusterAccess{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	for {
		stored, err := s.w.stored(ctx, ca)
		if err != nil || stored == nil || stored.Annotations[annotationHandedOver] == "" || !slices.Contains(stored.Finalizers, v1alpha1.FinalizerInUse) {
			return err
		}
		hc, err := s.w.hostCluster(ctx, key)
		if err != nil || hc != nil && !meta.WasDeleted(hc) {
			return err
		}
		users, err := s.w.users(ctx, ca)
		if err != nil {
			return err
		}
		step := nextDelete(State{ID: key.Name, Stored: stored, Users: users})
		if step != Delete && step != Release {
			return nil // Whoever is gone next wakes us.
		}
		if err := s.w.live.Get(ctx, key, ca.DeepCopy()); !kerrors.IsNotFound(err) {
			return errors.Wrapf(err, "cannot get ClusterAccess %s", key) // It is there again.
		}
		if err := s.w.Do(ctx, ca, State{ID: key.Name, Stored: stored}, step); err != nil {
			return err
		}
	}
}

var _ reconcile.Reconciler = sweeper{}

// ofHostCluster maps a HostCluster to the ClusterAccess of its name.
func ofHostCluster(_ context.Context, o client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(o)}}
}

// handOver leaves the stored kubeconfig to the next ClusterAccess.
func (w *workflow) handOver(ctx context.Context, s State) error {
	secret := s.Stored.DeepCopy()
	meta.AddAnnotations(secret, map[string]string{annotationHandedOver: "true"})
	return errors.Wrapf(client.IgnoreNotFound(w.kube.Update(ctx, secret)), "cannot hand over Secret %s", client.ObjectKeyFromObject(secret))
}

// nextRemade is the next step of one that will be made again: those who use the
// kubeconfig go on with it.
func nextRemade(s State) external.Step {
	if s.Stored.Annotations[annotationHandedOver] == "" && slices.Contains(s.Stored.Finalizers, v1alpha1.FinalizerInUse) {
		return HandOver
	}
	return external.Done
}
