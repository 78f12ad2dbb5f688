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
	corev1 "k8s.io/api/core/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// TestWalk takes every mode through all its phases.
func TestWalk(t *testing.T) {
	type leg struct {
		// act is what happens; after it everything settles.
		act func(w *world)
		// phase, children and message after that.
		phase    v1alpha1.Phase
		children string
		message  string
	}

	// fromFlux on all modes that are managed from Git go the same way.
	fromFlux := func(before string) []leg {
		flux := before + " FluxBootstrap"
		env := flux + " GitOpsEnvironment"

		return []leg{
			{func(w *world) { w.validated() }, v1alpha1.PhaseBootstrappingFlux, flux, "Installing Flux"},
			{func(w *world) {
				w.unready(w.seen.FluxBootstrap, v1alpha1.ReasonInProgress, "kustomize-controller is starting")
			}, v1alpha1.PhaseBootstrappingFlux, flux, "kustomize-controller is starting"},
			{func(w *world) { w.fluxInstalled() }, v1alpha1.PhaseGeneratingGitOpsTree, env, "Writing fluxcd/clusters/my-cluster to Git"},
			{func(w *world) { w.pushed(1, "h1") }, v1alpha1.PhaseGeneratingGitOpsTree, env, "No sealing key on the target yet"},
			{func(w *world) {
				w.condition(w.seen.FluxBootstrap, v1alpha1.TypeLayersReady, corev1.ConditionFalse, v1alpha1.ReasonUnhealthy, "infrastructure: image not found")
				w.unready(w.seen.FluxBootstrap, v1alpha1.ReasonUnhealthy, "infrastructure: image not found")
			}, v1alpha1.PhaseGeneratingGitOpsTree, env, "infrastructure: image not found; No sealing key on the target yet"},
			{func(w *world) { w.applied() }, v1alpha1.PhaseGeneratingGitOpsTree, env, "No sealing key on the target yet"},
			{func(w *world) { w.pushed(2, "h2") }, v1alpha1.PhaseInstallingKubeOpera, env, "Flux is applying fluxcd/clusters/my-cluster"},
			{func(w *world) { w.applied() }, v1alpha1.PhaseInstallingKubeOpera, env + " Administrator", "Creating administrator admin@acme.com"},
			{func(w *world) { w.administered() }, v1alpha1.PhaseReady, env + " Administrator", "Flux healthy and reconciling fluxcd/clusters/my-cluster. Administrator admin@acme.com created."},
		}
	}

	provision := append([]leg{
		{func(*world) {}, v1alpha1.PhaseProvisioning, "ProvisionedCluster", "Provisioning a cluster in eu-north-1"},
		{func(w *world) {
			w.unready(w.seen.ProvisionedCluster, v1alpha1.ReasonInProgress, "Terraform is running")
			w.seen.ProvisionedCluster.Status.AtProvider.Progress = &v1alpha1.Progress{Done: 3, Total: 41, Step: "Creating aws_eks_cluster.this"}
		}, v1alpha1.PhaseProvisioning, "ProvisionedCluster", "Creating aws_eks_cluster.this (3 of 41 resources)"},
		{func(w *world) { w.provisioned() }, v1alpha1.PhaseProvisioning, "ProvisionedCluster ClusterAccess", "Connecting to the new cluster"},
	}, fromFlux("ProvisionedCluster ClusterAccess")...)

	cases := map[string]struct {
		reason string
		world  *world
		legs   []leg
	}{
		"ConnectExisting": {
			reason: "A kubeconfig is validated once its Secret is there.",
			world:  newWorld(v1alpha1.ModeConnectExisting),
			legs: append([]leg{
				{func(*world) {}, v1alpha1.PhaseValidatingAccess, "ClusterAccess", "Connecting with the kubeconfig of Secret input-kubeconfig"},
				{func(w *world) {
					w.unready(w.seen.ClusterAccess, v1alpha1.ReasonWaiting, "Secret input-kubeconfig is not there yet")
				}, v1alpha1.PhasePending, "ClusterAccess", "Secret input-kubeconfig is not there yet"},
				{func(w *world) { w.pass(24 * time.Hour) }, v1alpha1.PhasePending, "ClusterAccess", "Secret input-kubeconfig is not there yet"},
				{func(w *world) { w.unready(w.seen.ClusterAccess, v1alpha1.ReasonUnreachable, "connection refused") }, v1alpha1.PhaseValidatingAccess, "ClusterAccess", "connection refused"},
			}, fromFlux("ClusterAccess")...),
		},
		"ProvisionEKS": {
			reason: "A cluster is made before it is connected to.",
			world:  newWorld(v1alpha1.ModeProvisionEKS),
			legs:   provision,
		},
		"ProvisionVanilla": {
			reason: "The topology makes no difference to the phases.",
			world:  newWorld(v1alpha1.ModeProvisionVanilla),
			legs:   provision,
		},
		"ProvisionGKE": {
			reason: "The topology makes no difference to the phases.",
			world:  newWorld(v1alpha1.ModeProvisionGKE),
			legs:   provision,
		},
		"InClusterWithoutGit": {
			reason: "A registered cluster is Ready once it was looked at.",
			world:  newWorld(v1alpha1.ModeInCluster).withoutGit(),
			legs: []leg{
				{func(*world) {}, v1alpha1.PhaseValidatingAccess, "ClusterAccess", "Looking at the cluster that the provider runs on"},
				{func(w *world) { w.validated() }, v1alpha1.PhaseReady, "ClusterAccess", "This cluster is registered."},
				{func(w *world) { w.unready(w.seen.ClusterAccess, v1alpha1.ReasonUnreachable, "timeout") }, v1alpha1.PhaseValidatingAccess, "ClusterAccess", "timeout"},
			},
		},
		"InClusterWithGit": {
			reason: "With a Git repository it goes the whole way.",
			world:  newWorld(v1alpha1.ModeInCluster),
			legs: append([]leg{
				{func(*world) {}, v1alpha1.PhaseValidatingAccess, "ClusterAccess", "Looking at the cluster that the provider runs on"},
			}, fromFlux("ClusterAccess")...),
		},
		"InClusterGitLater": {
			reason: "A registered cluster that is given a repository goes the whole way from there.",
			world:  newWorld(v1alpha1.ModeInCluster).withoutGit(),
			legs: append([]leg{
				{func(*world) {}, v1alpha1.PhaseValidatingAccess, "ClusterAccess", "Looking at the cluster that the provider runs on"},
				{func(w *world) { w.validated() }, v1alpha1.PhaseReady, "ClusterAccess", "This cluster is registered."},
				{func(w *world) {
					w.change(func(s *v1alpha1.HostClusterSpec) { *s = newWorld(v1alpha1.ModeInCluster).hc.Spec })
				}, v1alpha1.PhaseValidatingAccess, "ClusterAccess", "Looking at the cluster that the provider runs on"},
			}, fromFlux("ClusterAccess")...),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := tc.world

			for i, l := range tc.legs {
				l.act(w)
				out := w.settle(t)

				if out.Status.Phase != l.phase || !strings.HasPrefix(out.Status.Message, l.message) {
					t.Errorf("\n%s\nleg %d: want %s %q, got %s %q", tc.reason, i, l.phase, l.message, out.Status.Phase, out.Status.Message)
				}

				if diff := cmp.Diff(l.children, names(out.Desired)); diff != "" {
					t.Errorf("\n%s\nleg %d, children: -want, +got:\n%s", tc.reason, i, diff)
				}

				checkHistory(t, out.Status, phasesOf(w.hc), l.phase)
				check(t, w.input())
				w.pass(1500 * time.Millisecond)
			}
		})
	}
}

