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

package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/gittest"
)

// testFolder is where the tests write to.
const testFolder = "clusters/one"

func options(url string) Options {
	return Options{
		URL:         url,
		Branch:      "main",
		Path:        testFolder,
		Credentials: gittest.Credentials(),
		AuthorName:  "KubeOpera",
		AuthorEmail: "kubeopera@localhost",
	}
}

// open a Repository that does not pause between tries.
func open(t *testing.T, o Options) *Repository {
	t.Helper()

	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}

	r.pause = func(context.Context, int) error { return nil }

	return r
}

// put is a decision to put one file, whatever is there.
func put(content string) func(*Snapshot) (*Change, error) {
	return func(*Snapshot) (*Change, error) {
		return &Change{Put: map[string][]byte{"dir/file.yaml": []byte(content)}, Message: "our commit"}, nil
	}
}

func TestWriteToEmptyRepository(t *testing.T) {
	s := gittest.Serve(t, "master", nil)
	r := open(t, options(s.Start(t)))

	if head, err := r.Head(t.Context()); err != nil || head != "" {
		t.Fatalf("an empty repository has no head: %q, %v", head, err)
	}

	if _, err := r.Write(t.Context(), put("a")); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff([]string{"our commit"}, s.Commits(t, "main")); diff != "" {
		t.Errorf("the first commit goes to the branch that was asked for: %s", diff)
	}

	if got := s.Git(t, "show", "main:"+testFolder+"/dir/file.yaml"); got != "a" {
		t.Errorf("the file holds %q", got)
	}
}

func TestWriteTouchesNothingElse(t *testing.T) {
	s := gittest.Serve(t, "main", map[string]string{
		"README.md":                   "others",
		"run.sh":                      "#!/bin/sh",
		"link":                        "-> README.md",
		"clusters/two/a.yaml":         "others",
		testFolder + "/mine/keep.txt": "others, in our folder",
	})
	before := s.Git(t, "ls-tree", "-r", "main")
	r := open(t, options(s.Start(t)))

	got, err := r.Write(t.Context(), put("a"))
	if err != nil {
		t.Fatal(err)
	}

	if head, err := r.Head(t.Context()); err != nil || head != got.Commit {
		t.Errorf("the head is %s, %v instead of %s", head, err, got.Commit)
	}

	if !got.Holds("dir/file.yaml", []byte("a")) || got.Holds("dir/file.yaml", []byte("b")) {
		t.Error("the snapshot must say what the folder holds now")
	}

	after := strings.Join(cutLines(s.Git(t, "ls-tree", "-r", "main"), "/dir/file.yaml"), "\n")
	if diff := cmp.Diff(strings.TrimSpace(before), after); diff != "" {
		t.Errorf("files of others changed: %s", diff)
	}

	s.Git(t, "fsck", "--strict")

	if diff := cmp.Diff("KubeOpera <kubeopera@localhost>", strings.TrimSpace(s.Git(t, "log", "-1", "--format=%an <%ae>", "main"))); diff != "" {
		t.Error(diff)
	}

	// Removed again, the tree is the one from before.
	if _, err := r.Write(t.Context(), func(*Snapshot) (*Change, error) {
		return &Change{Remove: []string{"dir/file.yaml"}, Message: "remove"}, nil
	}); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(before, s.Git(t, "ls-tree", "-r", "main")); diff != "" {
		t.Errorf("removing is not the reverse of putting: %s", diff)
	}
}

func cutLines(s, without string) []string {
	out := []string{}

	for l := range strings.SplitSeq(strings.TrimSpace(s), "\n") {
		if !strings.Contains(l, without) {
			out = append(out, l)
		}
	}

	return out
}

func TestWriteNothing(t *testing.T) {
	s := gittest.Serve(t, "main", map[string]string{testFolder + "/dir/file.yaml": "a"})
	r := open(t, options(s.Start(t)))

	for name, decide := range map[string]func(*Snapshot) (*Change, error){
		"NoChange":    func(*Snapshot) (*Change, error) { return nil, nil }, //nolint:nilnil // No change is no error.
		"SameContent": put("a"),
	} {
		if _, err := r.Write(t.Context(), decide); err != nil {
			t.Fatal(err)
		}

		if n := len(s.Commits(t, "main")); n != 1 {
			t.Errorf("%s: there is an empty commit", name)
		}
	}
}

