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
	"slices"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/plan"
)

// report writes a status and how the reconcile went, if that is news, and
// tells of it in an event and in metrics.
func (r *Reconciler) report(ctx context.Context, hc *v1alpha1.HostCluster, status v1alpha1.HostClusterStatus, synced xpv2.Condition) error {
	before := hc.DeepCopy()
	status.DeepCopyInto(&hc.Status)

	hc.SetConditions(synced.WithObservedGeneration(hc.GetGeneration()))
	plan.Stamp(&before.Status, &hc.Status, metav1.NewTime(r.clock.Now()))

	if equality.Semantic.DeepEqual(before.Status, hc.Status) {
		return nil
	}

	if err := r.client.Status().Patch(ctx, hc, guarded(before)); err != nil {
		return errors.Wrap(err, "cannot write status")
	}

	r.tell(hc, before.Status)

	return nil
}

// reasonWarning is the reason of an event about the way into the cluster.
const reasonWarning event.Reason = "AccessWarning"

// tell of a change of phase, and of new warnings.
func (r *Reconciler) tell(hc *v1alpha1.HostCluster, before v1alpha1.HostClusterStatus) {
	r.metrics.observe(hc.Spec.Mode, before.PhaseHistory, hc.Status.PhaseHistory)

	for _, w := range hc.Status.Warnings {
		if !slices.Contains(before.Warnings, w) {
			r.record.Event(hc, event.Warning(reasonWarning, errors.New(string(w))))
		}
	}

	if hc.Status.Phase == before.Phase {
		return
	}

	r.log.Info("HostCluster has come to another phase",
		"namespace", hc.GetNamespace(), "name", hc.GetName(),
		"phase", hc.Status.Phase, "before", before.Phase, "message", hc.Status.Message)

	reason := event.Reason(hc.Status.Phase)

	if hc.Status.Phase == v1alpha1.PhaseFailed {
		r.record.Event(hc, event.Warning(reason, errors.New(hc.Status.Message)))

		return
	}

	r.record.Event(hc, event.Normal(reason, hc.Status.Message))
}
