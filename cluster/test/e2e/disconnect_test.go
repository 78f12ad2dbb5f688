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

package e2e

import (
	"context"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

const (
	// goneTimeout bounds a disconnect from a target that answers. It takes seconds.
	goneTimeout = time.Minute
	// lostTimeout bounds one from a target that does not answer: two minutes, and as long again on a busy machine.
	lostTimeout = 4 * time.Minute
)

// itDisconnects checks that a cluster that is let go in any way, and taken up again, does not notice.
func itDisconnects(get func() *world) {
	var (
		w      *world
		guard  *guard
		theirs []client.Object
		tree   []string // the commits in Git
	)
	BeforeEach(func() { w = get() })
	AfterAll(func() {
		if guard != nil {
			guard.stop()
		}
	})
	again := func(ctx context.Context, name string) {
		GinkgoHelper()
		w.declare(ctx, name)
		w.awaitReady(ctx)
		Expect(guard.Harmed()).To(BeEmpty())
	}
	gone := func(ctx context.Context) {
		GinkgoHelper()
		w.expectGone(ctx, goneTimeout)
		w.expectDisconnected(ctx, theirs)
		Expect(guard.Harmed()).To(BeEmpty())
	}

	It("disconnects without touching a workload", func(ctx SpecContext) {
		guard = w.guardWorkloads(ctx)
		theirs = w.bringTheirs(ctx)
		var err error
		tree, err = w.sandbox.Git.Log(ctx, ".")
		Expect(err).NotTo(HaveOccurred())
		w.kubectl(ctx, "delete", "hostcluster", w.hc.GetName(), "--timeout=60s")
		gone(ctx)
		Expect(w.secretNames(ctx)).To(ConsistOf("my-cluster-input-kubeconfig", "gitops-iac-credentials",
			v1alpha1.AdminPasswordSecretName(w.hc.GetName()), v1alpha1.SealingSecretName(w.hc.GetName())),
			"the stored kubeconfig goes; what people made stays, and the only copies of what is in use")
		w.expectUntouched(ctx, guard)
	})

	It("is connected again under the same name, and deleted in the foreground as Argo CD does", func(ctx SpecContext) {
		again(ctx, w.hc.GetName())
		Expect(w.sandbox.Git.Log(ctx, ".")).To(Equal(tree), "the tree in Git is as it was")
		Expect(w.hc.Status.AdminPasswordSecretRef).To(Equal(v1alpha1.AdminPasswordSecretName(w.hc.GetName())), "the password still works")

		w.kubectl(ctx, "delete", "hostcluster", w.hc.GetName(), "--cascade=foreground", "--timeout=60s")
		gone(ctx)
	}, SpecTimeout(readyTimeout))

	It("disconnects when its children are deleted first", func(ctx SpecContext) {
		again(ctx, w.hc.GetName())
		for _, kind := range []string{"clusteraccess", "administrator", "gitopsenvironment", "fluxbootstrap"} {
			w.kubectl(ctx, "delete", kind, w.hc.GetName(), "--wait=false")
		}
		w.kubectl(ctx, "delete", "hostcluster", w.hc.GetName(), "--timeout=60s")
		gone(ctx)
	}, SpecTimeout(readyTimeout))

	It("is connected again under another name, and disconnects when its kubeconfig is deleted first", func(ctx SpecContext) {
		again(ctx, "renamed")
		w.kubectl(ctx, "delete", "secret", "my-cluster-input-kubeconfig")
		w.kubectl(ctx, "delete", "hostcluster", w.hc.GetName(), "--timeout=60s")
		gone(ctx)
	}, SpecTimeout(readyTimeout))

	It("comes from one folder of a Git repository, and goes with all of it at once", func(ctx SpecContext) {
		w.kubectl(ctx, "delete", "secret", "gitops-iac-credentials")
		folder := w.folder()
		w.kubectl(ctx, "apply", "--filename", folder)
		w.awaitReady(ctx)
		w.kubectl(ctx, "delete", "--filename", folder, "--timeout=60s")
		gone(ctx)
	}, SpecTimeout(readyTimeout))

	It("disconnects when its namespace is deleted", func(ctx SpecContext) {
		w.supply(ctx, w.sandbox.TargetKubeconfig)
		again(ctx, w.hc.GetName())
		w.kubectl(ctx, "delete", "namespace", w.hc.GetNamespace(), "--timeout=90s")
		gone(ctx)
	}, SpecTimeout(readyTimeout))

	It("disconnects from a target that does not answer, and says what it leaves behind", func(ctx SpecContext) {
		kubeconfig, cut, err := w.sandbox.Detour(ctx)
		Expect(err).NotTo(HaveOccurred())
		w.supply(ctx, kubeconfig)
		again(ctx, w.hc.GetName())

		cut()
		begin := time.Now()
		w.kubectl(ctx, "delete", "hostcluster", w.hc.GetName(), "--wait=false")
		w.expectGone(ctx, lostTimeout)
		GinkgoWriter.Printf("let go of the lost target after %s\n", time.Since(begin).Round(time.Second))

		// Events are written beside the work.
		Eventually(ctx, w.leftBehind, "30s", "200ms").Should(ContainSubstring("Secret flux-system/kubeopera"))
		said := w.leftBehind(ctx)
		for _, left := range []struct {
			name   string
			object client.Object
		}{
			{"GitRepository flux-system/kubeopera", &sourcev1.GitRepository{}},
			{"Kustomization flux-system/kubeopera", &kustomizev1.Kustomization{}},
			{"Secret flux-system/kubeopera", &corev1.Secret{}},
		} {
			Expect(said).To(ContainSubstring(left.name))
			Expect(w.target.Get(ctx, fluxKey(v1alpha1.SyncName), left.object)).To(Succeed())
		}
		for _, layer := range []v1alpha1.Layer{v1alpha1.LayerInfrastructure, v1alpha1.LayerSecrets, v1alpha1.LayerApps} {
			Expect(said).To(ContainSubstring("Kustomization flux-system/" + layer.KustomizationName()))
			Expect(w.target.Get(ctx, fluxKey(layer.KustomizationName()), &kustomizev1.Kustomization{})).To(Succeed())
		}
		Expect(said).To(ContainSubstring("Flux in namespace flux-system"))
		Expect(guard.Harmed()).To(BeEmpty())
	}, SpecTimeout(readyTimeout+lostTimeout))

	It("takes up what was left behind, and then leaves nothing", func(ctx SpecContext) {
		w.kubectl(ctx, "delete", "secret", "my-cluster-input-kubeconfig", "gitops-iac-credentials")
		w.supply(ctx, w.sandbox.TargetKubeconfig)
		again(ctx, w.hc.GetName())
		w.kubectl(ctx, "delete", "hostcluster", w.hc.GetName(), "--timeout=60s")
		gone(ctx)
		w.expectUntouched(ctx, guard)
	}, SpecTimeout(readyTimeout))
}

// expectGone expects that nothing of the HostCluster is on the management cluster any more, soon.
func (w *world) expectGone(ctx context.Context, within time.Duration) {
	GinkgoHelper()
	Eventually(ctx, func(g Gomega) {
		for _, l := range append(childLists(), &v1alpha1.HostClusterList{}) {
			g.Expect(w.management.List(ctx, l)).To(Succeed())
			g.Expect(l).To(HaveField("Items", BeEmpty()))
		}
		stored := client.ObjectKey{Namespace: w.hc.GetNamespace(), Name: v1alpha1.KubeconfigSecretName(w.hc.GetName())}
		g.Expect(kerrors.IsNotFound(w.management.Get(ctx, stored, &corev1.Secret{}))).To(BeTrue(), "the stored kubeconfig")
	}, within, "200ms").Should(Succeed())
}

// expectDisconnected expects that nothing of ours is on the target but Flux and the workloads, and all that is theirs.
func (w *world) expectDisconnected(ctx context.Context, theirs []client.Object) {
	GinkgoHelper()
	for _, l := range []client.ObjectList{&kustomizev1.KustomizationList{}, &sourcev1.GitRepositoryList{}} {
		Expect(w.target.List(ctx, l)).To(Succeed())
		Expect(l).To(HaveField("Items", HaveEach(HaveField("ObjectMeta.Name", "theirs"))))
	}
	Expect(kerrors.IsNotFound(w.target.Get(ctx, fluxKey(v1alpha1.SyncName), &corev1.Secret{}))).To(BeTrue(), "the Git credentials on the target")
	for _, o := range theirs {
		now, ok := o.DeepCopyObject().(client.Object)
		Expect(ok).To(BeTrue())
		Expect(w.target.Get(ctx, client.ObjectKeyFromObject(o), now)).To(Succeed())
		Expect(now.GetUID()).To(Equal(o.GetUID()))
		Expect(now.GetResourceVersion()).To(Equal(o.GetResourceVersion()), "%T theirs was written", o)
	}
}

// bringTheirs puts on the target what other people may have there beside ours.
func (w *world) bringTheirs(ctx context.Context) []client.Object {
	GinkgoHelper()
	meta := metav1.ObjectMeta{Namespace: v1alpha1.FluxNamespace, Name: "theirs"}
	theirs := []client.Object{
		&sourcev1.GitRepository{ObjectMeta: meta, Spec: sourcev1.GitRepositorySpec{URL: "https://git.example.org/theirs", Interval: metav1.Duration{Duration: time.Hour}, Suspend: true}},
		&kustomizev1.Kustomization{ObjectMeta: meta, Spec: kustomizev1.KustomizationSpec{
			Suspend: true, Interval: metav1.Duration{Duration: time.Hour},
			SourceRef: kustomizev1.CrossNamespaceSourceReference{Kind: sourcev1.GitRepositoryKind, Name: "theirs"},
		}},
		&corev1.Secret{ObjectMeta: meta, StringData: map[string]string{"a": "b"}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: v1alpha1.PlatformNamespace, Name: "theirs"}},
	}
	for _, o := range theirs {
		Expect(w.target.Create(ctx, o)).To(Succeed())
	}
	// Flux adds its finalizers, and says that it is suspended.
	Eventually(ctx, func(g Gomega) {
		for _, o := range theirs {
			before := o.GetResourceVersion()
			g.Expect(w.target.Get(ctx, client.ObjectKeyFromObject(o), o)).To(Succeed())
			g.Expect(o.GetResourceVersion()).To(Equal(before))
		}
	}, "20s", "2s").Should(Succeed())
	return theirs
}
