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
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/git"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
)

const folder = "clusters/one"

func owner() Owner {
	return Owner{Namespace: "kubeopera-system", Name: "one", ClusterUID: "uid-one"}
}

// tree of a pass for a cluster.
func tree(t *testing.T, pass render.Pass, change func(*render.Input)) render.Tree {
	t.Helper()

	in := render.Input{
		Namespace: "kubeopera-system", Name: "one", ID: "one", ClusterUID: "uid-one", Path: folder, Domain: "one.example.com",
		Profile: v1alpha1.ProfileMinimal, Version: "v1", Sealed: map[string][]byte{render.PlatformSecret: []byte("kind: SealedSecret\n")},
		Assets: render.Assets{SealedSecretsCRD: []byte("kind: A\n"), CRDs: map[string][]byte{"a.yaml": []byte("kind: B\n")}},
	}
	if change != nil {
		change(&in)
	}

	out, _, err := render.Render(in, pass)
	if err != nil {
		t.Fatal(err)
	}

	return out
}

func with(t render.Tree, file, content string) render.Tree {
	t[file] = []byte(content)

	return t
}

func without(t render.Tree, files ...string) render.Tree {
	for _, f := range files {
		delete(t, f)
	}

	return t
}

func TestReadRemote(t *testing.T) {
	cases := map[string]struct {
		reason string
		files  render.Tree
		owner  Owner
		pass   render.Pass
		err    string
	}{
		"Empty":       {reason: "Nothing yet.", files: render.Tree{}, owner: owner()},
		"Placeholder": {reason: "A folder that somebody made for us.", files: render.Tree{".gitkeep": nil}, owner: owner()},
		"Pass1":       {reason: "After the first pass.", files: tree(t, render.Infrastructure, nil), owner: owner(), pass: render.Infrastructure},
		"Pass2":       {reason: "After the second.", files: tree(t, render.Environment, nil), owner: owner(), pass: render.Environment},
		"OtherFiles": {
			reason: "Somebody else's folder.", files: render.Tree{"b.yaml": nil, "a/x.yaml": nil}, owner: owner(),
			err: "clusters/one/a/x.yaml in the Git repository is not ours",
		},
		"OtherCluster": {
			reason: "Another cluster's tree.", files: tree(t, render.Environment, func(in *render.Input) { in.ClusterUID = "uid-two" }), owner: owner(),
			err: "clusters/one/.kubeopera.yaml belongs to HostCluster kubeopera-system/one on another cluster (uid-two)",
		},
		"OtherName": {
			reason: "The same cluster, connected under another name.", files: tree(t, render.Environment, func(in *render.Input) { in.Name = "two" }), owner: owner(),
			pass: render.Environment,
		},
		"OtherNamespace": {
			reason: "Its HostCluster may be there still, where we cannot look.", files: tree(t, render.Environment, func(in *render.Input) { in.Namespace = "team-b" }), owner: owner(),
			err: "clusters/one/.kubeopera.yaml belongs to HostCluster team-b/one: choose another path or, if that one is gone, remove this file",
		},
		"Unreachable": {
			reason: "The cluster cannot be asked; the names are enough.", files: tree(t, render.Environment, nil), owner: Owner{Namespace: "kubeopera-system", Name: "one"},
			pass: render.Environment,
		},
		"UnreachableOther": {
			reason: "The cluster cannot be asked, and the names differ.", files: tree(t, render.Environment, nil), owner: Owner{Namespace: "kubeopera-system", Name: "two"},
			err: "clusters/one/.kubeopera.yaml belongs to",
		},
		"MarkerGone": {
			reason: "The layers say whose they are.", files: without(tree(t, render.Environment, nil), render.MarkerFile), owner: owner(),
			pass: render.Environment,
		},
		"MarkerGonePass1": {
			reason: "The layers say which pass it was.", files: without(tree(t, render.Infrastructure, nil), render.MarkerFile), owner: owner(),
			pass: render.Infrastructure,
		},
		"MarkerBroken": {
			reason: "As good as gone.", files: with(tree(t, render.Environment, nil), render.MarkerFile, "{"), owner: owner(),
			pass: render.Environment,
		},
		"MarkerBrokenOfOthers": {
			reason: "Layers of another cluster.", files: with(tree(t, render.Environment, func(in *render.Input) { in.ClusterUID = "uid-two" }), render.MarkerFile, "{"), owner: owner(),
			err: "clusters/one/.kubeopera.yaml in the Git repository is not ours",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := ReadRemote(folder, git.NewSnapshot(tc.files), tc.owner)
			if tc.err != "" {
				if fault.ClassOf(err) != fault.Conflict || !strings.HasPrefix(err.Error(), tc.err) {
					t.Errorf("%s Got error %v.", tc.reason, err)
				}

				return
			}

			if err != nil || got.Pass != tc.pass {
				t.Errorf("%s Got pass %d, %v.", tc.reason, got.Pass, err)
			}
		})
	}
}

