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

// How long the steps may take before they count as failed. The work goes on
// all the same. Counted from when the step began, or was undone again.
const (
	// provisioningDeadline is above the 10 to 40 minutes that clouds take,
	// with the 20 minutes that a kubeconfig may take after that.
	provisioningDeadline = 60 * time.Minute

	// accessDeadline is what users were promised for temporary errors.
	accessDeadline = 5 * time.Minute

	// newAccessDeadline lets DNS learn of a new cluster's address.
	newAccessDeadline = 10 * time.Minute

	// fluxDeadline is for pulling three images on a slow line.
	fluxDeadline = 10 * time.Minute

	// environmentDeadline is for two pushes, and between them for the Sealed
	// Secrets controller to be pulled and started.
	environmentDeadline = 10 * time.Minute

	// installDeadline is for everything that the full profile brings.
	installDeadline = 30 * time.Minute

	// administratorDeadline is for two small writes.
	administratorDeadline = 5 * time.Minute

	// grace is how long a condition of an installed cluster may be False,
	// unless it says that work is in progress as it should.
	grace = 5 * time.Minute
)

// A step is one condition on the way to Ready.
type step struct {
	condition xpv2.ConditionType
	phase     v1alpha1.Phase
	deadline  time.Duration
	judge     func() verdict
}

// A result is how a step stands.
type result struct {
	step
	verdict

	// status of the condition: Unknown until the step begins.
	status corev1.ConditionStatus

	// since is when the condition got this status.
	since time.Time

	// expires is when the step counts as failed; zero if it does not.
	expires time.Time
}

// overdue tells whether the step has outlived its deadline.
func (r result) overdue(now time.Time) bool { return !r.expires.IsZero() && !now.Before(r.expires) }

// steps of the mode, in order.
func (p *planner) steps() []step {
	var s []step

	access := step{v1alpha1.TypeAccessValidated, v1alpha1.PhaseValidatingAccess, accessDeadline, p.accessVerdict}

	if p.hc.Spec.Mode.Provisions() {
		access.phase, access.deadline = v1alpha1.PhaseProvisioning, newAccessDeadline
		s = append(s, step{v1alpha1.TypeInfrastructureReady, v1alpha1.PhaseProvisioning, provisioningDeadline, p.infrastructureVerdict})
	}

	s = append(s, access)

	if p.managed() {
		s = append(s,
			step{v1alpha1.TypeFluxReady, v1alpha1.PhaseBootstrappingFlux, fluxDeadline, p.fluxVerdict},
			step{v1alpha1.TypeEnvironmentReady, v1alpha1.PhaseGeneratingGitOpsTree, environmentDeadline, p.environmentVerdict},
			step{v1alpha1.TypePlatformInstalled, v1alpha1.PhaseInstallingKubeOpera, installDeadline, p.platformVerdict})
	}

	if p.managed() && (p.hc.Spec.AdminEmail != nil || p.seen.Administrator != nil) {
		s = append(s, step{v1alpha1.TypeAdministratorReady, v1alpha1.PhaseInstallingKubeOpera, administratorDeadline, p.administratorVerdict})
	}

	return s
}

// walk judges every step. Until the platform is installed, a step begins when
// those before it are done; from then on all of them are watched at once.
func (p *planner) walk() []result {
	steps := p.steps()
	results := make([]result, 0, len(steps))

	var before *step // The first step that is not done.

	for i := range steps {
		r := result{step: steps[i], verdict: steps[i].judge()}

		switch {
		case r.done:
			r.status = corev1.ConditionTrue
		case before != nil && !p.installed:
			r.status = corev1.ConditionUnknown
			r.verdict = waiting("Waits for " + string(before.condition))
		case p.pending(r):
			r.status = corev1.ConditionUnknown
		default:
			r.status = corev1.ConditionFalse
		}

		r.since = p.since(r)
		r.expires = p.expires(r)

		if !r.done && before == nil {
			before = &steps[i]
		}

		results = append(results, r)
	}

	return results
}

// pending tells whether a step waits for somebody to bring the kubeconfig.
// There is no hurry, so its condition does not turn False.
func (p *planner) pending(r result) bool {
	return !p.installed && r.condition == v1alpha1.TypeAccessValidated &&
		p.hc.Spec.Mode == v1alpha1.ModeConnectExisting && r.reason == v1alpha1.ReasonWaiting
}

// since is when a step's condition got its status.
func (p *planner) since(r result) time.Time {
	old := p.hc.Status.GetCondition(r.condition)
	if old.Status == r.status && !old.LastTransitionTime.IsZero() {
		return old.LastTransitionTime.Time
	}

	return p.stamp().Time
}

// expires is when a step counts as failed.
func (p *planner) expires(r result) time.Time {
	switch {
	case r.status != corev1.ConditionFalse:
		return time.Time{}
	case p.installed && r.reason != v1alpha1.ReasonInProgress:
		return r.since.Add(grace)
	default:
		return r.since.Add(r.deadline)
	}
}

// isDone tells whether the step of a condition is done.
func (p *planner) isDone(t xpv2.ConditionType) bool {
	for _, r := range p.results {
		if r.condition == t {
			return r.done
		}
	}

	return false
}
