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

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// packaged are the commands of docs/install.md that give a provider which Crossplane has installed the rights that
// Crossplane does not. The second is for one that came as a dependency.
func packaged() []string {
	return []string{
		theBundle,
		`kubectl patch providers.pkg.crossplane.io ` + theDependency + ` --type=merge --patch='{"spec":{"runtimeConfigRef":{"name":"provider-kubeopera"}}}'`,
	}
}

const (
	theBundle = "kubectl apply -k cluster/install/crossplane"
	// theDependency is what Crossplane calls our provider when a package depends on it.
	theDependency = "kubeopera-provider-kubeopera"
)

// itLacksRights checks what the provider says and does with no more rights than Crossplane grants, and that the
// documented commands are all it takes to mend that.
func itLacksRights(get func() *world) {
	var w *world
	BeforeEach(func() { w = get() })

	It("says at its start which rights Crossplane does not grant, and which commands add them", func(ctx SpecContext) {
		entries, err := w.entries(ctx)
		Expect(err).NotTo(HaveOccurred())
		said := map[string]string{}
		for _, e := range entries {
			if e.Command != "" {
				said[e.Msg] = e.Command
			}
		}
		const destroying, jobs = ", which is needed to disconnect and destroy clusters", " in namespace " + provisioningNamespace + ", which is needed to provision clusters with Jobs"
		Expect(said).To(Equal(map[string]string{
			"Right is missing: may not delete clusteraccesses in all namespaces" + destroying:     theBundle,
			"Right is missing: may not delete fluxbootstraps in all namespaces" + destroying:      theBundle,
			"Right is missing: may not delete gitopsenvironments in all namespaces" + destroying:  theBundle,
			"Right is missing: may not delete administrators in all namespaces" + destroying:      theBundle,
			"Right is missing: may not delete provisionedclusters in all namespaces" + destroying: theBundle,
			"Right is missing: may not get, list, create, delete jobs" + jobs:                     theBundle,
			"Right is missing: may not list pods" + jobs:                                          theBundle,
			"Right is missing: may not get pods/log" + jobs:                                       theBundle,
			"Role bundle is for ServiceAccount provider-kubeopera, and this is " + w.providerPod(ctx).Spec.ServiceAccountName +
				": give the Provider the bundle's runtime config": packaged()[1],
		}))
	})

	It("says so in the conditions of what needs them, up to the platform's own object", func(ctx SpecContext) {
		w.applyManifest(ctx, account)
		w.order(ctx, "") // by the default composition
		const cause = "may not get jobs in namespace " + provisioningNamespace + ": run " + theBundle
		Eventually(ctx, w.infrastructure, readyTimeout, "200ms").Should(And(
			HaveField("Status", corev1.ConditionFalse), HaveField("Reason", v1alpha1.ReasonDenied), HaveField("Message", HavePrefix(cause))))
		Eventually(ctx, w.ordered, readyTimeout, "200ms").Should(And(
			HaveField("Conditions", ContainElement(And(
				HaveField("Type", xpv2.ConditionType("HostClusterReady")), HaveField("Status", corev1.ConditionFalse), HaveField("Message", ContainSubstring(cause))))),
			HaveField("Message", ContainSubstring(cause))))
	}, SpecTimeout(readyTimeout))

	It("leaves what it may not delete to the garbage collector", func(ctx SpecContext) {
		w.applyManifest(ctx, pending)
		key := client.ObjectKey{Namespace: v1alpha1.PlatformNamespace, Name: "pending"}
		Eventually(ctx, func() error { return w.management.Get(ctx, key, &v1alpha1.ClusterAccess{}) }, readyTimeout, "200ms").Should(Succeed())
		w.kubectl(ctx, "delete", "hostcluster", key.Name, "--namespace="+key.Namespace, "--timeout=60s")
		Eventually(ctx, func() string {
			return w.kubectl(ctx, "get", "events", "--namespace="+key.Namespace, "--field-selector=reason=ChildrenLeft", "--output=jsonpath={.items[*].message}")
		}, "30s", "500ms").Should(ContainSubstring("may not delete ClusterAccess: left to the garbage collector"))
		Eventually(ctx, func() bool {
			return kerrors.IsNotFound(w.management.Get(ctx, key, &v1alpha1.ClusterAccess{}))
		}, readyTimeout, "200ms").Should(BeTrue())
	}, SpecTimeout(readyTimeout))

	It("has all rights once the documented commands were typed", func(ctx SpecContext) {
		for _, command := range packaged() {
			out, err := w.shell(ctx, root, command).CombinedOutput()
			Expect(err).NotTo(HaveOccurred(), "%s: %s", command, out)
		}
		Eventually(ctx, func(g Gomega) {
			pod := w.providerPod(ctx)
			g.Expect(pod.Spec.ServiceAccountName).To(Equal("provider-kubeopera"))
			g.Expect(w.controllers(ctx)).To(ConsistOf(allControllers()))
		}, readyTimeout, "1s").Should(Succeed())
		entries, err := w.entries(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(entries).NotTo(ContainElement(HaveField("Command", Not(BeEmpty()))))
		Eventually(ctx, w.infrastructure, readyTimeout, "200ms").Should(
			HaveField("Message", ContainSubstring("Secret kubeopera-system/platform-aws is not there yet")), "what comes next is missing now")
	}, SpecTimeout(readyTimeout))

	It("takes a cluster with it that was never begun, when the platform's own object is deleted", func(ctx SpecContext) {
		w.kubectl(ctx, "delete", "teamcluster", w.hc.GetName(), "--timeout=60s")
		w.awaitGone(ctx)
		Eventually(ctx, func() bool {
			return kerrors.IsNotFound(w.management.Get(ctx, client.ObjectKeyFromObject(w.hc), &v1alpha1.ProvisionedCluster{}))
		}, readyTimeout, "200ms").Should(BeTrue())
	}, SpecTimeout(readyTimeout))
}

// infrastructure is the Ready condition of the cluster that was ordered.
func (w *world) infrastructure(ctx context.Context) xpv2.Condition {
	pc := &v1alpha1.ProvisionedCluster{}
	if w.management.Get(ctx, client.ObjectKeyFromObject(w.hc), pc) != nil {
		return xpv2.Condition{}
	}
	return pc.GetCondition(xpv2.TypeReady)
}
