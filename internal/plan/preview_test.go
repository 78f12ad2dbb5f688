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
	"strings"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// TestComplete previews what every mode comes to.
func TestComplete(t *testing.T) {
	const managed = "FluxBootstrap GitOpsEnvironment"

	cases := map[string]struct {
		reason   string
		world    *world
		children string
		phase    v1alpha1.Phase
		message  string
	}{
		"ConnectExisting": {
			reason:   "All that a connected cluster comes to is known from its spec.",
			world:    newWorld(v1alpha1.ModeConnectExisting),
			children: "ClusterAccess " + managed + " Administrator",
			phase:    v1alpha1.PhaseReady,
			message:  "Flux healthy and reconciling fluxcd/clusters/my-cluster. Administrator admin@acme.com created.",
		},
		"WithoutAdministrator": {
			reason:   "No administrator is made that nobody asks for.",
			world:    newWorld(v1alpha1.ModeConnectExisting).withoutAdministrator(),
			children: "ClusterAccess " + managed,
			phase:    v1alpha1.PhaseReady,
			message:  "Flux healthy and reconciling fluxcd/clusters/my-cluster.",
		},
		"InCluster": {
			reason:   "A cluster that is registered only has nothing but its access.",
			world:    newWorld(v1alpha1.ModeInCluster).withoutGit(),
			children: "ClusterAccess",
			phase:    v1alpha1.PhaseReady,
			message:  "This cluster is registered.",
		},
		"InClusterWithGit": {
			reason:   "With a Git repository it goes the whole way.",
			world:    newWorld(v1alpha1.ModeInCluster),
			children: "ClusterAccess " + managed + " Administrator",
			phase:    v1alpha1.PhaseReady,
			message:  "Flux healthy",
		},
		"ProvisionEKS": {
			reason:   "A cluster is made before it is connected to.",
			world:    newWorld(v1alpha1.ModeProvisionEKS),
			children: "ProvisionedCluster ClusterAccess " + managed + " Administrator",
			phase:    v1alpha1.PhaseReady,
			message:  "Flux healthy",
		},
		"WithoutRegion": {
			reason: "What the plan refuses ends a preview too.",
			world: func() *world {
				w := newWorld(v1alpha1.ModeProvisionEKS)
				w.hc.Spec.Region = ""

				return w
			}(),
			phase:   v1alpha1.PhaseFailed,
			message: "spec.region is empty",
		},
		"InTheWay": {
			reason: "A child of somebody else is not played: it is not going to be ours.",
			world: func() *world {
				w := newWorld(v1alpha1.ModeConnectExisting)
				w.seen.ClusterAccess = &v1alpha1.ClusterAccess{ObjectMeta: metav1.ObjectMeta{
					Name:            w.hc.GetName(),
					OwnerReferences: []metav1.OwnerReference{{Kind: "XCluster", Name: "other", UID: "other", Controller: new(true)}},
				}}

				return w
			}(),
			phase:   v1alpha1.PhaseFailed,
			message: "ClusterAccess my-cluster belongs to XCluster other",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Complete(tc.world.input())
			if err != nil {
				t.Fatalf("\n%s\nComplete(...): %v", tc.reason, err)
			}

			if diff := cmp.Diff(tc.children, names(got.Desired)); diff != "" {
				t.Errorf("\n%s\nchildren: -want, +got:\n%s", tc.reason, diff)
			}

			if got.Status.Phase != tc.phase || !strings.HasPrefix(got.Status.Message, tc.message) {
				t.Errorf("\n%s\nwant %s %q, got %s %q", tc.reason, tc.phase, tc.message, got.Status.Phase, got.Status.Message)
			}

			if stored := got.Status.KubeconfigSecret != ""; stored != (got.Desired.FluxBootstrap != nil) {
				t.Errorf("\n%s\nstored a kubeconfig: %t", tc.reason, stored)
			}

			if ready := conditionOf(got.Status, xpv2.TypeReady) == corev1.ConditionTrue; ready != (tc.phase == v1alpha1.PhaseReady) {
				t.Errorf("\n%s\nReady: %t in phase %s", tc.reason, ready, tc.phase)
			}
		})
	}
}

