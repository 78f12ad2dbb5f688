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

package render

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

var update = flag.Bool("update", false, "write the golden trees")

// input of the golden trees. Manifests of others are stood in for by stubs.
func input() Input {
	return Input{
		Namespace:  "kubeopera-system",
		Name:       "my-cluster",
		ID:         "my-cluster",
		ClusterUID: "0a1b2c3d-0000-4000-8000-000000000001",
		Path:       "fluxcd/clusters/my-cluster",
		Domain:     "my-cluster.example.com",
		Provider:   "aws",
		Region:     "eu-north-1",
		Profile:    v1alpha1.ProfileMinimal,
		Version:    "v0.1.0",
		Sealed: map[string][]byte{
			PlatformSecret: []byte("apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata:\n  name: kubeopera-platform\n  namespace: kubeopera-system\n"),
		},
		Assets: Assets{
			SealedSecretsCRD: []byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: sealedsecrets.bitnami.com\n"),
			CRDs: map[string][]byte{
				"kubeopera.io_hostclusters.yaml": []byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: hostclusters.kubeopera.io\n"),
			},
		},
	}
}

func variants() map[string]Input {
	minimal := input()

	pull := input()
	pull.PullSecret = true
	pull.Sealed[PullSecret] = []byte("apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata:\n  name: kubeopera-registry-pull\n  namespace: kubeopera-system\n")

	full := input()
	full.Profile = v1alpha1.ProfileFull

	part := input()
	part.Profile = v1alpha1.ProfileFull
	part.Components = []string{"gateway", "storage", "dns"}
	part.Provider, part.Region = "hetzner", ""

	existing := input()
	existing.ExistingSealedSecrets = "kube-system"

	return map[string]Input{"minimal-existing-sealed-secrets": existing, "minimal": minimal, "minimal-pull-secret": pull, "full": full, "full-some-components": part}
}

func TestGolden(t *testing.T) {
	for name, in := range variants() {
		for pass, dir := range map[Pass]string{Infrastructure: "pass-1", Environment: "pass-2"} {
			t.Run(name+"/"+dir, func(t *testing.T) {
				got, _, err := Render(in, pass)
				if err != nil {
					t.Fatal(err)
				}

				golden := filepath.Join("testdata", name, dir)
				if *update {
					write(t, golden, got)
				}

				if diff := cmp.Diff(asText(read(t, golden)), asText(got)); diff != "" {
					t.Errorf("the tree differs from %s (write it with -update): -want, +got:\n%s", golden, diff)
				}
			})
		}
	}
}

func TestRenderIsDeterministic(t *testing.T) {
	for name, in := range variants() {
		t.Run(name, func(t *testing.T) {
			first, hash, err := Render(in, Environment)
			if err != nil {
				t.Fatal(err)
			}

			for range 20 {
				again, h, err := Render(in, Environment)
				if err != nil || h != hash || !cmp.Equal(first, again) {
					t.Fatalf("another tree for the same input: %v", err)
				}
			}
		})
	}
}

func TestHash(t *testing.T) {
	_, base, err := Render(input(), Environment)
	if err != nil {
		t.Fatal(err)
	}

	cases := map[string]struct {
		reason string
		change func(*Input)
	}{
		"Domain":  {reason: "Another domain is another tree.", change: func(in *Input) { in.Domain = "other.example.com" }},
		"UID":     {reason: "Another cluster is another tree.", change: func(in *Input) { in.ClusterUID = "other" }},
		"Version": {reason: "Another version is another tree.", change: func(in *Input) { in.Version = "v0.2.0" }},
		"Secret":  {reason: "Another ciphertext is another tree.", change: func(in *Input) { in.Sealed[PlatformSecret] = []byte("kind: SealedSecret\n") }},
		"Profile": {reason: "Another profile is another tree.", change: func(in *Input) { in.Profile = v1alpha1.ProfileFull }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := input()
			tc.change(&in)

			_, got, err := Render(in, Environment)
			if err != nil {
				t.Fatal(err)
			}

			if got == base {
				t.Errorf("%s The hash is %s for both.", tc.reason, got)
			}
		})
	}

	if _, first, _ := Render(input(), Infrastructure); first == base {
		t.Error("the passes must differ in their hash")
	}
}

