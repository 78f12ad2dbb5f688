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

package gitops

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/plan"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// prefix of the keys of argocd-cm that hold health scripts.
const prefix = "resource.customizations.health."

// scripts of the example by group and kind.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	cm := &corev1.ConfigMap{}
	read(t, filepath.Join("examples", "gitops", "argocd", "argocd-cm.yaml"), func(doc []byte) error { return yaml.UnmarshalStrict(doc, cm) })
	all := map[string]string{}
	for key, script := range cm.Data {
		if wrong := validation.IsConfigMapKey(key); len(wrong) > 0 {
			t.Errorf("the API server refuses key %s: %s", key, wrong)
		}
		kind, ok := strings.CutPrefix(key, prefix)
		if !ok {
			t.Errorf("Argo CD knows no key %s", key)
		}
		all[kind] = script
	}
	return all
}

// unseen HostCluster of an example, as the API server has it before anybody has looked at it.
func unseen(t *testing.T, example string) *unstructured.Unstructured {
	t.Helper()
	cp := kt.Shared(t)
	hc := hostCluster(t, example)
	hc.ObjectMeta = metav1.ObjectMeta{Name: hc.GetName(), Namespace: cp.Namespace(t)}
	if err := cp.Client.Create(t.Context(), hc); err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(v1alpha1.Kind(v1alpha1.HostClusterKind))
	if err := cp.Client.Get(t.Context(), client.ObjectKeyFromObject(hc), u); err != nil {
		t.Fatal(err)
	}
	return u
}

// planned HostCluster of an example, with the status that it has when children are observed.
func planned(t *testing.T, example, observed string, change func(*v1alpha1.HostCluster), after ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
	t.Helper()
	hc := hostCluster(t, example)
	if change != nil {
		change(hc)
	}
	var seen plan.Children
	read(t, filepath.Join("examples", "render", example, "observed", observed+".yaml"), func(doc []byte) error {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(doc, &u.Object); err != nil {
			return err
		}
		var err error
		seen, err = seen.Put(u)
		return err
	})
	out, err := plan.Plan(plan.Input{HostCluster: hc, Observed: seen, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	hc.Status = out.Status
	u := generic(t, hc)
	for _, f := range after {
		f(u)
	}
	return u
}

func hostCluster(t *testing.T, example string) *v1alpha1.HostCluster {
	t.Helper()
	hc := &v1alpha1.HostCluster{}
	read(t, filepath.Join("examples", "render", example, "hostcluster.yaml"), func(doc []byte) error { return yaml.UnmarshalStrict(doc, hc) })
	hc.SetGeneration(1)
	hc.SetUID("6d3f0a52-0000-4000-8000-000000000000")
	return hc
}

// read the documents of a file of this repository.
func read(t *testing.T, file string, each func(doc []byte) error) {
	t.Helper()
	root, err := kt.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	for doc := range strings.SplitSeq(string(content), "\n---\n") {
		if err := each([]byte(doc)); err != nil {
			t.Fatalf("%s: %s", file, err)
		}
	}
}

// generic form of an object, as the tools of others see it.
func generic(t *testing.T, o runtime.Object) *unstructured.Unstructured {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: content}
}
