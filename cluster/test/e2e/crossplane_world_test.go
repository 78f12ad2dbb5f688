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

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/hack/sandbox"
	"github.com/kubeopera/provider-kubeopera/internal/target"
	"github.com/kubeopera/provider-kubeopera/internal/version"
)

const (
	// crossplaneNamespace is where Crossplane's chart puts it, and Crossplane its providers.
	crossplaneNamespace = "crossplane-system"
	// registry is the sandbox's, as its node sees it.
	registry = "127.0.0.1:5000"
)

// startCrossplane starts a sandbox with Crossplane on the management node, and pushes our packages to its registry.
func startCrossplane(ctx context.Context, name string) *world {
	GinkgoHelper()
	o := options(name)
	image, err := sandbox.CrossplaneImage(ctx, o)
	Expect(err).NotTo(HaveOccurred())
	dist := filepath.Join(o.Dir, "dist")
	build := exec.CommandContext(ctx, "go", "run", "./hack/package", "-architectures="+goruntime.GOARCH, "-out="+dist)
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
	for p, suffix := range map[string]string{"provider-kubeopera": "-" + goruntime.GOARCH, "function-kubeopera": "-" + goruntime.GOARCH, "configuration-kubeopera": ""} {
		file := filepath.Join(dist, p+"-"+version.String()+suffix+".xpkg")
		_, err := w.sandbox.Crossplane.Push(ctx, file, "kubeopera/"+p, version.String())
		Expect(err).NotTo(HaveOccurred())
	}
	w.hc = &v1alpha1.HostCluster{}
	w.hc.SetNamespace(v1alpha1.PlatformNamespace)
	w.hc.SetName("payments") // as the example has it
	return w
}

// applyDocumented applies the object of a kind that a document shows, with the sandbox's registry.
func (w *world) applyDocumented(ctx context.Context, file, kind string) {
	GinkgoHelper()
	for _, block := range blocks(file, "yaml") {
		if strings.Contains(block, "\nkind: "+kind+"\n") {
			w.applyManifest(ctx, strings.ReplaceAll(block, "REGISTRY", registry+"/kubeopera"))
			return
		}
	}
	Fail(file + " shows no " + kind)
}

func (w *world) applyManifest(ctx context.Context, manifest string) {
	GinkgoHelper()
	Expect(w.sandbox.KubectlApply(ctx, []byte(manifest))).To(Succeed())
}

// awaitHealthy waits until Crossplane has installed a package, and calls it healthy.
func (w *world) awaitHealthy(ctx context.Context, kind, name string) {
	GinkgoHelper()
	_, err := w.sandbox.Kubectl(ctx, "wait", "--for=condition=Healthy", "--timeout=120s", kind+".pkg.crossplane.io/"+name)
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

// definitions are the states of the package's ManagedResourceDefinitions by the plural of their kind.
func (w *world) definitions(ctx context.Context) (map[string]string, error) {
	l := &unstructured.UnstructuredList{}
	l.SetAPIVersion("apiextensions.crossplane.io/v1alpha1")
	l.SetKind("ManagedResourceDefinitionList")
	if err := w.management.List(ctx, l); err != nil {
		return nil, err
	}
	states := map[string]string{}
	for i := range l.Items {
		plural, _ := strings.CutSuffix(l.Items[i].GetName(), "."+v1alpha1.Group)
		states[plural], _, _ = unstructured.NestedString(l.Items[i].Object, "spec", "state")
	}
	return states, nil
}

// ofProvider is the label that Crossplane gives the pods of a provider.
const ofProvider = "pkg.crossplane.io/provider"

// providerPod is the one pod of the provider.
func (w *world) providerPod(ctx context.Context) *corev1.Pod {
	GinkgoHelper()
	l := &corev1.PodList{}
	Eventually(ctx, func(g Gomega) {
		g.Expect(w.management.List(ctx, l, client.InNamespace(crossplaneNamespace), client.MatchingLabels{ofProvider: theDependency})).To(Succeed())
		g.Expect(l.Items).To(HaveLen(1))
	}, readyTimeout, "500ms").Should(Succeed())
	return &l.Items[0]
}

// An entry is a line of the provider's log.
type entry struct {
	Msg     string `json:"msg"`
	Kind    string `json:"kind"`
	Command string `json:"command"`
}

// entries of the provider's log.
func (w *world) entries(ctx context.Context) ([]entry, error) {
	out, err := w.sandbox.Kubectl(ctx, "logs", "--namespace="+crossplaneNamespace, "--selector="+ofProvider+"="+theDependency, "--tail=-1")
	if err != nil {
		return nil, err
	}
	var all []entry
	for line := range strings.Lines(out) {
		var e entry
		if json.Unmarshal([]byte(line), &e) == nil {
			all = append(all, e)
		}
	}
	return all, nil
}

// controllers are the kinds whose controllers the provider says it has started.
func (w *world) controllers(ctx context.Context) ([]string, error) {
	all, err := w.entries(ctx)
	var kinds []string
	for _, e := range all {
		if e.Msg == "Starting controller" {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds, err
}

func allControllers() []string {
	return []string{"FluxBootstrap", "GitOpsEnvironment", "HostCluster", "ClusterAccess", "ProvisionedCluster", "Administrator"}
}
