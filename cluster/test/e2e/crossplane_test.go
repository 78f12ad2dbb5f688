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
	"encoding/json"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"

	pkgv1 "github.com/crossplane/crossplane/apis/v2/pkg/v1"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/hack/sandbox"
	"github.com/kubeopera/provider-kubeopera/internal/target"
	"github.com/kubeopera/provider-kubeopera/internal/version"
)

// crossplaneNamespace is where Crossplane's chart puts it, and Crossplane its providers.
const crossplaneNamespace = "crossplane-system"

// registry is the sandbox's, as its node sees it.
const registry = "127.0.0.1:5000"

var _ = Describe("Crossplane's own core with our packages", Ordered, func() {
	var w *world

	BeforeAll(func(ctx SpecContext) {
		w = startCrossplane(ctx, "crossplane")
	}, NodeTimeout(buildTimeout))

	It("installs the provider, whose kinds wait until somebody activates them", func(ctx SpecContext) {
		_, err := w.sandbox.Kubectl(ctx, "apply", "-k", filepath.Join(root, "cluster", "install", "crossplane"))
		Expect(err).NotTo(HaveOccurred())
		w.install(ctx, "provider-kubeopera", "pkg.crossplane.io/v1", "Provider", map[string]any{
			"runtimeConfigRef": map[string]any{"name": "provider-kubeopera"},
		})
		Expect(w.active(ctx)).To(BeEmpty(), "Crossplane was told to activate nothing by itself")
	}, SpecTimeout(readyTimeout))

	It("starts exactly the controllers whose kinds are active", func(ctx SpecContext) {
		w.activate(ctx, "fluxbootstraps")
		Eventually(ctx, w.controllers, readyTimeout, "1s").Should(ConsistOf("FluxBootstrap"))
		w.activate(ctx, "gitopsenvironments")
		Eventually(ctx, w.controllers, readyTimeout, "1s").Should(ConsistOf("FluxBootstrap", "GitOpsEnvironment"))
		w.activate(ctx, "hostclusters", "clusteraccesses", "provisionedclusters", "administrators")
		Eventually(ctx, w.controllers, readyTimeout, "1s").Should(ConsistOf("FluxBootstrap", "GitOpsEnvironment",
			"HostCluster", "ClusterAccess", "ProvisionedCluster", "Administrator"))
	}, SpecTimeout(readyTimeout+readyTimeout))

	It("installs the function", func(ctx SpecContext) {
		w.install(ctx, "function-kubeopera", "pkg.crossplane.io/v1", "Function", nil)
	}, SpecTimeout(readyTimeout))

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

	It("connects a cluster", func(ctx SpecContext) {
		w.connect(ctx)
		w.awaitReady(ctx)
	}, SpecTimeout(readyTimeout+readyTimeout))

	It("lets it go again, children first, by the rights of the role bundle", func(ctx SpecContext) {
		w.kubectl(ctx, "delete", "hostcluster", w.hc.GetName(), "--timeout=90s")
		for _, l := range childLists() {
			Expect(w.management.List(ctx, l)).To(Succeed())
			Expect(l).To(HaveField("Items", BeEmpty()))
		}
	}, SpecTimeout(readyTimeout))
})

// startCrossplane starts a sandbox with Crossplane on the management node, and pushes our packages to its registry.
func startCrossplane(ctx context.Context, name string) *world {
	GinkgoHelper()
	o := options(name)
	image, err := sandbox.CrossplaneImage(ctx, o)
	Expect(err).NotTo(HaveOccurred())
	dist := filepath.Join(o.Dir, "dist")
	build := exec.CommandContext(ctx, "go", "run", "./hack/package", "-architectures="+architecture(), "-out="+dist)
	build.Dir = root
	out, err := build.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(out))

	o.ManagementNode, o.ManagementImages = true, []string{image}
	w := &world{}
	w.sandbox, err = sandbox.Start(ctx, o)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(w.sandbox.Stop)
	w.management = w.sandbox.Management.Client
	w.target, err = client.NewWithWatch(w.sandbox.Target, client.Options{Scheme: target.NewScheme()})
	Expect(err).NotTo(HaveOccurred())
	Expect(w.sandbox.InstallCrossplane(ctx)).To(Succeed())
	for _, p := range []string{"provider-kubeopera", "function-kubeopera"} {
		file := filepath.Join(dist, p+"-"+version.String()+"-"+architecture()+".xpkg")
		_, err := w.sandbox.Crossplane.Push(ctx, file, "kubeopera/"+p, version.String())
		Expect(err).NotTo(HaveOccurred())
	}
	return w
}

// architecture of this machine, in Go's words.
func architecture() string { return goruntime.GOARCH }

// install a package from the registry, and wait until Crossplane calls it healthy.
func (w *world) install(ctx context.Context, name, apiVersion, kind string, spec map[string]any) {
	GinkgoHelper()
	if spec == nil {
		spec = map[string]any{}
	}
	spec["package"] = registry + "/kubeopera/" + name + ":" + version.String()
	manifest, err := json.Marshal(map[string]any{
		"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": name}, "spec": spec,
	})
	Expect(err).NotTo(HaveOccurred())
	Expect(w.sandbox.KubectlApply(ctx, manifest)).To(Succeed())
	_, err = w.sandbox.Kubectl(ctx, "wait", "--for=condition=Healthy", "--timeout=120s", strings.ToLower(kind)+"."+pkgv1.Group+"/"+name)
	Expect(err).NotTo(HaveOccurred())
}

// activate some of the package's kinds, by their plurals.
func (w *world) activate(ctx context.Context, plurals ...string) {
	GinkgoHelper()
	names := make([]string, len(plurals))
	for i, p := range plurals {
		names[i] = p + "." + v1alpha1.Group
	}
	manifest, err := json.Marshal(map[string]any{
		"apiVersion": "apiextensions.crossplane.io/v1alpha1", "kind": "ManagedResourceActivationPolicy",
		"metadata": map[string]any{"name": plurals[0]}, "spec": map[string]any{"activate": names},
	})
	Expect(err).NotTo(HaveOccurred())
	Expect(w.sandbox.KubectlApply(ctx, manifest)).To(Succeed())
}

// active are those of the package's kinds that are there, but for the kinds of configurations, which are no managed resources.
func (w *world) active(ctx context.Context) []string {
	GinkgoHelper()
	l := &apiextensionsv1.CustomResourceDefinitionList{}
	Expect(w.management.List(ctx, l)).To(Succeed())
	var out []string
	for i := range l.Items {
		if s := l.Items[i].Spec; s.Group == v1alpha1.Group && !strings.Contains(s.Names.Kind, v1alpha1.ProviderConfigKind) {
			out = append(out, s.Names.Kind)
		}
	}
	return out
}

// controllers are the kinds whose controllers the provider says it has started.
func (w *world) controllers(ctx context.Context) ([]string, error) {
	out, err := w.sandbox.Kubectl(ctx, "logs", "--namespace="+crossplaneNamespace, "--selector=pkg.crossplane.io/provider=provider-kubeopera", "--tail=-1")
	if err != nil {
		return nil, err
	}
	var kinds []string
	for line := range strings.Lines(out) {
		entry := struct {
			Msg  string `json:"msg"`
			Kind string `json:"kind"`
		}{}
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "Starting controller" {
			kinds = append(kinds, entry.Kind)
		}
	}
	return kinds, nil
}
