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

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
)

// itDisconnects checks that a cluster that is let go, and taken up again, does not notice.
func itDisconnects(get func() *world) {
	var (
		w    *world
		pods map[types.UID]int32
	)
	BeforeEach(func() { w = get() })

	It("disconnects without touching a workload", func(ctx SpecContext) {
		pods = w.workloads(ctx)
		Expect(len(pods)).To(BeNumerically(">=", 5), "Flux, Sealed Secrets and KubeOpera")

		w.kubectl(ctx, "delete", "hostcluster", w.hc.GetName(), "--timeout=60s")

		for _, l := range childLists() {
			Expect(w.management.List(ctx, l)).To(Succeed())
			Expect(l).To(HaveField("Items", BeEmpty()))
		}
		Expect(w.secretNames(ctx)).To(ConsistOf("my-cluster-input-kubeconfig", "gitops-iac-credentials",
			v1alpha1.AdminPasswordSecretName(w.hc.GetName()), v1alpha1.SealingSecretName(w.hc.GetName())),
			"the stored kubeconfig goes; what people made stays, and the only copies of what is in use")

		for _, l := range []client.ObjectList{&kustomizev1.KustomizationList{}, &sourcev1.GitRepositoryList{}} {
			Expect(w.target.List(ctx, l)).To(Succeed())
			Expect(l).To(HaveField("Items", BeEmpty()))
		}
		Expect(w.target.Get(ctx, fluxKey(v1alpha1.SyncName), &corev1.Secret{})).NotTo(Succeed(), "the Git credentials on the target")
		w.expectUntouched(ctx, pods)
	})

	It("is connected again under the same name", func(ctx SpecContext) {
		w.declare(ctx, w.hc.GetName())
		w.awaitReady(ctx)
		w.expectUntouched(ctx, pods)
		Expect(w.sandbox.Git.Log(ctx, ".")).To(HaveLen(3), "the tree in Git is as it was")
		Expect(w.hc.Status.AdminPasswordSecretRef).To(Equal(v1alpha1.AdminPasswordSecretName(w.hc.GetName())), "the password still works")
	}, SpecTimeout(readyTimeout))

	It("is connected again under another name", func(ctx SpecContext) {
		w.kubectl(ctx, "delete", "hostcluster", w.hc.GetName(), "--timeout=60s")
		w.declare(ctx, "renamed")
		w.awaitReady(ctx)
		w.expectUntouched(ctx, pods)
	}, SpecTimeout(readyTimeout))
}

// workloads are the pods that we brought to the target, with how often they were restarted.
func (w *world) workloads(ctx context.Context) map[types.UID]int32 {
	GinkgoHelper()
	found := map[types.UID]int32{}
	for _, namespace := range []string{v1alpha1.FluxNamespace, render.SealedSecretsNamespace, v1alpha1.PlatformNamespace} {
		pods := &corev1.PodList{}
		Expect(w.target.List(ctx, pods, client.InNamespace(namespace))).To(Succeed())
		for i := range pods.Items {
			found[pods.Items[i].GetUID()] = 0
			for _, c := range pods.Items[i].Status.ContainerStatuses {
				found[pods.Items[i].GetUID()] += c.RestartCount
			}
		}
	}
	return found
}

// expectUntouched expects the same pods, none of them restarted, for as long as Flux would need to notice something.
func (w *world) expectUntouched(ctx context.Context, pods map[types.UID]int32) {
	GinkgoHelper()
	Consistently(ctx, func() map[types.UID]int32 { return w.workloads(ctx) }, pollInterval, "500ms").Should(Equal(pods))
}

// secretNames are the names of the Secrets beside the HostCluster.
func (w *world) secretNames(ctx context.Context) []string {
	GinkgoHelper()
	secrets := &corev1.SecretList{}
	Expect(w.management.List(ctx, secrets, client.InNamespace(w.hc.GetNamespace()))).To(Succeed())
	names := make([]string, 0, len(secrets.Items))
	for i := range secrets.Items {
		names = append(names, secrets.Items[i].GetName())
	}
	return names
}

// declare creates the example's HostCluster under a name, beside the Secrets that are there.
func (w *world) declare(ctx context.Context, name string) {
	GinkgoHelper()
	manifest, err := w.sandbox.Manifest(example())
	Expect(err).NotTo(HaveOccurred())
	manifest.SetName(name)
	Expect(w.management.Create(ctx, manifest)).To(Succeed())
	w.hc = &v1alpha1.HostCluster{}
	w.hc.SetNamespace(manifest.GetNamespace())
	w.hc.SetName(name)
}
