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
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

func TestIdle(t *testing.T) {
	paused := xpv2.ReconcilePaused()
	cases := map[string]struct {
		reason   string
		policies xpv2.ManagementPolicies
		observed int64
		ready    xpv2.ConditionReason
		synced   xpv2.Condition
		want     bool
	}{
		"Looked":   {reason: "Nothing has begun, and nothing can.", policies: observeOnly(), observed: 2, ready: v1alpha1.ReasonWaiting, synced: xpv2.ReconcileSuccess(), want: true},
		"Missing":  {reason: "Without credentials nothing can have begun.", policies: observeOnly(), observed: 2, ready: v1alpha1.ReasonRefused, synced: xpv2.ReconcileError(errors.New("no key")), want: true},
		"Rights":   {reason: "Nor without the right to run anything.", policies: observeOnly(), observed: 2, ready: v1alpha1.ReasonDenied, synced: xpv2.ReconcileError(errors.New("may not")), want: true},
		"Failed":   {reason: "A look that failed has seen nothing.", policies: observeOnly(), observed: 2, ready: v1alpha1.ReasonFailing, synced: xpv2.ReconcileError(errors.New("etcd")), want: false},
		"Silent":   {reason: "Nor has one without an answer.", policies: observeOnly(), observed: 2, ready: v1alpha1.ReasonUnreachable, synced: xpv2.ReconcileError(errors.New("timeout")), want: false},
		"Paused":   {reason: "Nobody looks.", policies: observeOnly(), observed: 1, ready: v1alpha1.ReasonWaiting, synced: paused, want: false},
		"Before":   {reason: "It was looked at before it was told not to begin.", policies: observeOnly(), observed: 1, ready: v1alpha1.ReasonWaiting, synced: xpv2.ReconcileSuccess(), want: false},
		"MayBegin": {reason: "It was not told.", policies: xpv2.ManagementPolicies{xpv2.ManagementActionAll}, observed: 2, ready: v1alpha1.ReasonWaiting, synced: xpv2.ReconcileSuccess(), want: false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			pc := &v1alpha1.ProvisionedCluster{}
			pc.Generation = 2
			pc.Spec.ManagementPolicies = tc.policies
			pc.Status.ObservedGeneration = tc.observed
			pc.SetConditions(tc.synced, xpv2.Condition{Type: xpv2.TypeReady, Status: corev1.ConditionFalse, Reason: tc.ready})

			if got := Idle(pc); got != tc.want {
				t.Errorf("%s\nwant %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
