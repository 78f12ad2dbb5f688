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
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
)

// A Tree is the files of an environment by their slash-separated path, which
// is relative to the environment's own folder.
type Tree map[string][]byte

// Paths of the files in order.
func (t Tree) Paths() []string { return slices.Sorted(maps.Keys(t)) }

// hash of every path and content. It names a tree in annotations, where 64
// bits are enough, and people compare it by eye.
func (t Tree) hash() string {
	h := sha256.New()
	write := func(b []byte) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b))))
		h.Write(b)
	}

	for _, p := range t.Paths() {
		write([]byte(p))
		write(t[p])
	}

	return hex.EncodeToString(h.Sum(nil)[:8])
}
