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

package external

import (
	"math/rand/v2"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	rtclient "sigs.k8s.io/controller-runtime/pkg/client"
	rtcontroller "sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"
	"github.com/crossplane/crossplane-runtime/v2/pkg/ratelimiter"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
)

const (
	// unreadyPoll is how often a resource that is not ready is looked at first.
	// Nothing outside tells us when it becomes ready, and people wait for it.
	unreadyPoll = time.Second

	// patience is the part of the time that it has not been ready for, after
	// which a resource is looked at again: what took long will go on to.
	patience = 30

	// baseDelay and maxDelay bound the wait after an error.
	baseDelay = 200 * time.Millisecond
	maxDelay  = time.Minute

	// timeout bounds one reconcile, with all its calls to the outside.
	timeout = 2 * time.Minute
)

// Options of all controllers of this provider.
type Options struct {
	controller.Options

	// PollJitter is the largest part of the poll interval, 0 to 1, by which
	// polls are spread.
	PollJitter float64
}

// RateLimiter returns the wait of one object after errors: from 200 ms,
// doubled each time, up to a minute. Crossplane's default starts at a second,
// which is long where one child waits for another.
func RateLimiter() workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](baseDelay, maxDelay)
}

// ForControllerRuntime returns the options for a controller of controller-runtime.
func (o Options) ForControllerRuntime() rtcontroller.Options {
	rt := o.Options.ForControllerRuntime()
	rt.RateLimiter = RateLimiter()

	return rt
}

// NewReconciler returns a reconciler of managed resources that drives a workflow.
func NewReconciler[M resource.Managed, S any](mgr ctrl.Manager, o Options, kind schema.GroupVersionKind, w Workflow[M, S], extra ...managed.ReconcilerOption) reconcile.Reconciler {
	name := managed.ControllerName(kind.GroupKind().String())
	recorder := event.NewAPIRecorder(mgr.GetEventRecorderFor(name)) //nolint:staticcheck // crossplane-runtime's recorder takes the core/v1 one.

	opts := []managed.ReconcilerOption{
		managed.WithTypedExternalConnector(NewConnector(w)),
		managed.WithLogger(o.Logger.WithValues("controller", name)),
		managed.WithRecorder(recorder),
		managed.WithPollInterval(o.PollInterval),
		managed.WithPollIntervalHook(PollInterval(o.PollJitter)),
		managed.WithTimeout(timeout),
		managed.WithCreationGracePeriod(0),
		managed.WithDeterministicExternalName(true),
		managed.WithInitializers(registrar{client: mgr.GetClient()}),
	}

	if o.Features.Enabled(feature.EnableBetaManagementPolicies) {
		opts = append(opts, managed.WithManagementPolicies())
	}

	if m := o.MetricOptions; m != nil {
		opts = append(opts, managed.WithMetricRecorder(m.MRMetrics))
	}

	r := paced{
		Reconciler: managed.NewReconciler(quietManager{mgr}, resource.ManagedKind(kind), append(opts, extra...)...),
		client:     mgr.GetClient(), scheme: mgr.GetScheme(), kind: kind, poll: o.PollInterval,
	}

	return o.Limit(name, r)
}

// Limit a controller's reconciles to its part of what all controllers may do
// together.
func (o Options) Limit(name string, r reconcile.Reconciler) reconcile.Reconciler {
	if o.GlobalRateLimiter == nil {
		return r
	}

	return ratelimiter.NewReconciler(name, r, o.GlobalRateLimiter)
}

// NewBuilder returns a controller builder for a kind of managed resource. Its
// own status and time stamps do not wake it; add Watches for what does.
func NewBuilder(mgr ctrl.Manager, o Options, kind schema.GroupVersionKind, of rtclient.Object) *builder.Builder {
	return ctrl.NewControllerManagedBy(mgr).
		Named(managed.ControllerName(kind.GroupKind().String())).
		WithOptions(o.ForControllerRuntime()).
		For(of, builder.WithPredicates(resource.DesiredStateChanged()))
}

// PollInterval returns when to look at a managed resource again: after the
// poll interval, spread by the jitter, when it is ready, and soon while it is
// not, but the later the longer that lasts.
func PollInterval(jitter float64) managed.PollIntervalHook {
	return func(mg resource.Managed, poll time.Duration) time.Duration {
		switch c := mg.GetCondition(xpv2.TypeReady); {
		case c.LastTransitionTime.IsZero():
			return min(unreadyPoll, poll)
		case c.Status != corev1.ConditionTrue:
			return min(max(time.Since(c.LastTransitionTime.Time)/patience, unreadyPoll), poll)
		}

		spread := (rand.Float64()*2 - 1) * jitter //nolint:gosec // Spreading load needs no secrecy.

		return poll + time.Duration(spread*float64(poll))
	}
}
