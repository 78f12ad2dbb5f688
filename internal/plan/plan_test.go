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
	"strings"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// TestDeleting: the children stay desired, and the message says what is left.
func TestDeleting(t *testing.T) {
	w := newWorld(v1alpha1.ModeConnectExisting)
	w.settle(t)
	w.install(t)

	history := w.hc.Status.PhaseHistory
	w.hc.DeletionTimestamp = new(metav1.NewTime(w.now))
	w.hc.Generation++

	out := w.settle(t)
	if out.Status.Phase != v1alpha1.PhaseDeleting || out.Status.Message != "Waits until these are deleted: ClusterAccess, FluxBootstrap, GitOpsEnvironment, Administrator." {
		t.Errorf("got %s: %s", out.Status.Phase, out.Status.Message)
	}

	if diff := cmp.Diff(history, out.Status.PhaseHistory); diff != "" {
		t.Errorf("phaseHistory: -want, +got:\n%s", diff)
	}

	w.seen = Children{ClusterAccess: w.seen.ClusterAccess, FluxBootstrap: w.seen.FluxBootstrap}
	w.seen.ClusterAccess.DeletionTimestamp = w.hc.DeletionTimestamp
	w.unready(w.seen.ClusterAccess, xpv2.ReasonDeleting, "Waits for FluxBootstrap my-cluster")
	w.seen.FluxBootstrap.DeletionTimestamp = w.hc.DeletionTimestamp
	w.unready(w.seen.FluxBootstrap, v1alpha1.ReasonUnreachable, "Cannot disconnect: timeout.")

	out = w.settle(t)
	if out.Status.Message != "FluxBootstrap: Cannot disconnect: timeout. Waits until these are deleted: ClusterAccess, FluxBootstrap." {
		t.Errorf("got %s", out.Status.Message)
	}

	if got := names(out.Desired); got != "ClusterAccess FluxBootstrap" {
		t.Errorf("nothing is made any more, but %s is desired", got)
	}

	w.seen = Children{FluxBootstrap: w.seen.FluxBootstrap}
	w.seen.FluxBootstrap.SetConditions(xpv2.ReconcilePaused())

	out = w.settle(t)
	if out.Status.Message != "FluxBootstrap: it is paused by its annotation crossplane.io/paused. Waits until these are deleted: FluxBootstrap." {
		t.Errorf("got %s", out.Status.Message)
	}

	w.seen = Children{}
	if out = w.settle(t); out.Status.Message != "Everything is disconnected." {
		t.Errorf("got %s", out.Status.Message)
	}
}

// TestInvalid: a file may hold what the API would not take.
func TestInvalid(t *testing.T) {
	cases := map[string]struct {
		change func(s *v1alpha1.HostClusterSpec)
		want   string
	}{
		"Mode":            {func(s *v1alpha1.HostClusterSpec) { s.Mode = "x" }, `cannot plan: spec.mode "x" is not a mode`},
		"NoKubeconfig":    {func(s *v1alpha1.HostClusterSpec) { s.ConnectKubeconfigSecretRef = nil }, "cannot plan: spec.connectKubeconfigSecretRef is required for mode connect_existing"},
		"NoProvisioning":  {func(s *v1alpha1.HostClusterSpec) { s.Mode = v1alpha1.ModeProvisionEKS }, "cannot plan: spec.provisioning is required for mode provision_eks"},
		"NoGit":           {func(s *v1alpha1.HostClusterSpec) { s.GitOpsRepoURL = nil }, "cannot plan: spec.gitOpsRepoURL, gitOpsPath, gitCredentialsSecretRef and domain are required together, and unless mode is in_cluster"},
		"NoUsername":      {func(s *v1alpha1.HostClusterSpec) { s.AdminUsername = nil }, "cannot plan: spec.adminEmail and adminUsername are required together"},
		"AdminWithoutGit": {func(s *v1alpha1.HostClusterSpec) { s.Mode, s.GitOpsRepoURL = v1alpha1.ModeInCluster, nil }, "cannot plan: spec.adminEmail needs a Git repository"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(v1alpha1.ModeConnectExisting)
			tc.change(&w.hc.Spec)

			_, err := Plan(w.input())
			if err == nil || err.Error() != tc.want {
				t.Errorf("want %q, got %v", tc.want, err)
			}
		})
	}

	if _, err := Plan(Input{}); err == nil {
		t.Error("want an error without a HostCluster")
	}
}

// TestLastReconciledAt: it is the last change, not the last look.
func TestLastReconciledAt(t *testing.T) {
	w := newWorld(v1alpha1.ModeConnectExisting)
	w.settle(t)

	first := w.hc.Status.LastReconciledAt
	w.pass(time.Minute)

	if out := w.settle(t); !out.Status.LastReconciledAt.Equal(first) {
		t.Errorf("nothing has changed, but lastReconciledAt went from %v to %v", first, out.Status.LastReconciledAt)
	}

	w.validated()

	if out := w.settle(t); !out.Status.LastReconciledAt.Equal(new(metav1.NewTime(w.now))) {
		t.Errorf("want %v, got %v", w.now, out.Status.LastReconciledAt)
	}
}

// TestConflict: a child of somebody else is neither changed nor believed.
func TestConflict(t *testing.T) {
	cases := map[string]struct {
		reason string
		owner  *metav1.OwnerReference
		phase  v1alpha1.Phase
		want   string
	}{
		"Adopted":   {"One that nobody controls is adopted.", nil, v1alpha1.PhaseBootstrappingFlux, "FluxBootstrap is being created"},
		"Theirs":    {"One of somebody else is in the way.", &metav1.OwnerReference{Kind: "XCluster", Name: "other", UID: "x", Controller: new(true)}, v1alpha1.PhaseFailed, "ClusterAccess my-cluster belongs to XCluster other: delete it, or give this HostCluster another name. ValidatingAccess failed."},
		"Earlier":   {"One of an earlier HostCluster will go.", &metav1.OwnerReference{Kind: "HostCluster", Name: "my-cluster", UID: "x", Controller: new(true)}, v1alpha1.PhasePending, "ClusterAccess my-cluster of an earlier HostCluster is still being deleted"},
		"NotMaster": {"An owner that is no controller is no concern of ours.", &metav1.OwnerReference{Kind: "XCluster", Name: "other", UID: "x"}, v1alpha1.PhaseBootstrappingFlux, "FluxBootstrap is being created"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(v1alpha1.ModeConnectExisting)
			w.settle(t)
			w.validated()

			w.seen.ClusterAccess.OwnerReferences = nil
			if tc.owner != nil {
				w.seen.ClusterAccess.OwnerReferences = []metav1.OwnerReference{*tc.owner}
			}

			out, err := Plan(w.input())
			if err != nil {
				t.Fatal(err)
			}

			if out.Status.Phase != tc.phase || !strings.HasPrefix(out.Status.Message, tc.want) {
				t.Errorf("\n%s\nwant %s %q, got %s %q", tc.reason, tc.phase, tc.want, out.Status.Phase, out.Status.Message)
			}

			check(t, w.input())
		})
	}
}