// TestBuild builds every folder as kustomize-controller would.
func TestBuild(t *testing.T) {
	for name, in := range variants() {
		t.Run(name, func(t *testing.T) {
			tree, _, err := Render(in, Environment)
			if err != nil {
				t.Fatal(err)
			}

			mem := filesys.MakeFsInMemory()
			for p, b := range tree {
				if err := mem.WriteFile("/tree/"+p, b); err != nil {
					t.Fatal(err)
				}
			}

			for _, dir := range []string{"/tree", "/tree/infrastructure", "/tree/secrets", "/tree/apps"} {
				if _, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(mem, dir); err != nil {
					t.Errorf("cannot build %s: %v", dir, err)
				}
			}
		})
	}
}

// an object of a tree, and the file that it is in.
type object struct {
	metav1.TypeMeta `json:",inline"`

	Metadata metav1.ObjectMeta `json:"metadata"`

	file string
	raw  []byte
}

func objects(t *testing.T, tree Tree) []object {
	t.Helper()

	out := []object{}

	for _, p := range tree.Paths() {
		if strings.HasSuffix(p, kustomization) || p == MarkerFile {
			continue
		}

		for doc := range bytes.SplitSeq(tree[p], []byte("\n---\n")) {
			o := object{file: p, raw: doc}
			if err := sigsyaml.Unmarshal(doc, &o); err != nil {
				t.Fatal(err)
			}

			out = append(out, o)
		}
	}

	return out
}

// TestFluxKinds decodes what Flux reads as strictly as its API servers do.
func TestFluxKinds(t *testing.T) {
	kinds := map[string]func() any{
		"kustomize.toolkit.fluxcd.io/v1 Kustomization": func() any { return &kustomizev1.Kustomization{} },
		"source.toolkit.fluxcd.io/v1 OCIRepository":    func() any { return &sourcev1.OCIRepository{} },
		"source.toolkit.fluxcd.io/v1 HelmRepository":   func() any { return &sourcev1.HelmRepository{} },
		"helm.toolkit.fluxcd.io/v2 HelmRelease":        func() any { return &helmv2.HelmRelease{} },
	}

	for name, in := range variants() {
		tree, _, err := Render(in, Environment)
		if err != nil {
			t.Fatal(err)
		}

		seen := map[string]int{}

		for _, o := range objects(t, tree) {
			kind := o.APIVersion + " " + o.Kind
			if into := kinds[kind]; into != nil {
				seen[kind]++

				if err := sigsyaml.UnmarshalStrict(o.raw, into()); err != nil {
					t.Errorf("%s: %s: %v", name, o.file, err)
				}
			} else if strings.Contains(kind, "fluxcd") {
				t.Errorf("%s: %s has a %s, which nobody has decoded", name, o.file, kind)
			}
		}

		want := map[string]int{
			"kustomize.toolkit.fluxcd.io/v1 Kustomization": 3,
			"source.toolkit.fluxcd.io/v1 OCIRepository":    3,
			"source.toolkit.fluxcd.io/v1 HelmRepository":   5,
			"helm.toolkit.fluxcd.io/v2 HelmRelease":        8,
		}
		if diff := cmp.Diff(want, seen); name == "full" && diff != "" {
			t.Error(diff)
		}
	}
}

// TestRename connects a cluster under another name: no workload of the tree is
// rolled out for that.
func TestRename(t *testing.T) {
	specs := func(name string) map[string]string {
		in := variants()["full"]
		in.Name, in.ID = name, name

		tree, _, err := Render(in, Environment)
		if err != nil {
			t.Fatal(err)
		}

		out := map[string]string{}

		for _, o := range objects(t, tree) {
			// Prometheus reads its labels anew without a restart.
			if o.Kind != "Deployment" && o.Kind != "HelmRelease" || o.Metadata.Name == "kube-prometheus-stack" {
				continue
			}

			out[o.Kind+" "+o.Metadata.Name] = string(o.raw)
		}

		return out
	}

	one := specs("one")
	if diff := cmp.Diff(one, specs("two")); len(one) < 9 || diff != "" {
		t.Errorf("%d workloads: -one, +two:\n%s", len(one), diff)
	}
}

