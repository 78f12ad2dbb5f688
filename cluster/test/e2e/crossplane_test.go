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
	"strings"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

var _ = Describe("Crossplane's own core with our packages", Ordered, func() {
	var w *world

	BeforeAll(func(ctx SpecContext) {
		w = startCrossplane(ctx, "crossplane")
	}, NodeTimeout(buildTimeout))

	It("installs the configuration, with provider and function because it depends on them", func(ctx SpecContext) {
		w.applyDocumented(ctx, "docs/install.md", "ImageConfig")
		w.applyDocumented(ctx, "docs/render.md", "Configuration")
		w.awaitHealthy(ctx, "configuration", "configuration-kubeopera")
		w.awaitHealthy(ctx, "provider", theDependency)
		w.awaitHealthy(ctx, "function", "kubeopera-function-kubeopera")
		Expect(w.active(ctx)).To(BeEmpty(), "Crossplane was told to activate nothing by itself")
		Expect(w.definitions(ctx)).To(Equal(map[string]string{
			"hostclusters": "Inactive", "clusteraccesses": "Inactive", "provisionedclusters": "Inactive",
			"fluxbootstraps": "Inactive", "gitopsenvironments": "Inactive", "administrators": "Inactive",
		}))
	}, NodeTimeout(readyTimeout)) // the first spec's own timeout would count what comes before all

	It("starts exactly the controllers whose kinds are active", func(ctx SpecContext) {
		var started []any
		for _, next := range []struct {
			plural string
			starts []any
		}{
			{plural: "fluxbootstraps", starts: []any{"FluxBootstrap"}},
			{plural: "gitopsenvironments", starts: []any{"GitOpsEnvironment"}},
			{plural: "administrators", starts: []any{"Administrator"}},
			{plural: "clusteraccesses"}, // It leads into ProvisionedClusters and serves HostClusters, too.
			{plural: "provisionedclusters", starts: []any{"ProvisionedCluster"}},
			{plural: "hostclusters", starts: []any{"ClusterAccess", "HostCluster"}},
		} {
			w.activate(ctx, next.plural)
			Eventually(ctx, w.definitions, readyTimeout, "500ms").Should(HaveKeyWithValue(next.plural, "Active"))
			started = append(started, next.starts...)
			Eventually(ctx, w.controllers, readyTimeout, "1s").Should(ConsistOf(started...))
			Consistently(ctx, w.controllers, "2s", "1s").Should(ConsistOf(started...), "after "+next.plural)
		}
		Expect(started).To(ConsistOf(allControllers()))
	}, SpecTimeout(readyTimeout+readyTimeout))

	It("runs provider and function in Deployments of its own, from the images in the packages", func(ctx SpecContext) {
		l := &appsv1.DeploymentList{}
		Expect(w.management.List(ctx, l, client.InNamespace(crossplaneNamespace))).To(Succeed())
		images := map[string]string{}
		for i := range l.Items {
			if owner := l.Items[i].GetOwnerReferences(); len(owner) > 0 && strings.HasSuffix(owner[0].Kind, "Revision") {
				images[owner[0].Kind] = l.Items[i].Spec.Template.Spec.Containers[0].Image
				Expect(l.Items[i].Status.ReadyReplicas).To(BeNumerically("==", 1), l.Items[i].GetName())
			}
		}
		Expect(images).To(And(HaveKeyWithValue("ProviderRevision", HavePrefix(registry+"/kubeopera/provider-kubeopera")),
			HaveKeyWithValue("FunctionRevision", HavePrefix(registry+"/kubeopera/function-kubeopera"))))
	})

	itLacksRights(func() *world { return w })

	It("uses a ClusterProviderConfig, in any namespace", func(ctx SpecContext) {
		w.applyManifest(ctx, shared)
		pc := &v1alpha1.ClusterProviderConfig{}
		users := func(g Gomega) int64 {
			g.Expect(w.management.Get(ctx, client.ObjectKey{Name: "shared"}, pc)).To(Succeed())
			return pc.Status.Users
		}
		Eventually(ctx, users, readyTimeout, "200ms").Should(BeEquivalentTo(1))
		Eventually(ctx, func() error {
			return w.management.Get(ctx, client.ObjectKey{Namespace: provisioningNamespace, Name: run.JobName(run.Apply, "shared")}, &batchv1.Job{})
		}, readyTimeout, "200ms").Should(Succeed())
		w.kubectl(ctx, "delete", "provisionedcluster", "shared", "--namespace=team", "--timeout=60s")
		Eventually(ctx, users, readyTimeout, "200ms").Should(BeZero())
		w.kubectl(ctx, "delete", "clusterproviderconfig", "shared", "--timeout=60s")
	}, SpecTimeout(readyTimeout))

	var g *guard

	It("makes a cluster of an object of the platform's own API", func(ctx SpecContext) {
		w.applyManifest(ctx, w.connecting())
		w.order(ctx, "teamclusters-connect")
		w.awaitReady(ctx)
		Eventually(ctx, w.ordered, readyTimeout, "200ms").Should(And(
			HaveField("Conditions", ContainElement(And(HaveField("Type", xpv2.TypeReady), HaveField("Status", corev1.ConditionTrue)))),
			HaveField("Phase", "Ready"), HaveField("Message", w.hc.Status.Message),
			HaveField("KubernetesVersion", w.hc.Status.KubernetesVersion),
			HaveField("KubeconfigSecret", v1alpha1.KubeconfigSecretName(w.hc.GetName())),
			HaveField("AdminPasswordSecret", w.hc.Status.AdminPasswordSecretRef)))
		g = w.guardWorkloads(ctx)
	}, SpecTimeout(readyTimeout+readyTimeout))

	It("lets the cluster go when that is deleted, children first, by the rights of the role bundle", func(ctx SpecContext) {
		defer g.stop()
		w.kubectl(ctx, "delete", "teamcluster", w.hc.GetName(), "--timeout=90s")
		w.awaitGone(ctx)
		for _, l := range childLists() {
			Expect(w.management.List(ctx, l)).To(Succeed())
			Expect(l).To(HaveField("Items", BeEmpty()))
		}
		w.expectUntouched(ctx, g)
	}, SpecTimeout(readyTimeout))
})