func phasesOf(hc *v1alpha1.HostCluster) []v1alpha1.Phase {
	first := v1alpha1.PhaseValidatingAccess
	if hc.Spec.Mode.Provisions() {
		first = v1alpha1.PhaseProvisioning
	}

	if hc.Spec.GitOpsRepoURL == nil {
		return []v1alpha1.Phase{first, v1alpha1.PhaseReady}
	}

	return []v1alpha1.Phase{first, v1alpha1.PhaseBootstrappingFlux, v1alpha1.PhaseGeneratingGitOpsTree, v1alpha1.PhaseInstallingKubeOpera, v1alpha1.PhaseReady}
}

// checkHistory lists every phase of the mode, the present one open, the
// times in order and without gaps.
func checkHistory(t *testing.T, s v1alpha1.HostClusterStatus, phases []v1alpha1.Phase, phase v1alpha1.Phase) {
	t.Helper()

	got := make([]v1alpha1.Phase, len(s.PhaseHistory))
	for i, r := range s.PhaseHistory {
		got[i] = r.Phase

		if open := r.StartedAt != nil && r.FinishedAt == nil; open != (r.Phase == phase) {
			t.Errorf("in %s, phase %s: want open %t, got %t", phase, r.Phase, r.Phase == phase, open)
		}

		if i > 0 && r.StartedAt != nil {
			if before := s.PhaseHistory[i-1].FinishedAt; before == nil || !before.Equal(r.StartedAt) {
				t.Errorf("phase %s starts at %v, but the one before it ends at %v", r.Phase, r.StartedAt, before)
			}
		}
	}

	if diff := cmp.Diff(phases, got); diff != "" {
		t.Errorf("phaseHistory: -want, +got:\n%s", diff)
	}
}

func names(c Children) string {
	var s []string
	for _, o := range c.List() {
		s = append(s, o.Kind)
	}

	return strings.Join(s, " ")
}

func conditionOf(s v1alpha1.HostClusterStatus, t xpv2.ConditionType) corev1.ConditionStatus {
	return s.GetCondition(t).Status
}
