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
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// TestFailed: Failed is a projection of the steps and their deadlines.
func TestFailed(t *testing.T) {
	connect := func(*testing.T) *world { return newWorld(v1alpha1.ModeConnectExisting) }
	installed := func(t *testing.T) *world {
		t.Helper()
		w := newWorld(v1alpha1.ModeConnectExisting)
		w.settle(t)
		w.install(t)

		return w
	}

	cases := map[string]struct {
		reason  string
		world   func(t *testing.T) *world
		act     func(w *world)
		after   time.Duration
		phase   v1alpha1.Phase
		message string
		ready   xpv2.ConditionReason
		requeue time.Duration
	}{
		"Temporary": {
			reason: "A temporary error of the access is retried for five minutes.",
			world:  connect,
			act: func(w *world) {
				w.unready(w.seen.ClusterAccess, v1alpha1.ReasonUnreachable, "Timeout: 10.0.0.1:6443 does not answer")
			},
			after:   5*time.Minute - time.Second,
			phase:   v1alpha1.PhaseValidatingAccess,
			message: "Timeout: 10.0.0.1:6443 does not answer",
			ready:   xpv2.ReasonCreating,
			requeue: time.Second,
		},
		"TemporaryTooLong": {
			reason: "After that the HostCluster shows Failed, with the cause, the step and the next try.",
			world:  connect,
			act: func(w *world) {
				w.unready(w.seen.ClusterAccess, v1alpha1.ReasonUnreachable, "Timeout: 10.0.0.1:6443 does not answer")
			},
			after:   5 * time.Minute,
			phase:   v1alpha1.PhaseFailed,
			message: "Timeout: 10.0.0.1:6443 does not answer. ValidatingAccess is not done after 5 minutes. It is tried again at least once a minute.",
			ready:   v1alpha1.ReasonUnreachable,
		},
		"Terminal": {
			reason: "What cannot pass by itself fails at once.",
			world:  connect,
			act: func(w *world) {
				w.unready(w.seen.ClusterAccess, v1alpha1.ReasonDenied, "Unauthorized: the token has expired.")
			},
			phase:   v1alpha1.PhaseFailed,
			message: "Unauthorized: the token has expired. ValidatingAccess failed. It is tried again at least once a minute.",
			ready:   v1alpha1.ReasonDenied,
		},
		"Waiting": {
			reason: "A Secret that is not there yet has no deadline.",
			world:  connect,
			act: func(w *world) {
				w.unready(w.seen.ClusterAccess, v1alpha1.ReasonWaiting, "Secret input-kubeconfig is not there yet.")
			},
			after:   1000 * time.Hour,
			phase:   v1alpha1.PhasePending,
			message: "Secret input-kubeconfig is not there yet",
			ready:   v1alpha1.ReasonWaiting,
		},
		"NotSynced": {
			reason: "A child that could not even begin has its cause in Synced.",
			world:  connect,
			act: func(w *world) {
				w.unready(w.seen.ClusterAccess, xpv2.ReasonCreating, "")
				w.condition(w.seen.ClusterAccess, xpv2.TypeSynced, corev1.ConditionFalse, xpv2.ReasonReconcileError, "cannot track usage: forbidden")
			},
			phase:   v1alpha1.PhaseValidatingAccess,
			message: "cannot track usage: forbidden",
			ready:   xpv2.ReasonCreating,
			requeue: 5 * time.Minute,
		},
		"Paused": {
			reason: "A paused child is waited for.",
			world:  connect,
			act: func(w *world) {
				w.condition(w.seen.ClusterAccess, xpv2.TypeSynced, corev1.ConditionFalse, xpv2.ReasonReconcilePaused, "")
			},
			phase:   v1alpha1.PhasePending,
			message: "ClusterAccess is paused by its annotation crossplane.io/paused",
			ready:   v1alpha1.ReasonWaiting,
		},
		"FluxTooLong": {
			reason: "The other steps have deadlines too, counted from when they began.",
			world: func(t *testing.T) *world {
				t.Helper()
				w := newWorld(v1alpha1.ModeConnectExisting)
				w.settle(t)
				w.pass(time.Hour) // In ValidatingAccess, which is no concern of Flux.
				w.settle(t)
				w.validated()

				return w
			},
			act: func(w *world) {
				w.unready(w.seen.FluxBootstrap, v1alpha1.ReasonInProgress, "kustomize-controller is not ready")
			},
			after:   10 * time.Minute,
			phase:   v1alpha1.PhaseFailed,
			message: "kustomize-controller is not ready. BootstrappingFlux is not done after 10 minutes. It is tried again at least once a minute.",
			ready:   v1alpha1.ReasonInProgress,
		},
		"GitDenied": {
			reason: "A terminal error of Flux keeps pass 2 from coming.",
			world: func(t *testing.T) *world {
				t.Helper()
				w := newWorld(v1alpha1.ModeConnectExisting)
				for _, act := range []func(){func() {}, w.validated, w.fluxInstalled, func() { w.pushed(1, "h1") }} {
					act()
					w.settle(t)
				}

				return w
			},
			act:     func(w *world) { w.unready(w.seen.FluxBootstrap, v1alpha1.ReasonDenied, "Git refuses the credentials") },
			phase:   v1alpha1.PhaseFailed,
			message: "Git refuses the credentials. GeneratingGitOpsTree failed. It is tried again at least once a minute.",
			ready:   v1alpha1.ReasonDenied,
		},
		"InstalledGrace": {
			reason:  "An installed cluster stays in Ready for a while, but is not.",
			world:   installed,
			act:     func(w *world) { w.unready(w.seen.FluxBootstrap, v1alpha1.ReasonUnhealthy, "apps: 1 of 3 replicas") },
			after:   grace - time.Second,
			phase:   v1alpha1.PhaseReady,
			message: "apps: 1 of 3 replicas. It counts as failed from 2026-09-26T00:05:08Z on.",
			ready:   xpv2.ReasonUnavailable,
			requeue: time.Second,
		},
		"InstalledFailed": {
			reason:  "Past the grace period it has failed, but walks no phase again.",
			world:   installed,
			act:     func(w *world) { w.unready(w.seen.ClusterAccess, v1alpha1.ReasonDenied, "Unauthorized") },
			after:   grace,
			phase:   v1alpha1.PhaseFailed,
			message: "Unauthorized. AccessValidated is False since 2026-09-26T00:00:08Z. It is tried again at least once a minute.",
			ready:   v1alpha1.ReasonDenied,
		},
		"InstalledWork": {
			reason:  "Work that goes on as it should has the step's deadline.",
			world:   installed,
			act:     func(w *world) { w.unready(w.seen.FluxBootstrap, v1alpha1.ReasonInProgress, "Flux is being upgraded") },
			after:   grace,
			phase:   v1alpha1.PhaseReady,
			message: "Flux is being upgraded",
			ready:   xpv2.ReasonUnavailable,
			requeue: fluxDeadline - grace,
		},
		"NoRegion": {
			reason: "A cluster cannot be made nowhere.",
			world: func(*testing.T) *world {
				w := newWorld(v1alpha1.ModeProvisionEKS)
				w.hc.Spec.Region = ""

				return w
			},
			act:     func(*world) {},
			phase:   v1alpha1.PhaseFailed,
			message: "spec.region is empty: name the region to make the cluster in. Provisioning failed. It is tried again at least once a minute.",
			ready:   v1alpha1.ReasonRefused,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := tc.world(t)
			w.settle(t)
			tc.act(w)
			w.settle(t)
			w.pass(tc.after)
			out := w.settle(t)

			got := []string{string(out.Status.Phase), out.Status.Message, string(out.Status.GetCondition(xpv2.TypeReady).Reason), out.RequeueAfter.String()}
			want := []string{string(tc.phase), tc.message, string(tc.ready), tc.requeue.String()}

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if s := out.Status.GetCondition(xpv2.TypeReady).Status; s != corev1.ConditionFalse {
				t.Errorf("\n%s\nReady is %s", tc.reason, s)
			}

			check(t, w.input())
		})
	}
}

