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

package flux

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

func defaults() Options {
	return Options{Namespace: "flux-system", Components: []v1alpha1.Component{"source-controller", "kustomize-controller", "helm-controller"}}
}

func builtIn(t *testing.T) *BuiltIn {
	t.Helper()
	b, err := LoadBuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func render(t *testing.T, o Options) *chart.Chart {
	t.Helper()
	c, err := builtIn(t).Chart(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// objects of a chart, as Helm renders them, by kind and name.
func objects(t *testing.T, c *chart.Chart) map[string]*unstructured.Unstructured {
	t.Helper()
	values, err := util.ToRenderValues(c, nil, common.ReleaseOptions{Name: ReleaseName, Namespace: "flux-system"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.Render(c, values)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*unstructured.Unstructured{}
	for _, f := range files {
		us, err := parse([]byte(f))
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range us {
			out[u.GetKind()+" "+u.GetName()] = u
		}
	}
	return out
}

func TestChartIsDeterministic(t *testing.T) {
	a, b := render(t, defaults()), render(t, defaults())
	if diff := cmp.Diff(a.Templates, b.Templates); diff != "" {
		t.Errorf("two renderings differ (-first, +second):\n%s", diff)
	}

	o := defaults()
	o.Components = []v1alpha1.Component{"helm-controller", "kustomize-controller", "source-controller"}
	if Digest(render(t, o)) != Digest(a) {
		t.Error("the order of components changes the chart")
	}

	o = defaults()
	o.ImagePullSecret = "pull"
	if Digest(render(t, o)) == Digest(a) {
		t.Error("an option does not change the digest")
	}
}

func TestChartContent(t *testing.T) {
	o := defaults()
	o.ImagePullSecret = "pull"
	objs := objects(t, render(t, o))

	crds := 0
	for name, u := range objs {
		switch u.GetKind() {
		case "Namespace":
			t.Errorf("%s is in the chart: uninstalling it would delete everything in there", name)
		case "CustomResourceDefinition":
			crds++
			if u.GetAnnotations()["helm.sh/resource-policy"] != "keep" {
				t.Errorf("%s is not kept on uninstall", name)
			}
		case "Deployment":
			secrets, _, _ := unstructured.NestedSlice(u.Object, "spec", "template", "spec", "imagePullSecrets")
			if diff := cmp.Diff([]any{map[string]any{"name": "pull"}}, secrets); diff != "" {
				t.Errorf("%s: imagePullSecrets (-want, +got):\n%s", name, diff)
			}
			if u.GetLabels()[labelPartOf] != partOfFlux || u.GetLabels()[labelVersion] != builtIn(t).Version {
				t.Errorf("%s: labels are %v", name, u.GetLabels())
			}
		}
	}
	if crds < 8 {
		t.Errorf("there are %d CRDs", crds)
	}
	for _, name := range []string{
		"Deployment source-controller", "Deployment kustomize-controller", "Deployment helm-controller", "Service source-controller",
		"ServiceAccount kustomize-controller", "ClusterRoleBinding cluster-reconciler-flux-system", "NetworkPolicy allow-egress",
	} {
		if objs[name] == nil {
			t.Errorf("%s is not in the chart", name)
		}
	}

	containers, _, _ := unstructured.NestedSlice(objs["Deployment kustomize-controller"].Object, "spec", "template", "spec", "containers")
	args, _, _ := unstructured.NestedStringSlice(containers[0].(map[string]any), "args")
	for _, arg := range []string{requeueDependency, cancelHealthChecks} {
		if !slices.Contains(args, arg) {
			t.Errorf("kustomize-controller runs with %v, without %s", args, arg)
		}
	}
}

func TestChartOptions(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*Options)
		want   string
	}{
		"OtherVersion": {
			reason: "Only one version is built in.",
			change: func(o *Options) { o.Version = "v2.0.0" },
			want:   "Flux v2.0.0 is not built in, " + builtIn(t).Version + " is: leave version empty, or set chart",
		},
		"UnknownComponent": {
			reason: "What is not built in is named.",
			change: func(o *Options) { o.Components = append(o.Components, "image-controller") },
			want:   "image-controller is not built in: leave it out of components, or set chart",
		},
		"SameVersion": {
			reason: "The built-in version may be spelled out.",
			change: func(o *Options) { o.Version = builtIn(t).Version },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := defaults()
			tc.change(&o)
			_, err := builtIn(t).Chart(o)
			got := ""
			if err != nil {
				got = err.Error()
				if !fault.Is(err, fault.Refused) {
					t.Errorf("\n%s\nclass is %s", tc.reason, fault.ClassOf(err))
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestEscape(t *testing.T) {
	text := "description: use {{ .Values.x }} and }} and {{{\n"
	c := &chart.Chart{
		Metadata:  &chart.Metadata{Name: "c", Version: "1.0.0", APIVersion: "v2"},
		Templates: []*common.File{{Name: "templates/a.yaml", Data: escape([]byte(text))}},
	}
	values, err := util.ToRenderValues(c, nil, common.ReleaseOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.Render(c, values)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, files["c/templates/a.yaml"]); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
