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
	"slices"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// Ours tells whether the plan sets conditions of a type.
func Ours(t xpv2.ConditionType) bool {
	switch t {
	case xpv2.TypeReady,
		v1alpha1.TypeInfrastructureReady,
		v1alpha1.TypeAccessValidated,
		v1alpha1.TypeFluxReady,
		v1alpha1.TypeEnvironmentReady,
		v1alpha1.TypePlatformInstalled,
		v1alpha1.TypeAdministratorReady:
		return true
	default:
		return false
	}
}

// conditions of the new status: Ready, the steps in order, and after them
// those that are not ours, as they were.
func (p *planner) conditions(o outcome, msg string) []xpv2.Condition {
	cs := make([]xpv2.Condition, 0, len(p.results)+2)
	cs = append(cs, p.condition(xpv2.TypeReady, o.ready(), o.readyReason(), msg))

	for _, r := range p.results {
		if !p.deleting() {
			cs = append(cs, p.condition(r.condition, r.status, r.reason, r.message))
		}
	}

	for _, c := range p.hc.Status.Conditions {
		// While children go one by one, the last that was known of the steps stays.
		if !Ours(c.Type) || p.deleting() && c.Type != xpv2.TypeReady {
			cs = append(cs, c)
		}
	}

	return slices.Clip(cs)
}

// condition with the time of its last transition.
func (p *planner) condition(t xpv2.ConditionType, s corev1.ConditionStatus, reason xpv2.ConditionReason, msg string) xpv2.Condition {
	c := xpv2.Condition{
		Type:               t,
		Status:             s,
		LastTransitionTime: p.stamp(),
		Reason:             reason,
		Message:            msg,
		ObservedGeneration: p.hc.GetGeneration(),
	}

	if old := p.hc.Status.GetCondition(t); old.Status == s && !old.LastTransitionTime.IsZero() {
		c.LastTransitionTime = metav1.NewTime(old.LastTransitionTime.Time)
	}

	if c.Reason == "" {
		c.Reason = v1alpha1.ReasonInProgress
	}

	return c
}
