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
	"math/rand/v2"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// maxTries is how often a branch may move before we give up for now.
const maxTries = 5

// A Change of the folder.
type Change struct {
	// Put these files, by their path within the folder.
	Put map[string][]byte

	// Remove these files. What is in neither stays as it is.
	Remove []string

	// Message of the commit.
	Message string
}

// Write a change that is decided on what the folder holds. If the branch moves
// meanwhile, what it holds then is looked at, and decided on, anew. A change
// that changes nothing makes no commit. It returns what the folder holds in the end.
func (r *Repository) Write(ctx context.Context, decide func(*Snapshot) (*Change, error)) (*Snapshot, error) {
	for try := range maxTries {
		s, err := r.attempt(ctx, decide)
		if !errors.Is(err, errMoved) {
			return s, err
		}

		if err := r.pause(ctx, try); err != nil {
			return nil, fault.Wrap(err, fault.Unreachable, "cannot push to a branch that keeps moving")
		}
	}

	return nil, fault.Newf(fault.Failing, "branch %s moved each of the %d times that we pushed to it", r.opts.Branch, maxTries)
}

// pause grows from about 100 ms to about 1.6 s. Its jitter keeps apart those
// who collided.
func pause(ctx context.Context, try int) error {
	d := 100 * time.Millisecond << try
	d += time.Duration(rand.Int64N(int64(d))) //nolint:gosec // Spreading tries needs no secrecy.

	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// attempt to write once, on a fresh clone.
func (r *Repository) attempt(ctx context.Context, decide func(*Snapshot) (*Change, error)) (*Snapshot, error) {
	c, err := r.clone(ctx)
	if err != nil {
		return nil, err
	}
	defer c.remove()

	s, err := r.snapshot(c.commit)
	if err != nil {
		return nil, err
	}

	change, err := decide(s)
	if err != nil {
		return nil, err
	}

	if change == nil {
		return s, nil
	}

	b := &objects{store: c.store}

	commit, err := r.commit(c, b, s, change)
	if err != nil || commit == nil {
		return s, err
	}

	r.beforePush()

	if err := r.push(ctx, c, b, commit.Hash); err != nil {
		return nil, err
	}

	return r.snapshot(commit)
}

// commit a change. It returns nil if nothing changes.
func (r *Repository) commit(c *clone, b *objects, s *Snapshot, change *Change) (*object.Commit, error) {
	root, err := r.tree(c, b, s, change)
	if err != nil {
		return nil, err
	}

	commit := &object.Commit{Message: change.Message, TreeHash: root}

	if c.commit != nil {
		if c.commit.TreeHash == root {
			return nil, nil //nolint:nilnil // No change is no commit.
		}

		commit.ParentHashes = []plumbing.Hash{c.commit.Hash}
	}

	commit.Author = object.Signature{Name: r.opts.AuthorName, Email: r.opts.AuthorEmail, When: r.now()}
	commit.Committer = commit.Author

	h, err := b.add(commit)
	if err != nil {
		return nil, err
	}

	commit, err = object.GetCommit(c.store, h)

	return commit, errors.Wrap(err, "cannot read the commit that was made")
}

// tree makes the tree of the whole repository with the folder changed.
func (r *Repository) tree(c *clone, b *objects, s *Snapshot, change *Change) (plumbing.Hash, error) {
	files := map[string]object.TreeEntry{}
	for p, f := range s.Files {
		files[p] = object.TreeEntry{Mode: f.mode, Hash: plumbing.NewHash(f.ID)}
	}

	for _, p := range change.Remove {
		delete(files, p)
	}

	for p, content := range change.Put {
		h, err := b.add(blob(content))
		if err != nil {
			return h, err
		}

		files[p] = object.TreeEntry{Mode: filemode.Regular, Hash: h}
	}

	var root *object.Tree

	if c.commit != nil {
		t, err := c.commit.Tree()
		if err != nil {
			return plumbing.ZeroHash, errors.Wrap(err, "cannot read the commit")
		}

		root = t
	}

	dir := plumbing.ZeroHash

	if len(files) > 0 {
		n, err := nest(files)
		if err != nil {
			return dir, err
		}

		if dir, err = b.tree(n); err != nil {
			return dir, err
		}
	}

	h, err := b.graft(root, strings.Split(r.opts.Path, "/"), dir)
	if err == nil && h.IsZero() {
		// Nothing is left at all: Git has a tree for that, too.
		return b.add(&object.Tree{})
	}

	return h, err
}
