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
	"slices"
	"sort"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// objects makes Git objects, and remembers which it made.
type objects struct {
	store storage.Storer
	made  []plumbing.Hash
}

// encoder is an object that can be stored.
type encoder interface {
	Encode(o plumbing.EncodedObject) error
}

func (b *objects) add(e encoder) (plumbing.Hash, error) {
	o := b.store.NewEncodedObject()
	if err := e.Encode(o); err != nil {
		return plumbing.ZeroHash, errors.Wrap(err, "cannot encode a Git object")
	}

	h, err := b.store.SetEncodedObject(o)
	if err != nil {
		return plumbing.ZeroHash, errors.Wrap(err, "cannot store a Git object")
	}

	if !slices.Contains(b.made, h) {
		b.made = append(b.made, h)
	}

	return h, nil
}

// A blob is the content of a file.
type blob []byte

// Encode the content.
func (c blob) Encode(o plumbing.EncodedObject) error {
	o.SetType(plumbing.BlobObject)

	w, err := o.Writer()
	if err != nil {
		return err
	}

	if _, err := w.Write(c); err != nil {
		return err
	}

	return w.Close()
}

// A node is a file, or a folder of nodes.
type node struct {
	hash plumbing.Hash
	mode filemode.FileMode
	dir  map[string]*node
}

// nest flat paths into folders.
func nest(files map[string]object.TreeEntry) (*node, error) {
	root := &node{mode: filemode.Dir, dir: map[string]*node{}}

	for path, e := range files {
		dir := root
		segments := strings.Split(path, "/")

		for _, s := range segments[:len(segments)-1] {
			next, ok := dir.dir[s]
			if !ok {
				next = &node{mode: filemode.Dir, dir: map[string]*node{}}
				dir.dir[s] = next
			}

			if next.dir == nil {
				return nil, errors.Errorf("%s is a file and a folder at once", s)
			}

			dir = next
		}

		name := segments[len(segments)-1]
		if dir.dir[name] != nil {
			return nil, errors.Errorf("%s is a file and a folder at once", name)
		}

		dir.dir[name] = &node{hash: e.Hash, mode: e.Mode}
	}

	return root, nil
}

// tree stores a folder and those below it.
func (b *objects) tree(n *node) (plumbing.Hash, error) {
	t := &object.Tree{}

	for name, c := range n.dir {
		h := c.hash

		if c.dir != nil {
			var err error
			if h, err = b.tree(c); err != nil {
				return h, err
			}
		}

		t.Entries = append(t.Entries, object.TreeEntry{Name: name, Mode: c.mode, Hash: h})
	}

	sort.Sort(object.TreeEntrySorter(t.Entries))

	return b.add(t)
}

// graft returns the tree root with the folder at a path replaced, or removed
// if the folder is the zero hash. Everything beside the path keeps its objects.
func (b *objects) graft(root *object.Tree, path []string, dir plumbing.Hash) (plumbing.Hash, error) {
	entries := []object.TreeEntry{}
	if root != nil {
		entries = slices.Clone(root.Entries)
	}

	i := slices.IndexFunc(entries, func(e object.TreeEntry) bool { return e.Name == path[0] })

	if len(path) > 1 {
		var below *object.Tree

		if i >= 0 {
			t, err := root.Tree(path[0])
			if err != nil {
				return plumbing.ZeroHash, errors.Wrapf(err, "cannot read the folder %s", path[0])
			}

			below = t
		}

		var err error
		if dir, err = b.graft(below, path[1:], dir); err != nil {
			return dir, err
		}
	}

	if i >= 0 {
		entries = slices.Delete(entries, i, i+1)
	}

	if !dir.IsZero() {
		entries = append(entries, object.TreeEntry{Name: path[0], Mode: filemode.Dir, Hash: dir})
	}

	if len(entries) == 0 {
		return plumbing.ZeroHash, nil
	}

	sort.Sort(object.TreeEntrySorter(entries))

	return b.add(&object.Tree{Entries: entries})
}
