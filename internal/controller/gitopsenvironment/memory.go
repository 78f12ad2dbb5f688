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

package gitopsenvironment

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/git"
)

// memory spares us to fetch what we know already: as long as the head of the
// branch stays, so does what the folder holds. Access to the repository is
// checked each time, with the credentials of the day. Losing it costs a fetch.
type memory struct {
	mu   sync.Mutex
	seen map[types.UID]seen
}

type seen struct {
	url, branch, path string

	snapshot *git.Snapshot
}

func newMemory() *memory { return &memory{seen: map[types.UID]seen{}} }

// keep what the folder of an environment holds.
func (m *memory) keep(mg *v1alpha1.GitOpsEnvironment, s *git.Snapshot) {
	m.mu.Lock()
	defer m.mu.Unlock()

	g := mg.Spec.ForProvider.Git
	m.seen[mg.UID] = seen{url: string(g.URL), branch: string(g.Branch), path: string(g.Path), snapshot: s}
}

func (m *memory) forget(mg *v1alpha1.GitOpsEnvironment) {
	m.mu.Lock()
	defer m.mu.Unlock()

	delete(m.seen, mg.UID)
}

func (m *memory) recall(mg *v1alpha1.GitOpsEnvironment, head string) (*git.Snapshot, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()

	g := mg.Spec.ForProvider.Git
	s, ok := m.seen[mg.UID]
	same := ok && s.url == string(g.URL) && s.branch == string(g.Branch) && s.path == string(g.Path)

	return s.snapshot, same && s.snapshot.Commit == head
}

// look at what the folder of an environment holds.
func (m *memory) look(ctx context.Context, mg *v1alpha1.GitOpsEnvironment, r repository) (*git.Snapshot, error) {
	head, err := r.Head(ctx)
	if err != nil {
		return nil, err
	}

	if s, ok := m.recall(mg, head); ok {
		return s, nil
	}

	s, err := r.Fetch(ctx)
	if err != nil {
		return nil, err
	}

	m.keep(mg, s)

	return s, nil
}