// TestCompleteIsWhatComes compares a preview with what a cluster comes to,
// from every point on the way.
func TestCompleteIsWhatComes(t *testing.T) {
	end := newWorld(v1alpha1.ModeConnectExisting)
	end.settle(t)
	end.install(t)

	w := newWorld(v1alpha1.ModeConnectExisting)
	w.settle(t)

	for i, act := range []func(){
		func() {}, w.validated, w.fluxInstalled, func() { w.pushed(1, "h1") }, w.applied, func() { w.pushed(2, "h2") }, w.applied, w.administered,
	} {
		act()
		w.settle(t)

		got, err := Complete(w.input())
		if err != nil {
			t.Fatalf("leg %d: Complete(...): %v", i, err)
		}

		if s := got.Desired.FluxBootstrap.Spec.ForProvider.Sync; s.TreeHash == KnownLater && i < 5 {
			s.TreeHash = "h2" // What nobody can know before.
		}

		want, err := Plan(end.input())
		if err != nil {
			t.Fatalf("Plan(...): %v", err)
		}

		if i == 0 {
			// Nothing was discovered yet.
			want.Desired.GitOpsEnvironment.Spec.ForProvider.Provider = ""
		}

		if diff := cmp.Diff(want.Desired, got.Desired); diff != "" {
			t.Errorf("leg %d: -what comes, +preview:\n%s", i, diff)
		}
	}
}

// TestStep previews the next reconcile, with what the API server makes of it.
func TestStep(t *testing.T) {
	w := newWorld(v1alpha1.ModeConnectExisting)

	got, err := Step(w.input())
	if err != nil {
		t.Fatalf("Step(...): %v", err)
	}

	out := w.settle(t)
	if diff := cmp.Diff(out, got.Output); diff != "" {
		t.Errorf("a child that is new is seen at once: -settled, +preview:\n%s", diff)
	}

	w.install(t)

	// The API server fills in what a spec leaves out: that is no change.
	w.seen.FluxBootstrap.Spec.ForProvider.Namespace = "flux-system"
	w.seen.FluxBootstrap.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionAll}

	if got, err = Step(w.input()); err != nil || conditionOf(got.Status, xpv2.TypeReady) != corev1.ConditionTrue {
		t.Errorf("defaults look like a change: %v, %s", err, got.Status.Message)
	}

	w.change(func(s *v1alpha1.HostClusterSpec) { s.RegistryPullSecretRef = new("registry") })

	if got, err = Step(w.input()); err != nil || conditionOf(got.Status, v1alpha1.TypeFluxReady) != corev1.ConditionFalse {
		t.Errorf("a child whose spec is new is not Ready for it: %v, %+v", err, got.Status.Conditions)
	}

	w.pass(time.Minute)

	all, err := Complete(w.input())
	if err != nil {
		t.Fatalf("Complete(...): %v", err)
	}

	if s := all.Desired.FluxBootstrap.Spec.ForProvider.Sync; s.TreeHash != KnownLater || !slices.Equal(s.Layers, layers()) {
		t.Errorf("a new tree has another hash, which nobody knows yet: %+v", s)
	}
}

// checkPreviews: they end, change nothing that they are given, and what is
// there or desired now stays desired.
func checkPreviews(t *testing.T, in Input) {
	t.Helper()

	out, err := Plan(in)
	if err != nil {
		return // The spec is one that the API does not take.
	}

	before := copyOf(in)

	step, err := Step(in)
	if err != nil || !equality.Semantic.DeepEqual(step.Desired, out.Desired) {
		t.Errorf("a step desires something else: %v: -plan, +step:\n%s", err, cmp.Diff(out.Desired, step.Desired))
	}

	all, err := Complete(in)
	if err != nil {
		t.Fatalf("Complete(...): %v", err)
	}

	for _, c := range out.Desired.List() {
		if find(all.Desired, c.Kind) == nil {
			t.Errorf("%s is desired, but not once all is complete", c.Kind)
		}
	}

	if !equality.Semantic.DeepEqual(before.HostCluster, in.HostCluster) || !equality.Semantic.DeepEqual(before.Observed, in.Observed) {
		t.Fatalf("a preview has changed its input: -before, +after:\n%s", cmp.Diff(before, in))
	}
}
