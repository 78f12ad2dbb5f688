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

// Package hostcluster observes the children of HostClusters, has package plan
// decide, and applies what it decided. It touches nothing but the children and
// the HostCluster itself.
package hostcluster

import (
	"context"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/plan"
)

const (
	// name of the controller.
	name = "hostcluster"

	// timeout bounds one reconcile: a dozen requests to the API server.
	timeout = 30 * time.Second

	// staleDelay is how soon to look again when the cache was behind the API
	// server. Mostly the watch is sooner.
	staleDelay = 100 * time.Millisecond
)

// Setup adds the controller of HostClusters to the manager.
func Setup(mgr ctrl.Manager, o external.Options) error {
	m, err := newMetrics(mgr.GetClient())
	if err != nil {
		return err
	}

	r := &Reconciler{
		client:  mgr.GetClient(),
		live:    mgr.GetAPIReader(),
		log:     o.Logger.WithValues("controller", name),
		record:  event.NewAPIRecorder(mgr.GetEventRecorderFor(name)), //nolint:staticcheck // crossplane-runtime's recorder takes the core/v1 one.
		clock:   clock.RealClock{},
		metrics: m,
		applied: newMemory(),
	}

	b := ctrl.NewControllerManagedBy(mgr).
		Named(name).
		WithOptions(o.ForControllerRuntime()).
		For(&v1alpha1.HostCluster{}, builder.WithPredicates(resource.DesiredStateChanged()))

	// A child has the name of its HostCluster, so whatever happens to it, also
	// to one that is in the way, wakes the right one, and at once.
	for _, child := range []client.Object{
		&v1alpha1.ProvisionedCluster{},
		&v1alpha1.ClusterAccess{},
		&v1alpha1.FluxBootstrap{},
		&v1alpha1.GitOpsEnvironment{},
		&v1alpha1.Administrator{},
	} {
		b = b.Watches(child, &handler.EnqueueRequestForObject{}, builder.WithPredicates(predicate.ResourceVersionChangedPredicate{}))
	}

	return errors.Wrap(b.Complete(o.Limit(name, r)), "cannot set up controller of HostClusters")
}

// A Reconciler brings HostClusters to what the plan says.
type Reconciler struct {
	// client reads from the cache.
	client client.Client

	// live reads from the API server.
	live client.Reader

	log     logging.Logger
	record  event.Recorder
	clock   clock.PassiveClock
	metrics *metrics
	applied *memory
}

var _ reconcile.Reconciler = &Reconciler{}

// Reconcile one HostCluster.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	hc := &v1alpha1.HostCluster{}
	if err := r.client.Get(ctx, req.NamespacedName, hc); err != nil {
		if kerrors.IsNotFound(err) {
			r.applied.forget(req.NamespacedName)
		}

		return reconcile.Result{}, errors.Wrap(client.IgnoreNotFound(err), "cannot get HostCluster")
	}

	var (
		res reconcile.Result
		err error
	)

	switch {
	case meta.IsPaused(hc):
		err = r.report(ctx, hc, hc.Status, xpv2.ReconcilePaused())
	case meta.WasDeleted(hc):
		err = r.delete(ctx, hc)
	default:
		res, err = r.advance(ctx, hc)
	}

	if stale(err) {
		r.log.Debug("The cache was behind the API server", "request", req, "reason", err.Error())

		return reconcile.Result{RequeueAfter: staleDelay}, nil
	}

	return res, err
}

// advance a HostCluster that is to be.
func (r *Reconciler) advance(ctx context.Context, hc *v1alpha1.HostCluster) (reconcile.Result, error) {
	if err := r.finalize(ctx, hc); err != nil {
		return reconcile.Result{}, err
	}

	seen, err := observe(ctx, r.client, client.ObjectKeyFromObject(hc))
	if err != nil {
		return reconcile.Result{}, err
	}

	out, err := plan.Plan(plan.Input{HostCluster: hc, Observed: seen, Now: r.clock.Now()})
	if err != nil {
		// To try again is of no use: the spec has to change first.
		return reconcile.Result{}, r.report(ctx, hc, hc.Status, xpv2.ReconcileError(err))
	}

	now, refused := r.apply(ctx, hc, seen, out.Desired)

	failed := join(refused)
	if stale(failed) {
		return reconcile.Result{}, failed
	}

	// What was just written changes the picture: a child whose spec is new is
	// not ready for it yet.
	out, err = plan.Plan(plan.Input{HostCluster: hc, Observed: now, Refused: refused, Now: r.clock.Now()})
	if err != nil {
		return reconcile.Result{}, err
	}

	if err := r.annotate(ctx, hc, out.Annotations); err != nil {
		return reconcile.Result{}, err
	}

	synced := xpv2.ReconcileSuccess()
	if failed != nil {
		synced = xpv2.ReconcileError(failed)
	}

	if err := r.report(ctx, hc, out.Status, synced); err != nil {
		return reconcile.Result{}, err
	}

	return reconcile.Result{RequeueAfter: out.RequeueAfter}, failed
}

// finalize makes sure that the HostCluster does not go before its children.
func (r *Reconciler) finalize(ctx context.Context, hc *v1alpha1.HostCluster) error {
	before := hc.DeepCopy()
	if !controllerutil.AddFinalizer(hc, v1alpha1.FinalizerHostCluster) {
		return nil
	}

	return errors.Wrap(r.client.Patch(ctx, hc, guarded(before)), "cannot add finalizer")
}

// annotate writes the annotations that differ.
func (r *Reconciler) annotate(ctx context.Context, hc *v1alpha1.HostCluster, want map[string]string) error {
	before := hc.DeepCopy()
	changed := false

	for k, v := range want {
		if hc.GetAnnotations()[k] != v {
			metav1.SetMetaDataAnnotation(&hc.ObjectMeta, k, v)

			changed = true
		}
	}

	if !changed {
		return nil
	}

	return errors.Wrap(r.client.Patch(ctx, hc, guarded(before)), "cannot annotate HostCluster")
}

// guarded is a patch that fails if somebody else wrote in between: what we
// decided on may not be so any more.
func guarded(before client.Object) client.Patch {
	return client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
}

// errStale says that the cache did not know yet of a child that is there.
var errStale = errors.New("the cache is behind the API server")

// stale tells whether an error means that the cache was behind.
func stale(err error) bool { return errors.Is(err, errStale) || kerrors.IsConflict(err) }
