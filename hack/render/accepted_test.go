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

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func TestMain(m *testing.M) { os.Exit(kt.Main(m)) }

// TestAccepted asks a real API server about all that is shown: a preview of what it would refuse is of no use.
func TestAccepted(t *testing.T) {
	cp := kt.Shared(t)
	ns := cp.Namespace(t)

	var files []string
	for _, pattern := range []string{examplesDir + "/*/*.yaml", examplesDir + "/*/observed/*.yaml", goldenDir + "/*/*.yaml"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("cannot find %s: %v", pattern, err)
		}
		files = append(files, found...)
	}

	kinds := map[string]int{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for doc := range bytes.SplitSeq(b, []byte("---\n")) {
			u := &unstructured.Unstructured{}
			if err := yaml.Unmarshal(doc, &u.Object); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if u.GroupVersionKind().Group != v1alpha1.SchemeGroupVersion.Group || u.Object["spec"] == nil {
				continue // What crank says, and the HostCluster itself, of which it shows the status only.
			}
			u.SetNamespace(ns)
			u.SetOwnerReferences(nil) // crank does not know a UID.
			if err := cp.Client.Create(t.Context(), u, client.DryRunAll, client.FieldValidation("Strict")); err != nil {
				t.Errorf("%s: %s: %v", file, u.GetKind(), err)
			}
			kinds[u.GetKind()]++
		}
	}
	if len(kinds) != 6 {
		t.Errorf("not all kinds are shown: %v", kinds)
	}
}
