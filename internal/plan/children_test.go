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

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// TestSync: what Flux reconciles follows what is in Git, and never goes back.
func TestSync(t *testing.T) {
	w := newWorld(v1alpha1.ModeConnectExisting)

	for _, act := range []func(){func() {}, w.validated, w.fluxInstalled} {
		act()
		w.settle(t)
	}

	steps := []struct {
		reason string
		act    func()
		want   *v1alpha1.Sync
	}{
		{"Nothing is in Git yet.", func() {}, nil},
		{"Pass 1 brings the infrastructure.", func() { w.pushed(1, "h1") }, &v1alpha1.Sync{Path: "fluxcd/clusters/my-cluster", TreeHash: "h1", Layers: []v1alpha1.Layer{"infrastructure"}}},
		{"It stays while its push is in doubt.", func() {
			w.condition(w.seen.GitOpsEnvironment, v1alpha1.TypeInfrastructurePushed, corev1.ConditionFalse, v1alpha1.ReasonUnreachable, "")
		}, &v1alpha1.Sync{Path: "fluxcd/clusters/my-cluster", TreeHash: "h1", Layers: []v1alpha1.Layer{"infrastructure"}}},
		{"Pass 2 brings everything.", func() { w.pushed(1, "h1"); w.pushed(2, "h2") }, &v1alpha1.Sync{Path: "fluxcd/clusters/my-cluster", TreeHash: "h2", Layers: layers()}},
		{"A new tree is on its way.", func() {
			w.condition(w.seen.GitOpsEnvironment, v1alpha1.TypeEnvironmentPushed, corev1.ConditionFalse, v1alpha1.ReasonInProgress, "")
		}, &v1alpha1.Sync{Path: "fluxcd/clusters/my-cluster", TreeHash: "h2", Layers: layers()}},
		{"The new tree is there.", func() { w.pushed(2, "h3") }, &v1alpha1.Sync{Path: "fluxcd/clusters/my-cluster", TreeHash: "h3", Layers: layers()}},
		{"The environment is gone.", func() { w.seen.GitOpsEnvironment = nil }, &v1alpha1.Sync{Path: "fluxcd/clusters/my-cluster", TreeHash: "h3", Layers: layers()}},
	}

	for _, s := range steps {
		s.act()

		if diff := cmp.Diff(s.want, w.settle(t).Desired.FluxBootstrap.Spec.ForProvider.Sync); diff != "" {
			t.Errorf("\n%s\n-want, +got:\n%s", s.reason, diff)
		}
	}
}

