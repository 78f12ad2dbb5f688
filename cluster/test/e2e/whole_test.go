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
	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/admin"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

const (
	// controllerName is what KubeOpera's provider is called in the tree.
	controllerName = "host-cluster-controller"
	// layerLabel is how Flux labels what a Kustomization has applied.
	layerLabel = "kustomize.toolkit.fluxcd.io/name"
)

// itIsWhole checks that all that Ready stands for is there, and there once.
func itIsWhole(get func() *world) {
	var w *world
	BeforeEach(func() { w = get() })

	It("has one commit per pass in Git", func(ctx SpecContext) {
		commits, err := w.sandbox.Git.Log(ctx, string(*w.hc.Spec.GitOpsPath))
		Expect(err).NotTo(HaveOccurred())
		Expect(commits).To(HaveLen(2))
		Expect(w.sandbox.Git.Log(ctx, ".")).To(HaveLen(3), "the repository's first commit is not ours")
	})

	It("has installed Flux from its chart, once", func(ctx SpecContext) {
		releases := &corev1.SecretList{}
		Expect(w.target.List(ctx, releases, client.InNamespace(v1alpha1.FluxNamespace), client.MatchingLabels{"owner": "helm", "name": "flux"})).To(Succeed())
		var deployed int
		for _, r := range releases.Items {
			status := r.GetLabels()["status"]
			Expect(status).NotTo(HavePrefix("pending"))
			if status == "deployed" {
				deployed++
			}
		}
		Expect(deployed).To(Equal(1))
	})

	It("runs Flux and Sealed Secrets as pods", func(ctx SpecContext) {
		for _, name := range []string{"source-controller", "kustomize-controller", "helm-controller"} {
			flux, _ := w.expectRunning(ctx, v1alpha1.FluxNamespace, name)
			Expect(flux.GetAnnotations()).To(HaveKeyWithValue("meta.helm.sh/release-name", "flux"))
		}
		sealed, _ := w.expectRunning(ctx, render.SealedSecretsNamespace, "sealed-secrets-controller")
		Expect(sealed.GetLabels()).To(HaveKeyWithValue(layerLabel, v1alpha1.LayerInfrastructure.KustomizationName()))
	})

	It("has applied every layer of the tree", func(ctx SpecContext) {
		env := &v1alpha1.GitOpsEnvironment{}
		Expect(w.management.Get(ctx, client.ObjectKeyFromObject(w.hc), env)).To(Succeed())
		pass := env.Status.AtProvider.Environment
		Expect(pass).NotTo(BeNil())

		repo := &sourcev1.GitRepository{}
		Expect(w.target.Get(ctx, fluxKey(v1alpha1.SyncName), repo)).To(Succeed())
		Expect(kmeta.IsStatusConditionTrue(repo.Status.Conditions, meta.ReadyCondition)).To(BeTrue())
		Expect(repo.Status.Artifact.Revision).To(HaveSuffix(pass.Commit))

		for _, layer := range []v1alpha1.Layer{v1alpha1.LayerInfrastructure, v1alpha1.LayerSecrets, v1alpha1.LayerApps} {
			k := &kustomizev1.Kustomization{}
			Expect(w.target.Get(ctx, fluxKey(layer.KustomizationName()), k)).To(Succeed())
			Expect(kmeta.IsStatusConditionTrue(k.Status.Conditions, meta.ReadyCondition)).To(BeTrue(), string(layer))
			Expect(k.GetAnnotations()).To(HaveKeyWithValue(v1alpha1.AnnotationTreeHash, pass.TreeHash))
		}
	})

	It("has a Secret that the Sealed Secrets controller unsealed", func(ctx SpecContext) {
		secret := &corev1.Secret{}
		Expect(w.target.Get(ctx, client.ObjectKey{Namespace: v1alpha1.PlatformNamespace, Name: "kubeopera-platform"}, secret)).To(Succeed())
		owner := metav1.GetControllerOf(secret)
		Expect(owner).NotTo(BeNil())
		Expect(owner.Kind).To(Equal("SealedSecret"))
		Expect(secret.Data).NotTo(BeEmpty())
	})

	It("runs KubeOpera itself", func(ctx SpecContext) {
		kubeOpera, pod := w.expectRunning(ctx, v1alpha1.PlatformNamespace, controllerName)
		Expect(kubeOpera.GetLabels()).To(HaveKeyWithValue(layerLabel, v1alpha1.LayerApps.KustomizationName()))
		api, err := kubernetes.NewForConfig(w.sandbox.Target)
		Expect(err).NotTo(HaveOccurred())
		Expect(api.CoreV1().Pods(pod.GetNamespace()).ProxyGet("http", pod.GetName(), "8081", "/readyz", nil).DoRaw(ctx)).To(Equal([]byte("ok")))

		// With the rights that the tree gives it.
		cfg := rest.CopyConfig(w.sandbox.Target)
		cfg.Impersonate.UserName = "system:serviceaccount:" + v1alpha1.PlatformNamespace + ":" + pod.Spec.ServiceAccountName
		itself, err := client.New(cfg, client.Options{Scheme: target.NewScheme()})
		Expect(err).NotTo(HaveOccurred())
		Expect(itself.List(ctx, &v1alpha1.HostClusterList{}, client.InNamespace(v1alpha1.PlatformNamespace))).To(Succeed())
	})

	It("has one administrator, whose password works", func(ctx SpecContext) {
		records := &corev1.SecretList{}
		Expect(w.target.List(ctx, records, client.InNamespace(v1alpha1.PlatformNamespace))).To(Succeed())
		var found []admin.Record
		for i := range records.Items {
			if records.Items[i].Type != admin.SecretType {
				continue
			}
			r, err := admin.ParseRecord(&records.Items[i])
			Expect(err).NotTo(HaveOccurred())
			found = append(found, r)
		}
		Expect(found).To(HaveLen(1))
		Expect(found[0].Username).To(BeEquivalentTo(*w.hc.Spec.AdminUsername))
		Expect(found[0].Email).To(BeEquivalentTo(*w.hc.Spec.AdminEmail))

		Expect(w.hc.Status.AdminPasswordSecretRef).To(Equal(v1alpha1.AdminPasswordSecretName(w.hc.GetName())))
		password := &corev1.Secret{}
		key := client.ObjectKey{Namespace: w.hc.GetNamespace(), Name: w.hc.Status.AdminPasswordSecretRef}
		Expect(w.management.Get(ctx, key, password)).To(Succeed())
		Expect(admin.Verify(found[0].PasswordHash, string(password.Data[admin.KeyPassword]))).To(BeTrue())
		Expect(admin.Verify(found[0].PasswordHash, "another")).To(BeFalse())
	})
}

func fluxKey(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: v1alpha1.FluxNamespace, Name: name}
}

// expectRunning expects a Deployment to be available, and returns it with one of its pods.
func (w *world) expectRunning(ctx context.Context, namespace, name string) (*appsv1.Deployment, *corev1.Pod) {
	GinkgoHelper()
	d := &appsv1.Deployment{}
	Expect(w.target.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, d)).To(Succeed())
	Expect(d.Status.AvailableReplicas).To(BeNumerically(">=", 1), name)

	pods := &corev1.PodList{}
	Expect(w.target.List(ctx, pods, client.InNamespace(namespace), client.MatchingLabels(d.Spec.Selector.MatchLabels))).To(Succeed())
	Expect(pods.Items).NotTo(BeEmpty(), name)
	Expect(pods.Items[0].Status.Phase).To(Equal(corev1.PodRunning), name)
	return d, &pods.Items[0]
}
