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

package controller

import (
	"strings"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// TestSecrets of the user may come later, rotate and vanish.
func TestSecrets(t *testing.T) {
	t.Parallel()

	ctx := t.Context()
	w := newWorld(t).create(ctx)
	w.says(ctx, v1alpha1.PhasePending, "Secret "+w.hc.Namespace+"/my-cluster-input-kubeconfig with key kubeconfig is not there yet")

	w.Expect(w.cp.Client.Create(ctx, w.input[0].DeepCopy())).To(Succeed())
	w.says(ctx, v1alpha1.PhaseGeneratingGitOpsTree, "my-cluster-git-credentials")
	w.Expect(w.cp.Client.Create(ctx, w.input[1].DeepCopy())).To(Succeed())
	w.ready(ctx)

	t.Log("The kubeconfig gets another token, and the old one ends.")
	w.target.Rotate("target-rotated")

	kubeconfig, err := w.target.Kubeconfig()
	w.Expect(err).NotTo(HaveOccurred())
	w.input[0].Data[v1alpha1.KubeconfigKey] = kubeconfig
	w.Expect(w.cp.Client.Update(ctx, w.input[0].DeepCopy())).To(Succeed())

	stored := &corev1.Secret{}
	w.Eventually(func() []byte {
		w.Expect(w.cp.Client.Get(ctx, client.ObjectKey{Namespace: w.hc.Namespace, Name: v1alpha1.KubeconfigSecretName(w.hc.Name)}, stored)).To(Succeed())

		return stored.Data[v1alpha1.KubeconfigKey]
	}).Should(Equal(kubeconfig))
	w.ready(ctx)

	t.Log("The Git credentials get another user's password.")
	w.input[1].Data["extra"] = []byte("of no interest")
	w.Expect(w.cp.Client.Update(ctx, w.input[1].DeepCopy())).To(Succeed())
	w.ready(ctx)

	t.Log("The user's kubeconfig vanishes: the stored one is used, with a warning in status and an event.")
	w.delete(ctx, w.input[0].DeepCopy())
	w.until(ctx, func(g Gomega, hc *v1alpha1.HostCluster) {
		g.Expect(hc.Status.Phase).To(Equal(v1alpha1.PhaseReady))
		g.Expect(hc.Status.Warnings).To(ContainElement(WithTransform(func(w v1alpha1.Warning) string { return string(w) }, ContainSubstring("the stored kubeconfig is used"))))
	})
	w.ready(ctx)

	t.Log("The Git credentials vanish: what runs, runs on, and it is said.")
	w.delete(ctx, w.input[1].DeepCopy())
	w.until(ctx, func(g Gomega, hc *v1alpha1.HostCluster) {
		g.Expect(hc.Status.Message).To(ContainSubstring("my-cluster-git-credentials"))
		g.Expect(hc.GetCondition(xpv2.TypeReady).Status).To(Equal(corev1.ConditionFalse))
	})
	w.input[1].ResourceVersion = ""
	w.Expect(w.cp.Client.Create(ctx, w.input[1].DeepCopy())).To(Succeed())
	w.ready(ctx)
}

// TestChanges of a HostCluster that is Ready.
func TestChanges(t *testing.T) {
	t.Parallel()

	ctx := t.Context()
	w := newWorld(t).supply(ctx).create(ctx)
	first := w.ready(ctx)
	workloads := w.workloads(ctx)

	tree := func() string {
		fb := &v1alpha1.FluxBootstrap{}
		w.Expect(w.cp.Client.Get(ctx, w.key(), fb)).To(Succeed())

		return fb.Spec.ForProvider.Sync.TreeHash
	}
	before := tree()

	t.Log("The domain: the tree is written anew, and Flux applies it.")
	w.change(ctx, func(hc *v1alpha1.HostCluster) { hc.Spec.Domain = ptr.To[v1alpha1.DNSName]("other.acme.com") })
	w.until(ctx, func(g Gomega, hc *v1alpha1.HostCluster) {
		g.Expect(tree()).NotTo(Equal(before))
		g.Expect(hc.GetCondition(xpv2.TypeReady).Status).To(Equal(corev1.ConditionTrue), hc.Status.Message)
	})
	w.Expect(w.git.Git(t, "grep", "-l", "other.acme.com", "main", "--", "clusters/my-cluster")).NotTo(BeEmpty())

	t.Log("The administrator: it was created, so the change is ignored, and that is said.")
	w.change(ctx, func(hc *v1alpha1.HostCluster) { hc.Spec.AdminEmail = ptr.To[v1alpha1.Email]("new@acme.com") })
	hc := w.says(ctx, v1alpha1.PhaseReady, "Administrator admin@acme.com created. The spec asks for admin (new@acme.com) now, which is ignored")
	w.Expect(hc.Status.PhaseHistory).To(Equal(first.Status.PhaseHistory), "the phases are not walked again")

	for name := range workloads {
		w.Expect(w.workloads(ctx)).To(HaveKey(name))
	}

	t.Log("Paused: nothing is done until it goes on.")
	w.change(ctx, func(hc *v1alpha1.HostCluster) {
		metav1.SetMetaDataAnnotation(&hc.ObjectMeta, "crossplane.io/paused", "true")
	})
	w.until(ctx, func(g Gomega, hc *v1alpha1.HostCluster) {
		g.Expect(hc.GetCondition(xpv2.TypeSynced).Reason).To(Equal(xpv2.ReasonReconcilePaused))
	})
	w.change(ctx, func(hc *v1alpha1.HostCluster) { hc.Spec.Domain = ptr.To[v1alpha1.DNSName]("third.acme.com") })
	w.until(ctx, func(g Gomega, hc *v1alpha1.HostCluster) {
		g.Expect(hc.GetCondition(xpv2.TypeSynced).ObservedGeneration).To(Equal(hc.GetGeneration()))
	})
	kt.Steady(t, w.cp.Client, pollInterval, children(), client.InNamespace(w.hc.Namespace))
	w.change(ctx, func(hc *v1alpha1.HostCluster) { delete(hc.Annotations, "crossplane.io/paused") })
	w.ready(ctx)
	w.Expect(w.git.Git(t, "grep", "-l", "third.acme.com", "main", "--", "clusters/my-cluster")).NotTo(BeEmpty())

	t.Log("A child that is paused: the HostCluster says so when it has to wait for it.")
	fb := &v1alpha1.FluxBootstrap{}
	w.Expect(w.cp.Client.Get(ctx, w.key(), fb)).To(Succeed())
	old := fb.DeepCopy()
	metav1.SetMetaDataAnnotation(&fb.ObjectMeta, "crossplane.io/paused", "true")
	w.Expect(w.cp.Client.Patch(ctx, fb, client.MergeFrom(old))).To(Succeed())
	w.change(ctx, func(hc *v1alpha1.HostCluster) { hc.Spec.Domain = ptr.To[v1alpha1.DNSName]("fourth.acme.com") })
	w.says(ctx, v1alpha1.PhaseReady, "FluxBootstrap is paused by its annotation crossplane.io/paused")
	old = fb.DeepCopy()
	delete(fb.Annotations, "crossplane.io/paused")
	w.Expect(w.cp.Client.Patch(ctx, fb, client.MergeFrom(old))).To(Succeed())
	w.ready(ctx)
}

// TestProfile: from minimal to full, the tree grows.
func TestProfile(t *testing.T) {
	t.Parallel()

	ctx := t.Context()
	w := newWorld(t).supply(ctx).create(ctx)
	w.ready(ctx)
	w.change(ctx, func(hc *v1alpha1.HostCluster) { hc.Spec.Profile = v1alpha1.ProfileFull })
	// Its charts are for Flux's own end-to-end test; here they are only applied.
	w.Eventually(func() string {
		return w.git.Git(t, "ls-tree", "-r", "--name-only", "main", "clusters/my-cluster")
	}).Should(ContainSubstring("infrastructure/gateway.yaml"))
}

// TestSecond HostCluster for a cluster, and for a path.
func TestSecond(t *testing.T) {
	t.Parallel()

	ctx := t.Context()
	w := newWorld(t).supply(ctx).create(ctx)
	w.ready(ctx)

	second := w.hc.DeepCopy()
	second.Name, second.Spec.GitOpsPath = "second", new(v1alpha1.GitPath("clusters/second"))
	second.ResourceVersion = ""
	w.Expect(w.cp.Client.Create(ctx, second)).To(Succeed())

	same := &world{WithT: w.WithT, t: t, cp: w.cp, hc: second}
	same.says(ctx, v1alpha1.PhaseFailed, `cluster is connected already, as "my-cluster"`)

	t.Log("The first goes, and the second takes its place.")
	w.delete(ctx, &v1alpha1.HostCluster{})
	w.gone(ctx, w.cp.Client, w.key(), &v1alpha1.HostCluster{})
	same.ready(ctx)

	t.Log("A path that a HostCluster has used is refused to one of another name.")
	other := newWorldFor(t, w.cp, w.hc.Namespace, "third", w.cp.Target(t, kt.Admin()))
	other.supply(ctx)
	other.hc.Spec.GitOpsRepoURL, other.hc.Spec.GitCredentialsSecretRef, other.hc.Spec.GitOpsPath = w.hc.Spec.GitOpsRepoURL, w.hc.Spec.GitCredentialsSecretRef, second.Spec.GitOpsPath
	other.create(ctx)
	other.says(ctx, v1alpha1.PhaseFailed, "second")
}

// TestObserveOnly: a child that may only observe makes nothing, and is no
// reason to hang.
func TestObserveOnly(t *testing.T) {
	t.Parallel()

	ctx := t.Context()
	w := newWorld(t).supply(ctx)

	ca := &v1alpha1.ClusterAccess{ObjectMeta: metav1.ObjectMeta{Namespace: w.hc.Namespace, Name: w.hc.Name}}
	ca.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
	ca.Spec.ForProvider.KubeconfigSecretRef = &v1alpha1.SecretReference{Name: w.input[0].Name}
	w.Expect(w.cp.Client.Create(ctx, ca)).To(Succeed())
	w.create(ctx)
	w.says(ctx, v1alpha1.PhasePending, "spec.managementPolicies allow no Create: the next step would be Store")

	stored := &corev1.Secret{}
	w.Expect(client.IgnoreNotFound(w.cp.Client.Get(ctx, client.ObjectKey{Namespace: w.hc.Namespace, Name: v1alpha1.KubeconfigSecretName(w.hc.Name)}, stored))).To(Succeed())
	w.Expect(stored.GetUID()).To(BeEmpty(), "it only observes")

	w.delete(ctx, &v1alpha1.HostCluster{})
	w.forgotten(ctx)
}

// TestLongestNames that the API allows.
func TestLongestNames(t *testing.T) {
	t.Parallel()

	ctx := t.Context()
	cp := controlPlane(t)
	w := newWorldFor(t, cp, cp.Namespace(t), strings.Repeat("n", 53), cp.Target(t, kt.Admin())).supply(ctx)
	w.hc.Spec.AdminUsername = new(v1alpha1.Username(strings.Repeat("u", 63)))
	w.create(ctx)
	w.ready(ctx)
	workloads := w.workloads(ctx)
	w.delete(ctx, &v1alpha1.HostCluster{})
	w.disconnected(ctx, workloads)
}

// TestNoRights: the kubeconfig works, but its user is no cluster-admin.
func TestNoRights(t *testing.T) {
	t.Parallel()

	ctx := t.Context()
	cp := controlPlane(t)
	w := newWorldFor(t, cp, cp.Namespace(t), "my-cluster", cp.Target(t, kt.User{Name: "somebody"})).supply(ctx).create(ctx)
	hc := w.says(ctx, v1alpha1.PhaseFailed, "no cluster-admin rights: bind \"somebody\" to the ClusterRole cluster-admin")
	w.Expect(hc.GetCondition(v1alpha1.TypeAccessValidated).Reason).To(Equal(v1alpha1.ReasonDenied))

	ks := &kustomizev1.KustomizationList{}
	w.Expect(client.IgnoreNotFound(w.tc.List(ctx, ks))).NotTo(Succeed(), "nothing was made there")
	w.delete(ctx, &v1alpha1.HostCluster{})
	w.forgotten(ctx)
}