// TestRecovery: Failed goes by itself, and later steps get their whole time.
func TestRecovery(t *testing.T) {
	w := newWorld(v1alpha1.ModeConnectExisting)
	w.settle(t)
	w.unready(w.seen.ClusterAccess, v1alpha1.ReasonUnreachable, "timeout")
	w.settle(t)
	w.pass(time.Hour)

	if out := w.settle(t); out.Status.Phase != v1alpha1.PhaseFailed {
		t.Fatalf("want Failed, got %s", out.Status.Phase)
	}

	w.validated()

	out := w.settle(t)
	if out.Status.Phase != v1alpha1.PhaseBootstrappingFlux || out.RequeueAfter != fluxDeadline {
		t.Errorf("want BootstrappingFlux for %s, got %s for %s", fluxDeadline, out.Status.Phase, out.RequeueAfter)
	}
}

// TestResize: an installed cluster that is resized stays in phase Ready.
func TestResize(t *testing.T) {
	w := newWorld(v1alpha1.ModeProvisionEKS)
	w.settle(t)
	w.provisioned()
	w.settle(t)
	w.install(t)
	w.change(func(s *v1alpha1.HostClusterSpec) { s.Provisioning.NodeCount = 5 })
	w.settle(t)
	w.unready(w.seen.ProvisionedCluster, v1alpha1.ReasonInProgress, "Terraform is running")
	w.settle(t)
	w.pass(30 * time.Minute)

	out := w.settle(t)
	if out.Status.Phase != v1alpha1.PhaseReady || out.Status.Message != "Terraform is running" {
		t.Errorf("want Ready, got %s: %s", out.Status.Phase, out.Status.Message)
	}

	if s := conditionOf(out.Status, v1alpha1.TypeInfrastructureReady); s != corev1.ConditionFalse {
		t.Errorf("InfrastructureReady is %s", s)
	}
}
