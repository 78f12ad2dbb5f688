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
	"path"
	"slices"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/git"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
)

// An Owner is who a tree is written for. A tree is the cluster's: whoever
// manages the same cluster, under whatever name, takes it up again.
type Owner struct {
	Namespace, Name string

	// ClusterUID is empty while the cluster cannot be asked. The names have to do then.
	ClusterUID string
}

// A Remote is what the folder in Git holds, as far as it is ours.
type Remote struct {
	// Pass that it was written in; None if there is nothing of ours.
	Pass render.Pass

	// TreeHash that is stamped on it.
	TreeHash string

	// ClusterUID that it was written for.
	ClusterUID string

	// ExistingSealedSecrets is the namespace of a controller of Sealed Secrets
	// that was there before the tree was.
	ExistingSealedSecrets string

	// Files of ours by path; nil if the list is lost with the marker.
	Files []string
}

// Read tells of which files of a folder the content is needed: those that say
// whose it is, and what is sealed already.
func Read(file string) bool {
	return path.Dir(file) == "." || path.Dir(file) == string(v1alpha1.LayerSecrets)
}

// placeholders are files that keep an empty folder in Git. They are in nobody's way.
func placeholders() []string { return []string{".gitkeep", ".keep", ".gitignore"} }

// ReadRemote tells what of a folder is ours. A folder that holds files of
// somebody else is refused by the first of them.
func ReadRemote(folder string, s *git.Snapshot, o Owner) (Remote, error) {
	if f, ok := s.Files[render.MarkerFile]; ok {
		if m, err := render.ParseMarker(f.Content); err == nil {
			return fromMarker(folder, m, o)
		}
	}

	// The marker is lost or broken. The layers say whose they are, too.
	for i, l := range slices.Backward([]v1alpha1.Layer{v1alpha1.LayerInfrastructure, v1alpha1.LayerSecrets, v1alpha1.LayerApps}) {
		f, ok := s.Files[string(l)+".yaml"]
		if !ok || o.ClusterUID == "" || render.LayerOwner(f.Content) != o.ClusterUID {
			continue
		}

		if i > 0 {
			return Remote{Pass: render.Environment, ClusterUID: o.ClusterUID}, nil
		}

		return Remote{Pass: render.Infrastructure, ClusterUID: o.ClusterUID}, nil
	}

	for _, p := range s.Paths() {
		if !slices.Contains(placeholders(), path.Base(p)) {
			return Remote{}, fault.Newf(fault.Conflict, "%s in the Git repository is not ours: choose another path, or empty this one", path.Join(folder, p))
		}
	}

	return Remote{}, nil
}

func fromMarker(folder string, m *render.Marker, o Owner) (Remote, error) {
	ours := m.ClusterUID == o.ClusterUID
	if o.ClusterUID == "" {
		ours = m.HostCluster.Namespace == o.Namespace && m.HostCluster.Name == o.Name
	}

	if !ours {
		return Remote{}, fault.Newf(fault.Conflict, "%s belongs to HostCluster %s/%s on another cluster (%s): choose another path, or empty this one",
			path.Join(folder, render.MarkerFile), m.HostCluster.Namespace, m.HostCluster.Name, m.ClusterUID)
	}

	// Another namespace may belong to other people, and its HostCluster may be
	// there still. In our own namespace nobody else can have this cluster.
	if m.HostCluster.Namespace != o.Namespace {
		return Remote{}, fault.Newf(fault.Conflict, "%s belongs to HostCluster %s/%s: choose another path or, if that one is gone, remove this file",
			path.Join(folder, render.MarkerFile), m.HostCluster.Namespace, m.HostCluster.Name)
	}

	return Remote{Pass: m.Pass, TreeHash: m.TreeHash, ClusterUID: m.ClusterUID, ExistingSealedSecrets: m.ExistingSealedSecrets, Files: m.Files}, nil
}

// Current tells whether the folder holds a tree as it is.
func Current(t render.Tree, s *git.Snapshot) bool {
	for p, b := range t {
		if !s.Holds(p, b) {
			return false
		}
	}

	return true
}

// Put returns what brings a tree into the folder: which files to write, and
// which of our earlier ones to remove. Files of others that came into the
// folder later stay, unless they have a name that we need.
func Put(folder string, t render.Tree, s *git.Snapshot, r Remote) (*git.Change, error) {
	c := &git.Change{Put: map[string][]byte{}}

	for p, b := range t {
		if s.Holds(p, b) {
			continue
		}

		_, there := s.Files[p]
		if listed := r.Files == nil || slices.Contains(r.Files, p) || p == render.MarkerFile; there && !listed && r.Pass != render.None {
			return nil, fault.Newf(fault.Conflict, "%s in the Git repository is not ours, and in the way: move it elsewhere", path.Join(folder, p))
		}

		c.Put[p] = b
	}

	for _, p := range r.Files {
		if _, kept := t[p]; !kept {
			c.Remove = append(c.Remove, p)
		}
	}

	if len(c.Put) == 0 && len(c.Remove) == 0 {
		return nil, nil //nolint:nilnil // No change is no error.
	}

	return c, nil
}

// Remove returns what removes our files from the folder.
func Remove(s *git.Snapshot, r Remote) *git.Change {
	c := &git.Change{Remove: append([]string{render.MarkerFile}, r.Files...)}
	if r.Files == nil {
		c.Remove = s.Paths()
	}

	return c
}
