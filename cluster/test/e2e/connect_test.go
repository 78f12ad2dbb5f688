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
	"time"

	ssv1alpha1 "github.com/bitnami-labs/sealed-secrets/pkg/apis/sealedsecrets/v1alpha1"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

var _ = Describe("Connecting a cluster", Ordered, func() {
	var w *world

	BeforeAll(func(ctx SpecContext) {
		w = startSandbox(ctx, "connect")
	}, NodeTimeout(startTimeout))

	itFollowsTheDocuments(func() *world { return w })
	itKeepsSecrets(func() *world { return w })

	It("writes nothing once Ready", func() {
		const polls = 3 * (pollInterval + pollInterval/5) // with the jitter
		ours := client.MatchingLabels{v1alpha1.LabelAppManagedBy: v1alpha1.AppManagedBy}
		before, err := kt.VersionsOf(GinkgoT().Context(), w.target, onTarget(), ours)
		Expect(err).NotTo(HaveOccurred())
		Expect(before).NotTo(BeEmpty())
		kt.Steady(GinkgoTB(), w.management, polls, onManagement())
		after, err := kt.VersionsOf(GinkgoT().Context(), w.target, onTarget(), ours)
		Expect(err).NotTo(HaveOccurred())
		Expect(after).To(Equal(before))
	})

	It("went through all phases in order", func() {
		var phases []v1alpha1.Phase
		var last time.Time
		for _, p := range w.hc.Status.PhaseHistory {
			if p.StartedAt == nil {
				continue // the mode has it, but it was not needed
			}
			phases = append(phases, p.Phase)
			Expect(p.StartedAt.Time).NotTo(BeTemporally("<", last), "start of %s", p.Phase)
			last = p.StartedAt.Time
		}
		Expect(phases).To(ContainElements(v1alpha1.PhaseValidatingAccess, v1alpha1.PhaseBootstrappingFlux,
			v1alpha1.PhaseGeneratingGitOpsTree, v1alpha1.PhaseInstallingKubeOpera, v1alpha1.PhaseReady))
	})

	itIsWhole(func() *world { return w })

	It("reads well in kubectl", func(ctx SpecContext) {
		get := w.kubectl(ctx, "get", "hc", w.hc.GetName())
		Expect(get).To(MatchRegexp(`NAME +PHASE +READY +PROVIDER +REGION +VERSION +NODES +AGE`))
		Expect(get).To(MatchRegexp(`my-cluster +Ready +True +aws +eu-north-1 +v1\.\d+\.\d+ +1 `))
		Expect(w.kubectl(ctx, "get", "hc", w.hc.GetName(), "--output=wide")).To(ContainSubstring(w.hc.Status.Message))
		Expect(w.hc.Status.Message).To(Equal(
			"Flux healthy and reconciling fluxcd/clusters/my-cluster. Administrator admin@acme.com created."))
		Expect(w.kubectl(ctx, "describe", "hc", w.hc.GetName())).To(And(
			ContainSubstring("Phase History:"), ContainSubstring("Ready"), ContainSubstring("Events:"), Not(ContainSubstring("Warning"))))
		Expect(w.kubectl(ctx, "wait", "hostcluster", w.hc.GetName(), "--for=condition=Ready", "--timeout=5s")).To(
			ContainSubstring("condition met"))
	})

	It("is the same for another field manager that applies the same manifest", func(ctx SpecContext) {
		generation := w.hc.GetGeneration()
		children, err := kt.VersionsOf(ctx, w.management, childLists())
		Expect(err).NotTo(HaveOccurred())

		Expect(w.apply(ctx, "gitops")).To(ContainSubstring("serverside-applied"))
		Expect(w.management.Get(ctx, client.ObjectKeyFromObject(w.hc), w.hc)).To(Succeed())
		Expect(w.hc.GetGeneration()).To(Equal(generation))

		version := w.hc.GetResourceVersion()
		w.apply(ctx, "gitops")
		Consistently(ctx, func(g Gomega) {
			g.Expect(w.management.Get(ctx, client.ObjectKeyFromObject(w.hc), w.hc)).To(Succeed())
			g.Expect(w.hc.GetResourceVersion()).To(Equal(version))
			g.Expect(kt.VersionsOf(ctx, w.management, childLists())).To(Equal(children))
		}, 2*pollInterval, "1s").Should(Succeed())
	})

	itInstalls(func() *world { return w })
	itSealsAgain(func() *world { return w })
	itDisconnects(func() *world { return w })
})

// childLists are the kinds of a HostCluster's children.
func childLists() []client.ObjectList {
	return []client.ObjectList{
		&v1alpha1.ClusterAccessList{}, &v1alpha1.FluxBootstrapList{}, &v1alpha1.GitOpsEnvironmentList{}, &v1alpha1.AdministratorList{},
	}
}

// onManagement are all kinds that the provider writes on the management cluster, but for events.
func onManagement() []client.ObjectList {
	return append(childLists(), &v1alpha1.HostClusterList{}, &corev1.SecretList{})
}

// onTarget are all kinds that the provider writes on the target.
func onTarget() []client.ObjectList {
	return []client.ObjectList{
		&sourcev1.GitRepositoryList{}, &kustomizev1.KustomizationList{}, &ssv1alpha1.SealedSecretList{},
		&corev1.NamespaceList{}, &corev1.SecretList{}, &corev1.ServiceAccountList{}, &appsv1.DeploymentList{},
	}
}