func TestRemoveEverything(t *testing.T) {
	s := gittest.Serve(t, "main", map[string]string{testFolder + "/dir/file.yaml": "a"})
	r := open(t, options(s.Start(t)))

	_, err := r.Write(t.Context(), func(f *Snapshot) (*Change, error) {
		return &Change{Remove: f.Paths(), Message: "remove"}, nil
	})
	if err != nil {
		t.Fatal(err)
	}

	if got := s.Git(t, "ls-tree", "-r", "main"); got != "" {
		t.Errorf("something is left: %s", got)
	}

	s.Git(t, "fsck", "--strict")
}

func TestBranchMoves(t *testing.T) {
	cases := map[string]struct {
		reason string
		moves  int
		want   []string
		class  fault.Class
	}{
		"Once": {
			reason: "The change is decided on anew, and lands on top.",
			moves:  1,
			want:   []string{"our commit", "another", "files of others"},
		},
		"Always": {
			reason: "The tries are bounded, and nobody's commit is lost.",
			moves:  99,
			want:   []string{"another", "another", "another", "another", "another", "files of others"},
			class:  fault.Failing,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := gittest.Serve(t, "main", map[string]string{"README.md": "others"})
			r := open(t, options(s.Start(t)))

			moved := 0
			r.beforePush = func() {
				if moved < tc.moves {
					moved++
					s.Commit(t, "main", "another", map[string]string{"other.txt": strings.Repeat("x", moved)})
				}
			}

			_, err := r.Write(t.Context(), put("a"))
			if (err != nil) != (tc.class != "") || err != nil && fault.ClassOf(err) != tc.class {
				t.Errorf("%s Got error %v.", tc.reason, err)
			}

			if diff := cmp.Diff(tc.want, s.Commits(t, "main")); diff != "" {
				t.Errorf("%s %s", tc.reason, diff)
			}
		})
	}
}

// TestBranchMovesAtTheLastMoment moves the branch when the server has told us
// already where it is: only the server itself can notice.
func TestBranchMovesAtTheLastMoment(t *testing.T) {
	s := gittest.Serve(t, "main", map[string]string{"README.md": "others"})
	o := options(s.Start(t))
	s.Hook(t, "pre-receive", `rm hooks/pre-receive
c=$(git -c user.name=a -c user.email=a@b commit-tree -p main -m another $(git rev-parse main^{tree}))
env -u GIT_QUARANTINE_PATH git update-ref refs/heads/main $c
`)

	if _, err := open(t, o).Write(t.Context(), put("a")); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff([]string{"our commit", "another", "files of others"}, s.Commits(t, "main")); diff != "" {
		t.Error(diff)
	}
}

func TestLockRace(t *testing.T) {
	s := gittest.Serve(t, "main", map[string]string{"README.md": "others"})
	r := open(t, options(s.Start(t)))
	lock := filepath.Join(s.Dir, "refs", "heads", "main.lock")
	tries := 0

	r.beforePush = func() {
		tries++

		if tries == 1 {
			if err := os.WriteFile(lock, nil, 0o644); err != nil {
				t.Fatal(err)
			}

			return
		}

		_ = os.Remove(lock)
	}

	if _, err := r.Write(t.Context(), put("a")); err != nil {
		t.Fatal(err)
	}

	if tries != 2 {
		t.Errorf("%d tries", tries)
	}
}

func TestOddPaths(t *testing.T) {
	for _, path := range []string{"one", "a@b/+c=d/-e._", "...", "a/.b", "A/a", "a.git/b", strings.Repeat("long/", 50) + "long"} {
		s := gittest.Serve(t, "main", map[string]string{"a/z": "others", "zz": "others"})
		o := options(s.Start(t))
		o.Path = path

		if _, err := open(t, o).Write(t.Context(), put("a")); err != nil {
			t.Errorf("%s: %v", path, err)

			continue
		}

		if got := s.Git(t, "show", "main:"+path+"/dir/file.yaml"); got != "a" {
			t.Errorf("%s holds %q", path, got)
		}

		s.Git(t, "fsck", "--strict")
	}
}

func TestPathIsNoFolder(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"File":     {"clusters": "a file"},
		"Symlink":  {"elsewhere/one/a": "x", "clusters": "-> elsewhere"},
		"LastFile": {testFolder: "a file"},
	} {
		t.Run(name, func(t *testing.T) {
			s := gittest.Serve(t, "main", files)

			_, err := open(t, options(s.Start(t))).Write(t.Context(), put("a"))
			if fault.ClassOf(err) != fault.Conflict || !strings.HasPrefix(err.Error(), "clusters") {
				t.Errorf("a path through a file is refused by name, not with %v", err)
			}
		})
	}
}