// TestChildren: what the children are asked for.
func TestChildren(t *testing.T) {
	installed := func(t *testing.T, change func(w *world)) *world {
		t.Helper()
		w := newWorld(v1alpha1.ModeConnectExisting)
		change(w)
		w.settle(t)
		w.install(t)

		return w
	}

	t.Run("Defaults", func(t *testing.T) {
		out := installed(t, func(*world) {}).settle(t)
		want := v1alpha1.GitOpsEnvironmentParameters{
			KubeconfigSecretRef: v1alpha1.SecretReference{Name: "hostcluster-my-cluster-kubeconfig"},
			Git: v1alpha1.GitTree{
				Git:  v1alpha1.Git{URL: "https://github.com/acme/gitops-iac.git", Branch: "main", CredentialsSecretRef: v1alpha1.SecretReference{Name: "gitops-iac-credentials"}},
				Path: "fluxcd/clusters/my-cluster",
			},
			ClusterName: "my-cluster", Domain: "my-cluster.acme.com", Provider: "aws", Region: "eu-north-1", Profile: v1alpha1.ProfileFull, OnDelete: v1alpha1.OnDeleteKeep,
		}

		if diff := cmp.Diff(want, out.Desired.GitOpsEnvironment.Spec.ForProvider); diff != "" {
			t.Errorf("a file without defaults gives the same tree: -want, +got:\n%s", diff)
		}

		admin := v1alpha1.AdministratorParameters{KubeconfigSecretRef: want.KubeconfigSecretRef, Email: "admin@acme.com", Username: "admin"}
		if diff := cmp.Diff(admin, out.Desired.Administrator.Spec.ForProvider); diff != "" {
			t.Errorf("administrator: -want, +got:\n%s", diff)
		}
	})

	t.Run("PlaceIsSticky", func(t *testing.T) {
		w := installed(t, func(w *world) { w.hc.Spec.Region = "" })
		w.seen.ClusterAccess.Status.AtProvider.Region = "unknown"

		if r := w.settle(t).Desired.GitOpsEnvironment.Spec.ForProvider.Region; r != "eu-north-1" {
			t.Errorf("a region that cannot be told any more makes no new tree, but %q", r)
		}
	})

	t.Run("AdministratorStays", func(t *testing.T) {
		w := installed(t, func(*world) {})
		w.change(func(s *v1alpha1.HostClusterSpec) { s.AdminEmail = ptr.To[v1alpha1.Email]("other@acme.com") })

		out := w.settle(t)
		if e := out.Desired.Administrator.Spec.ForProvider.Email; e != "admin@acme.com" {
			t.Errorf("the administrator was created once, but %q is desired", e)
		}

		want := "Flux healthy and reconciling fluxcd/clusters/my-cluster. Administrator admin@acme.com created. " +
			"The spec asks for admin (other@acme.com) now, which is ignored: the first administrator is created once; add others in KubeOpera."
		if diff := cmp.Diff(want, out.Status.Message); diff != "" {
			t.Errorf("what is ignored is said: -want, +got:\n%s", diff)
		}

		if m := out.Status.GetCondition(v1alpha1.TypeAdministratorReady).Message; !strings.HasPrefix(m, "The spec asks for admin (other@acme.com) now") {
			t.Errorf("the condition does not say what is ignored: %q", m)
		}
	})

	t.Run("Warnings", func(t *testing.T) {
		w := installed(t, func(*world) {})
		w.seen.ClusterAccess.Status.AtProvider.Warnings = []v1alpha1.Warning{"token expires at 2026-10-01T00:00:00Z: replace the kubeconfig before"}

		out := w.settle(t)
		if diff := cmp.Diff(w.seen.ClusterAccess.Status.AtProvider.Warnings, out.Status.Warnings); diff != "" {
			t.Errorf("warnings: -want, +got:\n%s", diff)
		}

		w.seen.ClusterAccess.Status.AtProvider.Warnings = nil
		if out := w.settle(t); out.Status.Warnings != nil {
			t.Errorf("warnings go with their cause, but there are %v", out.Status.Warnings)
		}
	})

	t.Run("AdministratorLater", func(t *testing.T) {
		w := installed(t, func(w *world) { w.withoutAdministrator() })
		if m := w.hc.Status.Message; m != "Flux healthy and reconciling fluxcd/clusters/my-cluster." {
			t.Errorf("without administrator the message is %q", m)
		}

		w.change(func(s *v1alpha1.HostClusterSpec) {
			s.AdminEmail, s.AdminUsername = ptr.To[v1alpha1.Email]("admin@acme.com"), ptr.To[v1alpha1.Username]("admin")
		})

		if out := w.settle(t); out.Status.Phase != v1alpha1.PhaseReady || out.Desired.Administrator == nil {
			t.Errorf("an administrator that is asked for later is created in phase Ready, not %s", out.Status.Phase)
		}
	})

	t.Run("KnownClusterIsPinned", func(t *testing.T) {
		w := installed(t, func(*world) {})
		w.seen.ClusterAccess = nil

		if uid := w.settle(t).Desired.ClusterAccess.Spec.ForProvider.ExpectedClusterUID; ptr.Deref(uid, "") != "kube-system-uid" {
			t.Errorf("a ClusterAccess that is made again must lead to the same cluster, not %v", uid)
		}
	})

	t.Run("Provisioned", func(t *testing.T) {
		w := newWorld(v1alpha1.ModeProvisionGKE)
		w.hc.Spec.Provisioning.Topology = v1alpha1.TopologyGKE
		pc := w.settle(t).Desired.ProvisionedCluster
		keep := xpv2.ManagementPolicies{"Observe", "Create", "Update", "LateInitialize"}

		if diff := cmp.Diff(keep, pc.Spec.ManagementPolicies); diff != "" {
			t.Errorf("Disconnect: -want, +got:\n%s", diff)
		}

		if pc.Spec.ForProvider.Provider != "gcp" || pc.Spec.WriteConnectionSecretToReference.Name != "hostcluster-my-cluster-provisioned" {
			t.Errorf("provider %q, connection Secret %q", pc.Spec.ForProvider.Provider, pc.Spec.WriteConnectionSecretToReference.Name)
		}

		w.change(func(s *v1alpha1.HostClusterSpec) { s.DeletionPolicy, s.Region = v1alpha1.DeletionDestroy, "us-east-1" })

		pc = w.settle(t).Desired.ProvisionedCluster
		if diff := cmp.Diff(xpv2.ManagementPolicies{"*"}, pc.Spec.ManagementPolicies); diff != "" {
			t.Errorf("Destroy: -want, +got:\n%s", diff)
		}

		if pc.Spec.ForProvider.Region != "eu-north-1" {
			t.Errorf("a cluster does not move to %s", pc.Spec.ForProvider.Region)
		}
	})
}
