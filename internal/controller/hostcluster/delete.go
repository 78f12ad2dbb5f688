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

package hostcluster

import (
	"context"
	"strings"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/plan"
)

// Reasons of events about deletion.
const (
	reasonLeft      event.Reason = "ChildrenLeft"
	reasonForbidden event.Reason = "CannotDestroy"
)

// delete the children of a HostCluster, wait until they are gone, and let the
// HostCluster go. Each child's own deletion waits for what needs it, so their
// order does not matter here.
//
//	Disconnect: children → gone → finalizer. ProvisionedCluster stays if making
//	            a cluster was begun, and may be deleted without harm to that.
//	Destroy:    children → gone → ProvisionedCluster → gone → finalizer.
//
// The children are read from the API server, not from the cache: one that the
// cache does not know of yet must not be left behind.
func (r *Reconciler) delete(ctx context.Context, hc *v1alpha1.HostCluster) error {
	if !controllerutil.ContainsFinalizer(hc, v1alpha1.FinalizerHostCluster) {
		return nil
	}

	if controllerutil.ContainsFinalizer(hc, metav1.FinalizerOrphanDependents) {
		return r.release(ctx, hc) // As somebody asked for, the children stay.
	}

	seen, err := observe(ctx, r.live, client.ObjectKeyFromObject(hc))
	if err != nil {
		return err
	}

	out, err := plan.Plan(plan.Input{HostCluster: hc, Observed: seen, Now: r.clock.Now()})
	if err != nil {
		return err
	}

	gone, failed := r.deleteAll(ctx, hc, seen, out.Desired)
	switch {
	case stale(failed):
		return failed
	case failed == nil && gone:
		return r.release(ctx, hc)
	}

	synced := xpv2.ReconcileSuccess()
	if failed != nil {
		synced = xpv2.ReconcileError(failed)
	}

	err = client.IgnoreNotFound(r.report(ctx, hc, out.Status, synced))
	if err != nil {
		return err
	}

	return failed
}

// deleteAll deletes what is there, and tells whether everything is gone that
// has to be.
func (r *Reconciler) deleteAll(ctx context.Context, hc *v1alpha1.HostCluster, seen, ours plan.Children) (bool, error) {
	// Its policies decide whether the cluster itself goes with the object, so
	// they must be up to date before anybody deletes it.
	pc := ours.ProvisionedCluster
	if pc != nil {
		if _, failed := r.apply(ctx, hc, seen, plan.Children{ProvisionedCluster: pc}); len(failed) > 0 {
			return false, join(failed)
		}
	}

	waits, err := r.deleteControlled(ctx, hc, seen)
	if err != nil || waits {
		return false, err
	}

	if pc == nil || plan.Stays(hc, seen.ProvisionedCluster) {
		return true, nil
	}

	if hc.Spec.DeletionPolicy != v1alpha1.DeletionDestroy && !plan.Idle(seen.ProvisionedCluster) {
		return false, nil // A run that begins at this moment must not be forgotten.
	}

	err = r.deleteChild(ctx, seen.ProvisionedCluster)

	switch {
	case kerrors.IsForbidden(err) && hc.Spec.DeletionPolicy != v1alpha1.DeletionDestroy:
		r.record.Event(hc, event.Warning(reasonLeft, errors.Errorf("may not delete ProvisionedCluster, which has made nothing and stays: run kubectl delete provisionedcluster %s", pc.GetName())))

		return true, nil
	case kerrors.IsForbidden(err):
		// The garbage collector does not know of it, and infrastructure is never forgotten.
		err = errors.Wrapf(err, "cannot destroy the cluster: grant the right to delete (kubectl apply -k cluster/install/crossplane), or run kubectl delete provisionedcluster %s", pc.GetName())
		r.record.Event(hc, event.Warning(reasonForbidden, err))
	}

	return false, err
}

// deleteControlled deletes the children that carry our reference, and tells
// whether there is anything to wait for.
func (r *Reconciler) deleteControlled(ctx context.Context, hc *v1alpha1.HostCluster, seen plan.Children) (bool, error) {
	var (
		waits bool
		left  []string
		errs  []error
	)

	for _, c := range seen.List() {
		if !metav1.IsControlledBy(c, hc) {
			continue
		}

		switch err := r.deleteChild(ctx, c.Object); {
		case kerrors.IsForbidden(err):
			left = append(left, c.Kind)
		case err != nil:
			errs = append(errs, errors.Wrapf(err, "cannot delete %s", c.Kind))
		default:
			waits = true
		}
	}

	if len(left) > 0 {
		// Crossplane grants its providers no right to delete.
		r.record.Event(hc, event.Warning(reasonLeft, errors.Errorf("may not delete %s: left to the garbage collector", strings.Join(left, ", "))))
	}

	return waits, errors.Join(errs...)
}

// deleteChild asks for a child's deletion, once.
func (r *Reconciler) deleteChild(ctx context.Context, c client.Object) error {
	if c.GetDeletionTimestamp() != nil {
		return nil
	}

	uid := c.GetUID()
	err := r.client.Delete(ctx, c, client.PropagationPolicy(metav1.DeletePropagationBackground), client.Preconditions{UID: &uid})

	return client.IgnoreNotFound(err)
}

// release lets the HostCluster go.
func (r *Reconciler) release(ctx context.Context, hc *v1alpha1.HostCluster) error {
	before := hc.DeepCopy()
	controllerutil.RemoveFinalizer(hc, v1alpha1.FinalizerHostCluster)

	err := r.client.Patch(ctx, hc, guarded(before))

	return errors.Wrap(client.IgnoreNotFound(err), "cannot remove finalizer")
}
