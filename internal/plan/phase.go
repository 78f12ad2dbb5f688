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

package plan

import (
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// An outcome is what the results mean to people.
type outcome struct {
	phase v1alpha1.Phase

	// walking is the phase that the walk has come to. It differs from phase
	// while that is Failed, Pending (then it is empty) or Deleting.
	walking v1alpha1.Phase

	// cause is the result that explains the phase; nil when everything is done.
	cause *result

	requeueAfter time.Duration
}

// project the results to a phase. Nothing else depends on the phase.
func (p *planner) project() outcome {
	if p.deleting() {
		return outcome{phase: v1alpha1.PhaseDeleting}
	}

	current := p.first(func(r result) bool { return !r.done })

	switch {
	case current == nil:
		return outcome{phase: v1alpha1.PhaseReady, walking: v1alpha1.PhaseReady}
	case p.installed:
		return p.projectInstalled(current)
	case current.status == corev1.ConditionUnknown:
		return outcome{phase: v1alpha1.PhasePending, cause: current}
	case v1alpha1.IsTerminal(current.reason), current.overdue(p.now):
		return outcome{phase: v1alpha1.PhaseFailed, walking: current.phase, cause: current}
	default:
		return outcome{phase: current.phase, walking: current.phase, cause: current, requeueAfter: current.expires.Sub(p.now)}
	}
}

// projectInstalled never walks the phases again: a cluster that was installed
// is Ready, or Failed once something has been wrong for too long.
func (p *planner) projectInstalled(current *result) outcome {
	o := outcome{phase: v1alpha1.PhaseReady, walking: v1alpha1.PhaseReady, cause: current}

	if late := p.first(func(r result) bool { return r.overdue(p.now) }); late != nil {
		o.phase, o.cause = v1alpha1.PhaseFailed, late
	}

	for _, r := range p.results {
		if r.expires.IsZero() || r.overdue(p.now) {
			continue
		}

		if left := r.expires.Sub(p.now); o.requeueAfter == 0 || left < o.requeueAfter {
			o.requeueAfter = left
		}
	}

	return o
}

// first result that a test holds for; nil if there is none.
func (p *planner) first(test func(result) bool) *result {
	for i := range p.results {
		if test(p.results[i]) {
			return &p.results[i]
		}
	}

	return nil
}

// readyReason is the reason of the Ready condition.
func (o outcome) readyReason() xpv2.ConditionReason {
	switch {
	case o.phase == v1alpha1.PhaseDeleting:
		return xpv2.ReasonDeleting
	case o.cause == nil:
		return xpv2.ReasonAvailable
	case o.phase == v1alpha1.PhaseReady:
		return xpv2.ReasonUnavailable
	case o.phase == v1alpha1.PhaseFailed, o.phase == v1alpha1.PhasePending:
		return o.cause.reason
	default:
		return xpv2.ReasonCreating
	}
}

// ready tells whether everything is as it should be.
func (o outcome) ready() corev1.ConditionStatus {
	if o.phase == v1alpha1.PhaseReady && o.cause == nil {
		return corev1.ConditionTrue
	}

	return corev1.ConditionFalse
}
