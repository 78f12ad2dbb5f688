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

package hostcluster

import (
	"crypto/sha256"
	"encoding/json"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/plan"
)

// memory of what was applied saves requests that would change nothing. It is
// no truth: without it, as after a restart, each child is applied once more.
type memory struct {
	mu sync.Mutex
	m  map[types.NamespacedName]map[string]entry
}

// entry says that applying a manifest led to a generation of an object. As
// long as both stay, the object's spec is as it was applied.
type entry struct {
	uid        types.UID
	generation int64
	digest     [sha256.Size]byte
}

// key of a child.
type key struct {
	types.NamespacedName

	kind string
}

func newMemory() *memory { return &memory{m: map[types.NamespacedName]map[string]entry{}} }

func keyOf(c plan.Child) key {
	return key{NamespacedName: types.NamespacedName{Namespace: c.GetNamespace(), Name: c.GetName()}, kind: c.Kind}
}

// holds tells whether an object is what applying a manifest has led to.
func (m *memory) holds(k key, seen client.Object, digest [sha256.Size]byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()

	return m.m[k.NamespacedName][k.kind] == entry{uid: seen.GetUID(), generation: seen.GetGeneration(), digest: digest}
}

// note what applying a manifest has led to.
func (m *memory) note(k key, u *unstructured.Unstructured, digest [sha256.Size]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()

	if m.m[k.NamespacedName] == nil {
		m.m[k.NamespacedName] = map[string]entry{}
	}

	m.m[k.NamespacedName][k.kind] = entry{uid: u.GetUID(), generation: u.GetGeneration(), digest: digest}
}

// forget the children of a HostCluster.
func (m *memory) forget(hc types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()

	delete(m.m, hc)
}

// digestOf a manifest.
func digestOf(u *unstructured.Unstructured) ([sha256.Size]byte, error) {
	b, err := json.Marshal(u.Object)

	return sha256.Sum256(b), errors.Wrap(err, "cannot marshal it")
}
