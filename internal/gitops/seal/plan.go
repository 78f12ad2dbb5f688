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

package seal

import (
	"slices"
	"time"
)

// A Verdict says what a tree's SealedSecret needs.
type Verdict int

// The verdicts, from the best to the worst.
const (
	// Sealed: it is there, from the present input, and can be opened.
	Sealed Verdict = iota
	// Sealable: it has to be made anew, and there is a key to do it.
	Sealable
	// Stale: it has to be made anew, but there is no key. What is there stays until there is.
	Stale
	// Missing: it is not there, and there is no key to make it.
	Missing
)

// A Plan says what becomes of one SealedSecret.
type Plan struct {
	Input Input

	Verdict Verdict

	// Manifest that there is; nil if there is none, or it is not to be kept.
	Manifest []byte

	// Fingerprint of the key that the manifest is sealed with.
	Fingerprint string
}

// Keyring is what is known of a cluster's keys.
type Keyring struct {
	// Known tells whether the cluster could be asked.
	Known bool

	Keys []Key
}

// holds tells whether a key is there, or may well be.
func (k Keyring) holds(fingerprint string) bool {
	return !k.Known || slices.ContainsFunc(k.Keys, func(x Key) bool { return x.Fingerprint == fingerprint })
}

// Plan what becomes of a SealedSecret, given the one that the tree holds. A new
// key alone is no reason to seal anew: the old ones stay.
func (s Sealer) Plan(in Input, earlier []byte, ring Keyring, now time.Time) Plan {
	if m, fp, ok := s.Reuse(in, earlier); ok && ring.holds(fp) {
		return Plan{Input: in, Verdict: Sealed, Manifest: m, Fingerprint: fp}
	}

	if _, ok := Newest(ring.Keys, now); ok {
		return Plan{Input: in, Verdict: Sealable}
	}

	if len(earlier) > 0 {
		return Plan{Input: in, Verdict: Stale, Manifest: earlier}
	}

	return Plan{Input: in, Verdict: Missing}
}
