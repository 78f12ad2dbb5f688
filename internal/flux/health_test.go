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

package flux

import (
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

const (
	rev1 = "main@sha1:1111111111111111111111111111111111111111"
	rev2 = "main@sha1:2222222222222222222222222222222222222222"
	hash = "h1"
)

var now = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }

func ready(status metav1.ConditionStatus, reason, msg string, since time.Duration) []metav1.Condition {
	return []metav1.Condition{{Type: meta.ReadyCondition, Status: status, Reason: reason, Message: msg, LastTransitionTime: ago(since)}}
}

// healthy is a sync with all three layers at revision 1.
func healthy() Observed {
	o := Observed{
		Source: &sourcev1.GitRepository{Status: sourcev1.GitRepositoryStatus{
			Artifact:   &meta.Artifact{Revision: rev1, LastUpdateTime: ago(time.Hour)},
			Conditions: ready(metav1.ConditionTrue, "Succeeded", "stored artifact", time.Hour),
		}},
		Root:   layer(""),
		Layers: map[v1alpha1.Layer]*kustomizev1.Kustomization{},
	}
	for _, l := range []v1alpha1.Layer{"infrastructure", "secrets", "apps"} {
		o.Layers[l] = layer(l)
	}
	return o
}

func layer(name v1alpha1.Layer) *kustomizev1.Kustomization {
	k := &kustomizev1.Kustomization{}
	k.Name = name.KustomizationName()
	k.Generation = 1
	k.Annotations = map[string]string{v1alpha1.AnnotationTreeHash: hash}
	k.Spec.Timeout = &metav1.Duration{Duration: 5 * time.Minute}
	k.Status.ObservedGeneration = 1
	k.Status.LastAppliedRevision = rev1
	k.Status.Conditions = ready(metav1.ConditionTrue, "ReconciliationSucceeded", "Applied revision", time.Hour)
	return k
}

