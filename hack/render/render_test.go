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
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

// TestGolden renders every example as a user does, and compares it with what it was. After a change that is meant,
// `UPDATE=1 make render` writes the files anew.
func TestGolden(t *testing.T) {
	r, err := start(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	defer r.stop()

	previews, err := find(root)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, p := range previews {
		known[p.golden()] = true
		t.Run(p.example+"/"+p.name, func(t *testing.T) {
			got, err := r.render(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(root, p.golden()))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("-golden, +rendered:\n%s", diff)
			}
		})
	}

	err = filepath.WalkDir(filepath.Join(root, goldenDir), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !known[strings.TrimPrefix(path, root+"/")] {
			t.Errorf("%s is of no example any more", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestChosen: an example that is not there is said, with those that are.
func TestChosen(t *testing.T) {
	all := []preview{{example: "b"}, {example: "a", name: "complete"}, {example: "a", name: "step"}}
	cases := map[string]struct {
		reason   string
		examples []string
		want     []string
		err      string
	}{
		"All":     {reason: "Without a name all are shown.", want: []string{"b", "a", "a"}},
		"One":     {reason: "One is shown with all that is known of it.", examples: []string{"a"}, want: []string{"a", "a"}},
		"Unknown": {reason: "A typo would show nothing.", examples: []string{"a", "c"}, err: `no example "c": there are a, b`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := chosen(slices.Clone(all), tc.examples)
			var names []string
			for _, p := range got {
				names = append(names, p.example)
			}
			said := ""
			if err != nil {
				said = err.Error()
			}
			if diff := cmp.Diff(tc.want, names); diff != "" || said != tc.err {
				t.Errorf("%s Error %q; -want, +got:\n%s", tc.reason, said, diff)
			}
		})
	}
}

// TestHandOver renders what the platform's own API composes, and then what becomes of that: a platform's user sees
// everything before anything is made.
func TestHandOver(t *testing.T) {
	r, err := start(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	defer r.stop()

	composed, err := os.ReadFile(filepath.Join(root, goldenDir, "team-cluster-eks", "composed.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for doc := range bytes.SplitSeq(composed, []byte("---\n")) {
		if !bytes.Contains(doc, []byte("\nkind: HostCluster\n")) {
			continue
		}
		xr := filepath.Join(t.TempDir(), "hostcluster.yaml")
		if err := os.WriteFile(xr, doc, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := r.render(t.Context(), preview{xr: xr, composition: examplesDir + "/composition-complete.yaml"})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"phase: Ready\n", "kind: ProvisionedCluster\n", "path: clusters/payments\n", "instanceType: m7i.large\n", "nodeCount: 4\n"} {
			if !bytes.Contains(out, []byte(want)) {
				t.Errorf("what becomes of the composed HostCluster has no %q:\n%s", want, out)
			}
		}
		return
	}
	t.Errorf("no HostCluster in:\n%s", composed)
}

// TestMistakes renders what cannot work, which ends with the reason.
func TestMistakes(t *testing.T) {
	r, err := start(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	defer r.stop()

	cases := map[string]struct {
		reason string
		xr     string
		want   string
	}{
		"NoKubeconfig": {
			reason: "What the API server would refuse ends with a message that says what to do.",
			xr:     "apiVersion: kubeopera.io/v1alpha1\nkind: HostCluster\nmetadata: {name: a, namespace: b}\nspec: {mode: connect_existing}\n",
			want:   "spec.connectKubeconfigSecretRef is required for mode connect_existing",
		},
		"WrongType": {
			reason: "A version without quotes is a number in YAML.",
			xr:     "apiVersion: kubeopera.io/v1alpha1\nkind: HostCluster\nmetadata: {name: a, namespace: b}\nspec: {mode: provision_eks, provisioning: {kubernetesVersion: 1.36}}\n",
			want:   "cannot read the HostCluster",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := filepath.Join(t.TempDir(), "xr.yaml")
			if err := os.WriteFile(xr, []byte(tc.xr), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := r.render(t.Context(), preview{xr: xr, composition: examplesDir + "/composition.yaml"})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nwant %q, got %v\n%s", tc.reason, tc.want, err, out)
			}
		})
	}
}
