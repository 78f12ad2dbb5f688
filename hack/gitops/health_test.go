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

package gitops

import (
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

var now = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// TestHealth shows what Argo CD and Flux, which uses kstatus, make of a HostCluster in each phase. Its status is the
// one that the controller gives it.
func TestHealth(t *testing.T) {
	script := scripts(t)["kubeopera.io_"+v1alpha1.HostClusterKind]

	cases := map[string]struct {
		reason string
		object *unstructured.Unstructured
		phase  v1alpha1.Phase
		argo   health
		flux   status.Status
	}{
		"NotLookedAt": {
			reason: "Nobody has looked at it, so nobody knows that it is well.",
			object: unseen(t, "connect-existing"),
			argo:   health{"Progressing", "Waiting for the provider to look at it"},
			flux:   status.InProgressStatus,
		},
		"Pending": {
			reason: "A Secret that comes later is no failure.",
			object: planned(t, "connect-existing", "pending", nil), phase: v1alpha1.PhasePending,
			argo: health{"Progressing", "Secret my-cluster-input-kubeconfig is not there yet"},
			flux: status.InProgressStatus,
		},
		"ValidatingAccess": {
			reason: "It goes on.",
			object: planned(t, "connect-existing", "validating-access", nil), phase: v1alpha1.PhaseValidatingAccess,
			argo: health{"Progressing", "Connection to https://10.0.0.1:6443 timed out"},
			flux: status.InProgressStatus,
		},
		"Provisioning": {
			reason: "It goes on, for as long as it takes.",
			object: planned(t, "provision-eks", "provisioning", nil), phase: v1alpha1.PhaseProvisioning,
			argo: health{"Progressing", "Creating aws_eks_cluster.this (17 of 41 resources)"},
			flux: status.InProgressStatus,
		},
		"Installing": {
			reason: "The last phase before Ready is not Ready.",
			object: planned(t, "connect-existing", "installing-kubeopera", nil), phase: v1alpha1.PhaseInstallingKubeOpera,
			argo: health{"Progressing", "apps: waiting for Deployment kubeopera-api"},
			flux: status.InProgressStatus,
		},
		"Ready": {
			reason: "It is well.",
			object: planned(t, "connect-existing", "ready", nil), phase: v1alpha1.PhaseReady,
			argo: health{"Healthy", "Flux healthy and reconciling fluxcd/clusters/my-cluster. Administrator admin@acme.com created."},
			flux: status.CurrentStatus,
		},
		"Stale": {
			reason: "What was Ready need not be so after a change.",
			object: planned(t, "connect-existing", "ready", nil, func(u *unstructured.Unstructured) { u.SetGeneration(2) }), phase: v1alpha1.PhaseReady,
			argo: health{"Progressing", "Waiting for the provider to look at what has changed"},
			flux: status.InProgressStatus,
		},
		"Failed": {
			reason: "It says so, with the cause. It is tried again, so kstatus does not give it up.",
			object: planned(t, "connect-existing", "failed", nil), phase: v1alpha1.PhaseFailed,
			argo: health{"Degraded", "The kubeconfig has an exec plugin that is not allowed: /usr/local/bin/aws. ValidatingAccess failed. It is tried again at least once a minute."},
			flux: status.InProgressStatus,
		},
		"Deleting": {
			reason: "While its children go, it goes on.",
			object: planned(t, "connect-existing", "ready", func(hc *v1alpha1.HostCluster) { hc.SetDeletionTimestamp(&metav1.Time{Time: now}) }), phase: v1alpha1.PhaseDeleting,
			argo: health{"Progressing", "Waits until these are deleted: ClusterAccess, FluxBootstrap, GitOpsEnvironment, Administrator."},
			flux: status.TerminatingStatus,
		},
		"Paused": {
			reason: "Somebody has to let it go on.",
			object: planned(t, "connect-existing", "ready", func(hc *v1alpha1.HostCluster) {
				hc.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
			}), phase: v1alpha1.PhaseReady,
			argo: health{"Suspended", "Paused by its annotation crossplane.io/paused"},
			flux: status.CurrentStatus,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			phase, _, err := unstructured.NestedString(tc.object.Object, "status", "phase")
			if err != nil || phase != string(tc.phase) {
				t.Fatalf("phase: got %s, %v, want %s", phase, err, tc.phase)
			}
			argo, err := run(t.Context(), script, tc.object)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.argo, argo); diff != "" {
				t.Errorf("%s\nArgo CD: -want, +got:\n%s", tc.reason, diff)
			}
			flux, err := status.Compute(tc.object)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.flux, flux.Status); diff != "" {
				t.Errorf("%s\nkstatus: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestChildren shows what both make of a managed resource by its Ready condition.
func TestChildren(t *testing.T) {
	all := scripts(t)

	cases := map[string]struct {
		reason    string
		condition xpv2.Condition
		argo      health
		flux      status.Status
	}{
		"Ready":    {"A message is shown, and without one the reason.", xpv2.Available(), health{"Healthy", "Available"}, status.CurrentStatus},
		"Creating": {"The work goes on.", xpv2.Creating().WithMessage("Installing Flux"), health{"Progressing", "Installing Flux"}, status.InProgressStatus},
		"Waiting": {
			"What is waited for may come.",
			xpv2.Condition{Type: xpv2.TypeReady, Status: corev1.ConditionFalse, Reason: v1alpha1.ReasonWaiting, Message: "Secret is not there yet"},
			health{"Progressing", "Secret is not there yet"},
			status.InProgressStatus,
		},
		"Denied": {
			"Nothing comes of waiting.",
			xpv2.Condition{Type: xpv2.TypeReady, Status: corev1.ConditionFalse, Reason: v1alpha1.ReasonDenied, Message: "may not get jobs"},
			health{"Degraded", "may not get jobs"},
			status.InProgressStatus,
		},
	}
	for _, kind := range []string{
		v1alpha1.ProvisionedClusterKind, v1alpha1.ClusterAccessKind, v1alpha1.FluxBootstrapKind, v1alpha1.GitOpsEnvironmentKind, v1alpha1.AdministratorKind,
	} {
		for name, tc := range cases {
			t.Run(kind+"/"+name, func(t *testing.T) {
				ca := &v1alpha1.ClusterAccess{} // whose status is that of any kind, as far as this goes
				ca.SetGeneration(1)
				ca.SetConditions(tc.condition.WithObservedGeneration(1))
				ca.SetObservedGeneration(1)
				u := generic(t, ca)
				u.SetGroupVersionKind(v1alpha1.Kind(kind))
				argo, err := run(t.Context(), all["kubeopera.io_"+kind], u)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.argo, argo); diff != "" {
					t.Errorf("%s\nArgo CD: -want, +got:\n%s", tc.reason, diff)
				}
				flux, err := status.Compute(u)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.flux, flux.Status); diff != "" {
					t.Errorf("%s\nkstatus: -want, +got:\n%s", tc.reason, diff)
				}
			})
		}
	}
}