func TestJudge(t *testing.T) {
	type want struct {
		ready   bool
		reason  xpv2.ConditionReason
		message string
	}
	inProgress := func(msg string) want { return want{reason: v1alpha1.ReasonInProgress, message: msg} }
	unhealthy := func(msg string) want { return want{reason: v1alpha1.ReasonUnhealthy, message: msg} }
	newCommit := func(o *Observed, since time.Duration) {
		o.Source.Status.Artifact.Revision = rev2
		o.Source.Status.Artifact.LastUpdateTime = ago(since)
	}

	cases := map[string]struct {
		reason  string
		change  func(o *Observed)
		settled bool
		want    want
	}{
		"Healthy": {reason: "Everything is at the source's revision.", want: want{ready: true}},
		"NoSource": {
			reason: "It was applied a moment ago.",
			change: func(o *Observed) { o.Source = nil },
			want:   inProgress("Git source: it is not there yet"),
		},
		"SourceFails": {
			reason: "The root cause comes first, whatever else is not ready.",
			change: func(o *Observed) {
				o.Source.Status.Conditions = ready(metav1.ConditionFalse, "GitOperationFailed", "failed to checkout and determine revision: unable to list remote for 'https://git.example.com/acme/iac.git': authentication required: ", 0)
				o.Layers["apps"].Status.Conditions = ready(metav1.ConditionFalse, "HealthCheckFailed", "timeout", 0)
			},
			want: unhealthy("Git source: authentication required: correct the credentials in Secret git"),
		},
		"SourceSuspended": {
			reason: "Somebody has stopped it, and has to be told how to go on.",
			change: func(o *Observed) { o.Source.Name, o.Source.Spec.Suspend = "kubeopera", true },
			want:   unhealthy("Git source: it is suspended (flux resume source git kubeopera)"),
		},
		"RootFails": {
			reason: "A root that does not apply beats its layers.",
			change: func(o *Observed) {
				o.Root.Status.Conditions = ready(metav1.ConditionFalse, "BuildFailed", "kustomize build failed:\n  missing file", 0)
				delete(o.Layers, "apps")
			},
			want: unhealthy("root: kustomize build failed: missing file"),
		},
		"LayerMissing": {
			reason: "The root has not applied it yet.",
			change: func(o *Observed) { delete(o.Layers, "secrets") },
			want:   inProgress("secrets: it is not applied yet"),
		},
		"LayerOfAnotherTree": {
			reason: "It was applied, but not by the tree that is asked for.",
			change: func(o *Observed) { o.Layers["secrets"].Annotations[v1alpha1.AnnotationTreeHash] = "old" },
			want:   inProgress("secrets: it is still of another tree than ours"),
		},
		"OnlyAnnotated": {
			reason: "The tree's hash is on the layer, but it has not applied the revision: an annotation does not change a generation.",
			change: func(o *Observed) {
				newCommit(o, time.Second)
				o.Root.Status.LastAppliedRevision = rev2
			},
			want: inProgress("infrastructure: it has still to apply " + rev2),
		},
		"LayerFails": {
			reason: "A failing layer beats one that waits for it, though that comes first.",
			change: func(o *Observed) {
				o.Layers["infrastructure"].Status.Conditions = ready(metav1.ConditionUnknown, "Progressing", "Reconciliation in progress", 0)
				o.Layers["secrets"].Status.Conditions = ready(metav1.ConditionFalse, "HealthCheckFailed", "SealedSecret/a/b: no key could decrypt secret", 0)
				o.Layers["apps"].Status.Conditions = ready(metav1.ConditionFalse, meta.DependencyNotReadyReason, "dependency not ready", 0)
			},
			want: unhealthy("secrets: SealedSecret/a/b: no key could decrypt secret"),
		},
		"LayerChanged": {
			reason: "Its conditions are about what it was.",
			change: func(o *Observed) {
				o.Layers["apps"].Generation = 2
				o.Layers["apps"].Status.Conditions = ready(metav1.ConditionFalse, "HealthCheckFailed", "old", 0)
			},
			want: inProgress("apps: it is not reconciled yet since it has changed"),
		},
		"LayerSuspended": {
			reason: "A suspended layer is not reconciled.",
			change: func(o *Observed) { o.Layers["apps"].Spec.Suspend = true },
			want:   unhealthy("apps: it is suspended (flux resume kustomization kubeopera-apps)"),
		},
		"SettledSomebodyElsesCommit": {
			reason:  "A commit of somebody else moves the source: no alarm.",
			settled: true,
			change: func(o *Observed) {
				newCommit(o, time.Minute)
				o.Layers["infrastructure"].Status.Conditions = ready(metav1.ConditionUnknown, "Progressing", "Reconciliation in progress", time.Minute)
				o.Layers["secrets"].Status.Conditions = ready(metav1.ConditionFalse, meta.DependencyNotReadyReason, "dependency not ready", time.Minute)
			},
			want: want{ready: true},
		},
		"SettledTooLong": {
			reason:  "What takes longer than its timeout is an alarm.",
			settled: true,
			change: func(o *Observed) {
				newCommit(o, 6*time.Minute)
				for _, l := range []v1alpha1.Layer{"", "infrastructure", "secrets", "apps"} {
					if k := o.Layers[l]; k != nil {
						k.Status.LastAppliedRevision = rev2
					}
				}
				o.Root.Status.LastAppliedRevision = rev2
				o.Layers["infrastructure"].Status.LastAppliedRevision = rev1
				o.Layers["infrastructure"].Status.Conditions = ready(metav1.ConditionUnknown, "Progressing", "Reconciliation in progress", 6*time.Minute)
			},
			want: inProgress("infrastructure: Reconciliation in progress"),
		},
		"SettledFails": {
			reason:  "A layer that fails is an alarm at once.",
			settled: true,
			change: func(o *Observed) {
				o.Layers["apps"].Status.Conditions = ready(metav1.ConditionFalse, "HealthCheckFailed", "Deployment/x: exceeded its progress deadline", 0)
			},
			want: unhealthy("apps: Deployment/x: exceeded its progress deadline"),
		},
		"SettledOtherTree": {
			reason:  "Somebody put another tree in the place of ours.",
			settled: true,
			change:  func(o *Observed) { o.Layers["apps"].Annotations[v1alpha1.AnnotationTreeHash] = "theirs" },
			want:    inProgress("apps: it is still of another tree than ours"),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := healthy()
			if tc.change != nil {
				tc.change(&o)
			}
			h := Judge(o, Expected{TreeHash: hash, Layers: []v1alpha1.Layer{"infrastructure", "secrets", "apps"}, Settled: tc.settled, Credentials: "Secret git", Now: now})
			got := want{ready: h.Ready, reason: h.Reason, message: h.Message}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if len(h.Layers) != 3 {
				t.Errorf("\n%s\nlayers: %v", tc.reason, h.Layers)
			}
		})
	}
}

func TestTrouble(t *testing.T) {
	waiting := func(reason, msg string) corev1.PodStatus {
		return corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: msg}},
		}}}
	}
	crashed := waiting("CrashLoopBackOff", "back-off 10s")
	crashed.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{Reason: "OOMKilled"}

	cases := map[string]struct {
		reason string
		status corev1.PodStatus
		want   string
	}{
		"Starting": {reason: "It passes by itself.", status: waiting("ContainerCreating", "")},
		"Image":    {reason: "The usual trouble behind a firewall.", status: waiting("ImagePullBackOff", "Back-off pulling image x"), want: "ImagePullBackOff: Back-off pulling image x"},
		"Crash":    {reason: "What ended it matters more than that it is started again.", status: crashed, want: "CrashLoopBackOff: OOMKilled back-off 10s"},
		"Pending": {
			reason: "No node takes it.",
			status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/1 nodes are available"}}},
			want:   "Unschedulable: 0/1 nodes are available",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, trouble(&corev1.Pod{Status: tc.status})); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
