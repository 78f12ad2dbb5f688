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

package v1alpha1_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/yaml"

	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// crds reads the generated CRDs.
func crds(t *testing.T) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	root, err := kt.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "package", "crds", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no CRDs in package/crds: run make generate (%v)", err)
	}
	var out []*apiextensionsv1.CustomResourceDefinition
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(data, crd); err != nil {
			t.Fatal(err)
		}
		out = append(out, crd)
	}
	return out
}

// walk visits every schema of a CRD.
func walk(crd *apiextensionsv1.CustomResourceDefinition, visit func(path string, s *apiextensionsv1.JSONSchemaProps)) {
	var down func(path string, s *apiextensionsv1.JSONSchemaProps)
	down = func(path string, s *apiextensionsv1.JSONSchemaProps) {
		visit(path, s)
		for name, p := range s.Properties {
			down(path+"."+name, &p)
		}
		if s.Items != nil && s.Items.Schema != nil {
			down(path+"[]", s.Items.Schema)
		}
		if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
			down(path+"{}", s.AdditionalProperties.Schema)
		}
	}
	for _, v := range crd.Spec.Versions {
		down("", v.Schema.OpenAPIV3Schema)
	}
}

// notOurs are the fields of Kubernetes and Crossplane, whose bounds are theirs.
var notOurs = []string{
	".apiVersion", ".kind", ".metadata", ".status.conditions", ".spec.managementPolicies", ".spec.providerConfigRef",
	".spec.writeConnectionSecretToRef", ".status.lastHandledReconcileAt", ".spec.execution.resources", ".providerConfigRef", ".resourceRef",
}

func TestEveryFieldIsBounded(t *testing.T) {
	for _, crd := range crds(t) {
		t.Run(crd.Spec.Names.Kind, func(t *testing.T) {
			walk(crd, func(path string, s *apiextensionsv1.JSONSchemaProps) {
				if slices.ContainsFunc(notOurs, func(p string) bool {
					return path == p || strings.HasPrefix(path, p+".") || strings.HasPrefix(path, p+"[")
				}) {
					return
				}
				switch {
				case s.Type == "string" && s.MaxLength == nil && len(s.Enum) == 0 && s.Format == "":
					t.Errorf("%s is a string without maxLength", path)
				case s.Type == "array" && (s.MaxItems == nil || s.XListType == nil):
					t.Errorf("%s is a list without maxItems or listType", path)
				case s.AdditionalProperties != nil && s.MaxProperties == nil:
					t.Errorf("%s is a map without maxProperties", path)
				}
				if s.Description == "" && path != "" && !strings.HasSuffix(path, "[]") && !strings.HasSuffix(path, "{}") && !strings.HasSuffix(path, ".atProvider") && !strings.HasSuffix(path, ".forProvider") && path != ".spec" && path != ".status" {
					t.Errorf("%s has no description", path)
				}
			})
		})
	}
}

func TestConditionsAreMaps(t *testing.T) {
	for _, crd := range crds(t) {
		walk(crd, func(path string, s *apiextensionsv1.JSONSchemaProps) {
			if path != ".status.conditions" {
				return
			}
			if s.XListType == nil || *s.XListType != "map" || !slices.Equal(s.XListMapKeys, []string{"type"}) {
				t.Errorf("%s: %s is not a map by type, so two field managers would overwrite each other", crd.Spec.Names.Kind, path)
			}
			if _, ok := s.Items.Schema.Properties["observedGeneration"]; !ok {
				t.Errorf("%s: %s have no observedGeneration", crd.Spec.Names.Kind, path)
			}
		})
	}
}

// TestEveryRuleHasItsRows fails for a rule that no row of the tables sees refused.
func TestEveryRuleHasItsRows(t *testing.T) {
	wanted := map[string][]string{}
	for _, tb := range tables() {
		for _, v := range tb.rows {
			wanted[tb.kind] = append(wanted[tb.kind], v.want)
		}
	}
	kinds := sets.New[string]()
	for _, crd := range crds(t) {
		kind := crd.Spec.Names.Kind
		kinds.Insert(kind)
		walk(crd, func(path string, s *apiextensionsv1.JSONSchemaProps) {
			for _, r := range s.XValidations {
				if r.Message == "" {
					t.Errorf("%s%s: rule %s has no message that says what to do", kind, path, r.Rule)
				}
				if !slices.Contains(wanted[kind], r.Message) {
					t.Errorf("%s%s: no row sees this refused: %s", kind, path, r.Message)
				}
			}
		})
	}
	for _, tb := range tables() {
		if !kinds.Has(tb.kind) {
			t.Errorf("there is no CRD of kind %s", tb.kind)
		}
		if len(tb.rows) == 0 {
			t.Errorf("kind %s has no rows", tb.kind)
		}
	}
	if len(kinds) != len(tables()) {
		t.Errorf("%d kinds, but %d tables", len(kinds), len(tables()))
	}
}