// TestReferences follows what refers to what, for each choice of components:
// whatever a release waits for or comes from is there, and nothing waits for
// itself, however many others are between.
func TestReferences(t *testing.T) {
	all := Components()
	for choice := 1; choice < 1<<len(all); choice++ {
		in := input()
		in.Profile = v1alpha1.ProfileFull
		in.Provider = []string{"aws", "gcp", "hetzner"}[choice%3]

		for i, c := range all {
			if choice&(1<<i) != 0 {
				in.Components = append(in.Components, c)
			}
		}

		tree, _, err := Render(in, Environment)
		if err != nil {
			t.Fatal(err)
		}

		checkReferences(t, strings.Join(in.Components, ","), objects(t, tree))
	}
}

func checkReferences(t *testing.T, name string, all []object) {
	t.Helper()

	there := map[string]bool{"Namespace//kube-system": true, "Namespace//flux-system": true}
	waits := map[string][]string{}

	for _, o := range all {
		there[o.Kind+"/"+o.Metadata.Namespace+"/"+o.Metadata.Name] = true
	}

	need := func(o object, ref string) {
		if !there[ref] {
			t.Errorf("%s: %s %s needs %s, which is not there", name, o.Kind, o.Metadata.Name, ref)
		}
	}

	for _, o := range all {
		if o.Metadata.Namespace != "" {
			need(o, "Namespace//"+o.Metadata.Namespace)
		}

		switch id := o.Kind + "/" + o.Metadata.Namespace + "/" + o.Metadata.Name; o.Kind {
		case "HelmRelease":
			r := &helmv2.HelmRelease{}
			if err := sigsyaml.Unmarshal(o.raw, r); err != nil {
				t.Fatal(err)
			}

			for _, d := range r.Spec.DependsOn {
				waits[id] = append(waits[id], o.Kind+"/"+d.Namespace+"/"+d.Name)
			}

			if r.Spec.ChartRef != nil {
				need(o, r.Spec.ChartRef.Kind+"/"+r.Namespace+"/"+r.Spec.ChartRef.Name)
			} else {
				need(o, r.Spec.Chart.Spec.SourceRef.Kind+"/"+r.Namespace+"/"+r.Spec.Chart.Spec.SourceRef.Name)
			}
		case "Kustomization":
			k := &kustomizev1.Kustomization{}
			if err := sigsyaml.Unmarshal(o.raw, k); err != nil {
				t.Fatal(err)
			}

			for _, d := range k.Spec.DependsOn {
				waits[id] = append(waits[id], o.Kind+"/"+k.Namespace+"/"+d.Name)
			}
		}

		for _, w := range waits[o.Kind+"/"+o.Metadata.Namespace+"/"+o.Metadata.Name] {
			need(o, w)
		}
	}

	for id := range waits {
		if waitsFor(waits, id, id, len(waits)+1) {
			t.Errorf("%s: %s waits for itself", name, id)
		}
	}
}

// waitsFor tells whether one waits for the other, over at most so many steps.
func waitsFor(waits map[string][]string, from, to string, steps int) bool {
	return steps > 0 && slices.ContainsFunc(waits[from], func(next string) bool {
		return next == to || waitsFor(waits, next, to, steps-1)
	})
}

