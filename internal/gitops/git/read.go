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
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/storage"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

const origin = "origin"

// Head returns the commit that the branch is at, in one request. It is empty
// in an empty repository; a branch that is missing in any other is an error.
func (r *Repository) Head(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, headTimeout)
	defer cancel()

	refs, err := r.remote(memory.NewStorage()).ListContext(ctx, &gogit.ListOptions{
		Auth:         r.auth,
		CABundle:     r.endpoint.CaBundle,
		ClientCert:   r.endpoint.ClientCert,
		ClientKey:    r.endpoint.ClientKey,
		ProxyOptions: r.proxy(ctx),
	})
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		return "", nil
	}

	if err != nil {
		return "", r.classify(err, "look at the Git repository")
	}

	return head(refs, r.ref())
}

// head finds the branch among the references of a repository.
func head(refs []*plumbing.Reference, branch plumbing.ReferenceName) (string, error) {
	names := []string{}

	for _, ref := range refs {
		if ref.Name() == branch {
			return ref.Hash().String(), nil
		}

		if ref.Name().IsBranch() {
			names = append(names, ref.Name().Short())
		}
	}

	if len(names) == 0 {
		return "", nil
	}

	slices.Sort(names)

	if n := len(names); n > maxNames {
		names = append(names[:maxNames], fmt.Sprintf("%d more", n-maxNames))
	}

	return "", fault.Newf(fault.Refused, "no branch %s in the Git repository, which has %s: create it, or name another", branch.Short(), strings.Join(names, ", "))
}

// maxNames is how many branches a message lists.
const maxNames = 5

// Fetch the folder at the commit that the branch is at.
func (r *Repository) Fetch(ctx context.Context) (*Snapshot, error) {
	c, err := r.clone(ctx)
	if err != nil {
		return nil, err
	}
	defer c.remove()

	return r.snapshot(c.commit)
}

// A clone is a copy of the branch without its history, in a private folder.
type clone struct {
	dir    string
	store  storage.Storer
	commit *object.Commit // nil in an empty repository
}

// clonePrefix of the folders of clones.
const clonePrefix = "kubeopera-git-"

// Sweep removes clones that a process left behind which was killed. It leaves
// alone those that are young enough to be in use.
func Sweep(now time.Time) {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), clonePrefix+"*")) // The pattern is right.

	for _, d := range dirs {
		if i, err := os.Stat(d); err == nil && now.Sub(i.ModTime()) > maxTries*(fetchTimeout+pushTimeout) {
			_ = os.RemoveAll(d) // What cannot be removed now is for the next one.
		}
	}
}

// clone the branch. Whoever gets the clone removes it.
func (r *Repository) clone(ctx context.Context) (*clone, error) {
	dir, err := os.MkdirTemp("", clonePrefix+"*")
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a folder for the Git repository")
	}

	c := &clone{dir: dir, store: filesystem.NewStorage(osfs.New(dir, osfs.WithBoundOS()), cache.NewObjectLRUDefault())}

	if err := r.fetch(ctx, c); err != nil {
		c.remove()

		return nil, err
	}

	return c, nil
}

func (r *Repository) fetch(ctx context.Context, c *clone) error {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()

	err := r.remote(c.store).FetchContext(ctx, &gogit.FetchOptions{
		RefSpecs:     []config.RefSpec{config.RefSpec(fmt.Sprintf("+%[1]s:%[1]s", r.ref()))},
		Depth:        1,
		Tags:         gogit.NoTags,
		Auth:         r.auth,
		CABundle:     r.endpoint.CaBundle,
		ClientCert:   r.endpoint.ClientCert,
		ClientKey:    r.endpoint.ClientKey,
		ProxyOptions: r.proxy(ctx),
	})

	switch {
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return nil
	case isNoMatch(err):
		// Say which branches there are. If there are none, the repository is empty.
		_, err := r.Head(ctx)

		return err
	case err != nil:
		return r.classify(err, "fetch the Git repository")
	}

	ref, err := c.store.Reference(r.ref())
	if err != nil {
		return errors.Wrap(err, "cannot find the branch in what was fetched")
	}

	c.commit, err = object.GetCommit(c.store, ref.Hash())

	return errors.Wrap(err, "cannot read the commit that was fetched")
}

func isNoMatch(err error) bool {
	var no gogit.NoMatchingRefSpecError

	return errors.As(err, &no)
}

// snapshot of a commit; there is none in an empty repository.
func (r *Repository) snapshot(c *object.Commit) (*Snapshot, error) {
	if c == nil {
		return &Snapshot{Files: map[string]File{}}, nil
	}

	return snapshot(c, r.opts.Path, r.opts.Read)
}

func (c *clone) remove() { _ = os.RemoveAll(c.dir) }

func (r *Repository) remote(s storage.Storer) *gogit.Remote {
	return gogit.NewRemote(s, &config.RemoteConfig{Name: origin, URLs: []string{r.opts.URL}})
}
