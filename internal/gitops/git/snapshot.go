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
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// maxFile is the size up to which the content of a file is read. Ours are far smaller.
const maxFile = 1 << 20

// A File is an entry below the path.
type File struct {
	// ID of the content, as Git computes it.
	ID string

	// Content of a regular file that was asked for, and is not too large to be one of ours.
	Content []byte

	mode filemode.FileMode
}

// A Snapshot is what the folder holds at a commit.
type Snapshot struct {
	// Commit that the branch is at; empty in an empty repository.
	Commit string

	// Time of that commit.
	Time time.Time

	// Files by their path within the folder.
	Files map[string]File
}

// NewSnapshot returns a snapshot of a folder with files of these contents.
func NewSnapshot(files map[string][]byte) *Snapshot {
	s := &Snapshot{Files: map[string]File{}}
	for p, b := range files {
		s.Files[p] = File{ID: plumbing.ComputeHash(plumbing.BlobObject, b).String(), Content: b, mode: filemode.Regular}
	}

	return s
}

// Paths of the files in order.
func (s *Snapshot) Paths() []string { return slices.Sorted(maps.Keys(s.Files)) }

// Holds tells whether a file is there as a regular file with that content.
func (s *Snapshot) Holds(path string, content []byte) bool {
	f, ok := s.Files[path]

	return ok && f.mode == filemode.Regular && f.ID == plumbing.ComputeHash(plumbing.BlobObject, content).String()
}

// snapshot reads the folder in the tree of a commit, and the files that are wanted.
func snapshot(c *object.Commit, path string, wanted func(string) bool) (*Snapshot, error) {
	s := &Snapshot{Commit: c.Hash.String(), Time: c.Committer.When, Files: map[string]File{}}

	root, err := c.Tree()
	if err != nil {
		return nil, errors.Wrap(err, "cannot read the commit")
	}

	dir, err := folder(root, path)
	if err != nil || dir == nil {
		return s, err
	}

	w := object.NewTreeWalker(dir, true, nil)
	defer w.Close()

	for {
		name, e, err := w.Next()
		if errors.Is(err, io.EOF) {
			return s, nil
		}

		if err != nil {
			return nil, errors.Wrap(err, "cannot list the folder")
		}

		if e.Mode == filemode.Dir {
			continue
		}

		f := File{ID: e.Hash.String(), mode: e.Mode}
		if e.Mode == filemode.Regular && wanted(name) {
			if f.Content, err = content(dir, e); err != nil {
				return nil, errors.Wrapf(err, "cannot read %s", name)
			}
		}

		s.Files[name] = f
	}
}

// folder finds the path below a tree: nil if it is not there. A path that goes
// through a file, a link or a submodule leads where we do not go.
func folder(root *object.Tree, path string) (*object.Tree, error) {
	dir := root
	done := []string{}

	for s := range strings.SplitSeq(path, "/") {
		done = append(done, s)

		i := slices.IndexFunc(dir.Entries, func(e object.TreeEntry) bool { return e.Name == s })
		if i < 0 {
			return nil, nil //nolint:nilnil // A folder that is not there is no error.
		}

		if dir.Entries[i].Mode != filemode.Dir {
			return nil, fault.Newf(fault.Conflict, "%s is not a folder in the Git repository: choose another path", strings.Join(done, "/"))
		}

		next, err := dir.Tree(s)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot read the folder %s", strings.Join(done, "/"))
		}

		dir = next
	}

	return dir, nil
}

func content(dir *object.Tree, e object.TreeEntry) ([]byte, error) {
	f, err := dir.TreeEntryFile(&e)
	if err != nil || f.Size > maxFile {
		return nil, err
	}

	r, err := f.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()

	return io.ReadAll(r)
}
