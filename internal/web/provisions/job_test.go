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

package provisions

import (
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

func TestJobOf(t *testing.T) {
	condition := func(typ xpv2.ConditionType, s corev1.ConditionStatus, r xpv2.ConditionReason, msg string, generation int64) xpv2.Condition {
		return xpv2.Condition{Type: typ, Status: s, Reason: r, Message: msg, ObservedGeneration: generation}
	}
	ready := func(s corev1.ConditionStatus, r xpv2.ConditionReason, msg string) xpv2.Condition {
		return condition(xpv2.TypeReady, s, r, msg, 2)
	}
	type brief struct {
		Status     Status
		Message    string
		Kubeconfig bool
	}
	cases := map[string]struct {
		reason     string
		conditions []xpv2.Condition
		at         v1alpha1.ProvisionedClusterObservation
		deleted    bool
		pod        *corev1.Pod
		want       brief
	}{
		"New": {
			reason: "No provider has looked at it.",
			want:   brief{Queued, "Queued: the provider has not looked at it yet", false},
		},
		"Waiting": {
			reason:     "What it waits for may come; that is no failure.",
			conditions: []xpv2.Condition{ready(corev1.ConditionFalse, v1alpha1.ReasonWaiting, "ProviderConfig a/b is not there yet")},
			want:       brief{Queued, "ProviderConfig a/b is not there yet", false},
		},
		"Refused": {
			reason:     "Without a run, too, it has failed if somebody has to act.",
			conditions: []xpv2.Condition{ready(corev1.ConditionFalse, v1alpha1.ReasonRefused, "Secret a/b key c holds no access key")},
			want:       brief{Failed, "Secret a/b key c holds no access key", false},
		},
		"Running": {
			reason:     "The message has the progress.",
			conditions: []xpv2.Condition{ready(corev1.ConditionFalse, v1alpha1.ReasonInProgress, "module.eks (3 of 9 resources)")},
			at:         v1alpha1.ProvisionedClusterObservation{RunID: "r", RunStatus: v1alpha1.RunRunning},
			want:       brief{Running, "module.eks (3 of 9 resources)", false},
		},
		"RunningAgain": {
			reason:     "The cluster is there while a later run changes it.",
			conditions: []xpv2.Condition{ready(corev1.ConditionFalse, v1alpha1.ReasonInProgress, "Provisioning")},
			at:         v1alpha1.ProvisionedClusterObservation{RunID: "r", RunStatus: v1alpha1.RunRunning, AppliedRevision: "1"},
			want:       brief{Running, "Provisioning", true},
		},
		"Succeeded": {
			reason:     "It is there, as it was asked for.",
			conditions: []xpv2.Condition{ready(corev1.ConditionTrue, xpv2.ReasonAvailable, "The cluster is there: https://a")},
			at:         v1alpha1.ProvisionedClusterObservation{RunID: "r", RunStatus: v1alpha1.RunSucceeded, AppliedRevision: "1"},
			want:       brief{Succeeded, "The cluster is there: https://a", true},
		},
		"Changed": {
			reason:     "The spec is a newer one than what was found ready.",
			conditions: []xpv2.Condition{condition(xpv2.TypeReady, corev1.ConditionTrue, xpv2.ReasonAvailable, "The cluster is there", 1)},
			at:         v1alpha1.ProvisionedClusterObservation{RunID: "r", RunStatus: v1alpha1.RunSucceeded, AppliedRevision: "1"},
			want:       brief{Queued, "The cluster is there", true},
		},
		"Failed": {
			reason:     "The message has the next try.",
			conditions: []xpv2.Condition{ready(corev1.ConditionFalse, v1alpha1.ReasonFailing, "Timeout. Next try at 12:00")},
			at:         v1alpha1.ProvisionedClusterObservation{RunID: "r", RunStatus: v1alpha1.RunFailed},
			want:       brief{Failed, "Timeout. Next try at 12:00", false},
		},
		"NotSynced": {
			reason:     "The provider cannot look at it.",
			conditions: []xpv2.Condition{condition(xpv2.TypeSynced, corev1.ConditionFalse, xpv2.ReasonReconcileError, "cannot get jobs", 2)},
			want:       brief{Queued, "cannot get jobs", false},
		},
		"Paused": {
			reason:     "Nothing happens, and it is said how to go on.",
			conditions: []xpv2.Condition{xpv2.ReconcilePaused()},
			want:       brief{Queued, "Paused: remove annotation crossplane.io/paused of ProvisionedCluster a", false},
		},
		"Destroying": {
			reason:     "Whatever was before.",
			conditions: []xpv2.Condition{ready(corev1.ConditionFalse, xpv2.ReasonDeleting, "Destroying: the run is starting")},
			at:         v1alpha1.ProvisionedClusterObservation{RunID: "r", RunStatus: v1alpha1.RunSucceeded, AppliedRevision: "1"},
			deleted:    true,
			want:       brief{InDestroy, "Destroying: the run is starting", false},
		},
		"DestroyFailed": {
			reason:     "Infrastructure that stays is no progress.",
			conditions: []xpv2.Condition{ready(corev1.ConditionFalse, xpv2.ReasonDeleting, "Auth: denied")},
			at:         v1alpha1.ProvisionedClusterObservation{RunID: "r", Action: v1alpha1.RunDestroy, RunStatus: v1alpha1.RunFailed},
			deleted:    true,
			want:       brief{Failed, "Auth: denied", false},
		},
		"PodEnded": {
			reason:     "The run has ended, and nobody has read yet how.",
			conditions: []xpv2.Condition{ready(corev1.ConditionFalse, v1alpha1.ReasonInProgress, "Provisioning")},
			at:         v1alpha1.ProvisionedClusterObservation{RunID: "r", RunStatus: v1alpha1.RunRunning},
			pod:        podOf("r", corev1.PodSucceeded),
			want:       brief{Running, podMessage, false},
		},
		"PodOfAnother": {
			reason: "It tells nothing of this run.",
			at:     v1alpha1.ProvisionedClusterObservation{RunID: "r", RunStatus: v1alpha1.RunQueued},
			pod:    podOf("q", corev1.PodRunning),
			want:   brief{Queued, "Queued: the provider has not looked at it yet", false},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			pc := &v1alpha1.ProvisionedCluster{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "ns", Generation: 2}}
			pc.Spec.WriteConnectionSecretToReference = &xpv2.LocalSecretReference{Name: "s"}
			pc.Status.AtProvider = tc.at
			pc.Status.ConditionedStatus.SetConditions(tc.conditions...)
			if tc.deleted {
				pc.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
			}
			j := jobOf(pc, tc.pod, "other")
			got := brief{Status: j.Status, Message: j.Message, Kubeconfig: j.Links.Kubeconfig != ""}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s\n-want +got\n%s", tc.reason, d)
			}
			if want := Path + "/a?namespace=ns"; j.Links.Self != want {
				t.Errorf("self: %s, want %s", j.Links.Self, want)
			}
		})
	}
}

func podOf(id string, phase corev1.PodPhase) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Labels: map[string]string{run.LabelRun: id}},
		Status:     corev1.PodStatus{Phase: phase},
	}
}