func TestPut(t *testing.T) {
	cases := map[string]struct {
		reason string
		files  render.Tree
		put    []string
		remove []string
		err    string
	}{
		"Same":      {reason: "Nothing to do.", files: tree(t, render.Environment, nil)},
		"Edited":    {reason: "Put back.", files: with(tree(t, render.Environment, nil), "apps/kubeopera.yaml", "edited"), put: []string{"apps/kubeopera.yaml"}},
		"Deleted":   {reason: "Put back.", files: without(tree(t, render.Environment, nil), "apps.yaml"), put: []string{"apps.yaml"}},
		"Foreign":   {reason: "Files of others in our folder stay.", files: with(tree(t, render.Environment, nil), "notes.md", "theirs")},
		"InTheWay":  {reason: "A foreign file with a name that we need.", files: with(tree(t, render.Infrastructure, nil), "apps.yaml", "theirs"), err: "clusters/one/apps.yaml in the Git repository is not ours, and in the way"},
		"Lost":      {reason: "The marker is written again.", files: without(tree(t, render.Environment, nil), render.MarkerFile), put: []string{render.MarkerFile}},
		"Redundant": {reason: "What the tree no longer has is removed.", files: tree(t, render.Environment, func(in *render.Input) { in.Sealed["old"] = []byte("kind: SealedSecret\n") }), put: []string{render.MarkerFile, "apps.yaml", "infrastructure.yaml", "secrets.yaml", "secrets/kustomization.yaml"}, remove: []string{"secrets/old.yaml"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := git.NewSnapshot(tc.files)

			r, err := ReadRemote(folder, s, owner())
			if err != nil {
				t.Fatal(err)
			}

			want := tree(t, render.Environment, nil)

			got, err := Put(folder, want, s, r)
			if tc.err != "" {
				if fault.ClassOf(err) != fault.Conflict || !strings.HasPrefix(err.Error(), tc.err) {
					t.Errorf("%s Got error %v.", tc.reason, err)
				}

				return
			}

			if err != nil {
				t.Fatal(err)
			}

			if (got == nil) != Current(want, s) {
				t.Errorf("%s A change and what is current must agree.", tc.reason)
			}

			if got == nil {
				got = &git.Change{}
			}

			if diff := cmp.Diff(tc.put, nilIfEmpty(render.Tree(got.Put).Paths())); diff != "" {
				t.Errorf("%s %s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.remove, got.Remove); diff != "" {
				t.Errorf("%s %s", tc.reason, diff)
			}
		})
	}
}

func TestRemove(t *testing.T) {
	s := git.NewSnapshot(with(tree(t, render.Environment, nil), "notes.md", "theirs"))

	r, err := ReadRemote(folder, s, owner())
	if err != nil {
		t.Fatal(err)
	}

	left := map[string]bool{}
	for _, p := range s.Paths() {
		left[p] = true
	}

	for _, p := range Remove(s, r).Remove {
		delete(left, p)
	}

	if diff := cmp.Diff(map[string]bool{"notes.md": true}, left); diff != "" {
		t.Errorf("only ours is removed: %s", diff)
	}
}

func nilIfEmpty(s []string) []string {
	if len(s) == 0 {
		return nil
	}

	return s
}
