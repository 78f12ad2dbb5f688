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
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func TestMain(m *testing.M) { os.Exit(kt.Main(m)) }

// TestApply applies what the minimal tree brings to a real API server, which
// must know every field. The order is kustomize-controller's: definitions and
// namespaces first.
func TestApply(t *testing.T) {
	assets, err := Assets()
	if err != nil {
		t.Fatal(err)
	}

	tree, _, err := render.Render(render.Input{
		Namespace: "kubeopera-system", Name: "one", ID: "one", ClusterUID: "uid-one", Path: folder, Domain: "one.example.com",
		Profile: v1alpha1.ProfileMinimal, Version: "v0.1.0", PullSecret: true, Assets: assets,
	}, render.Environment)
	if err != nil {
		t.Fatal(err)
	}

	cp := kt.Shared(t)
	objects := []*unstructured.Unstructured{}

	for _, p := range tree.Paths() {
		if strings.HasPrefix(p, "infrastructure/") || strings.HasPrefix(p, "apps/") {
			objects = append(objects, decode(t, tree[p])...)
		}
	}

	slices.SortStableFunc(objects, func(a, b *unstructured.Unstructured) int { return stage(a) - stage(b) })

	for _, o := range objects {
		if o.GetKind() == "Kustomization" {
			continue
		}

		err := cp.Client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("test"), client.ForceOwnership)
		if err != nil {
			t.Errorf("cannot apply %s %s: %v", o.GetKind(), o.GetName(), err)
		}
	}
}

func stage(o *unstructured.Unstructured) int {
	switch o.GetKind() {
	case "CustomResourceDefinition", "Namespace":
		return 0
	}

	return 1
}

func decode(t *testing.T, b []byte) []*unstructured.Unstructured {
	t.Helper()

	d := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(b), 4096)
	out := []*unstructured.Unstructured{}

	for {
		o := &unstructured.Unstructured{}
		if err := d.Decode(&o.Object); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}

		out = append(out, o)
	}
}