func TestCheckPath(t *testing.T) {
	cases := map[string]struct {
		reason string
		path   string
		ok     bool
	}{
		"Plain":       {reason: "An ordinary folder.", path: "fluxcd/clusters/a", ok: true},
		"Odd":         {reason: "Odd but harmless.", path: "a b/ü@+=~", ok: true},
		"Dots":        {reason: "Dots within a name are a name.", path: "..a/b..", ok: true},
		"Empty":       {reason: "The root is not ours.", path: ""},
		"Root":        {reason: "The root is not ours.", path: "."},
		"Absolute":    {reason: "Repositories have no absolute paths.", path: "/a"},
		"Up":          {reason: "Never leave the repository.", path: "../a"},
		"UpInside":    {reason: "Only clean paths.", path: "a/../b"},
		"Slash":       {reason: "Only clean paths.", path: "a/"},
		"Double":      {reason: "Only clean paths.", path: "a//b"},
		"Git":         {reason: "Git's own folder.", path: "a/.git/b"},
		"GitCase":     {reason: "Some file systems fold case.", path: ".GIT"},
		"Backslash":   {reason: "A separator elsewhere.", path: "a\\b"},
		"Newline":     {reason: "No control characters.", path: "a\nb"},
		"InvalidUTF8": {reason: "No broken text.", path: "a\xff"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if err := CheckPath(tc.path); (err == nil) != tc.ok {
				t.Errorf("%s CheckPath(%q): %v", tc.reason, tc.path, err)
			}
		})
	}
}

// FuzzRender feeds odd values: whatever is rendered is valid YAML below the
// path, and names nothing but what it should.
func FuzzRender(f *testing.F) {
	f.Add("clusters/a", "a.example.com", "aws", "eu-north-1", "a", "v1")
	f.Add("a: b\n---", "\"\n  x: y", "{{ .Domain }}", "\x85\u2028#", "'", "${X}")
	f.Add("clusters/a", "a\xdcexample.com", "", "\x00\x01-north-1", "a\xff", "v1")

	// What there is depends on the provider alone, and of that on what
	// external-dns calls it: each of these trees is counted once.
	plain := map[string]Tree{}
	counted := map[string]map[string]int{}

	for _, provider := range []string{"aws", "google", ""} {
		in := input()
		in.Profile, in.Provider = v1alpha1.ProfileFull, provider

		tree, _, err := Render(in, Environment)
		if err != nil {
			f.Fatal(err)
		}

		plain[provider], counted[provider] = tree, map[string]int{}
		for p, b := range tree {
			counted[provider][p] = documents(f, p, b)
		}
	}

	// To make what it finds shorter is most of the work, and of no use here.
	if err := flag.Set("test.fuzzminimizetime", "1x"); err != nil {
		f.Fatal(err)
	}

	f.Fuzz(func(t *testing.T, path, domain, provider, region, name, version string) {
		in := input()
		in.Path, in.Domain, in.Provider, in.Region, in.Version = path, domain, provider, region, version
		in.Name, in.ID = name, name
		in.Profile = v1alpha1.ProfileFull

		tree, _, err := Render(in, Environment)
		if err != nil {
			if in.check() != nil {
				return
			}

			t.Fatal(err)
		}

		like, want := plain[dnsProvider(provider)], counted[dnsProvider(provider)]
		got := map[string]int{}

		for p, b := range tree {
			if bytes.Equal(b, like[p]) {
				got[p] = want[p] // Most files hold nothing that is odd.
			} else {
				got[p] = documents(t, p, b)
			}
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("odd values change which files and objects there are:\n%s", diff)
		}
	})
}

// documents counts the objects in YAML, each of which must have a kind.
func documents(tb testing.TB, name string, b []byte) int {
	tb.Helper()

	d := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(b), 4096)
	n := 0

	for {
		o := map[string]any{}
		if err := d.Decode(&o); err != nil {
			if err.Error() == "EOF" {
				return n
			}

			tb.Fatalf("%s is not valid YAML: %v\n%s", name, err, b)
		}

		if o["kind"] == nil && name != MarkerFile {
			tb.Errorf("%s has an object without kind", name)
		}

		n++
	}
}

func asText(t Tree) map[string]string {
	out := map[string]string{}
	for p, b := range t {
		out[p] = string(b)
	}

	return out
}

func read(t *testing.T, dir string) Tree {
	t.Helper()

	out := Tree{}

	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}

		out[p], err = os.ReadFile(filepath.Join(dir, p))

		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	return out
}

func write(t *testing.T, dir string, tree Tree) {
	t.Helper()

	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}

	for p, b := range tree {
		file := filepath.Join(dir, p)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkRender(b *testing.B) {
	in := variants()["full"]
	b.ReportAllocs()

	for b.Loop() {
		if _, _, err := Render(in, Environment); err != nil {
			b.Fatal(err)
		}
	}
}
