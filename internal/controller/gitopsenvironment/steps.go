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
	"time"

	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/seal"
)

// The steps of an environment.
const (
	// ensureSealing makes the Secret with the generated values, and with the
	// key of the hash that tells whether a sealed secret is up to date.
	ensureSealing external.Step = "EnsureSealingSecret"

	// pushInfrastructure pushes pass 1.
	pushInfrastructure external.Step = "PushInfrastructure"

	// pushEnvironment seals what has to be sealed, and pushes pass 2.
	pushEnvironment external.Step = "PushEnvironment"

	// removeTree removes the tree from Git.
	removeTree external.Step = "RemoveTree"

	// deleteSealing deletes what the first step made.
	deleteSealing external.Step = "DeleteSealingSecret"
)

// patience is how long a deletion waits for a Git server that does not let us
// remove the tree. What is left behind then is said in an event.
const patience = 10 * time.Minute

// A State is everything that the steps are decided on.
type State struct {
	// Sealing tells whether the Secret with the generated values is complete.
	Sealing bool

	// Pass that the tree in Git was written in.
	Pass render.Pass

	// Current tells whether the tree in Git is what that pass would write now.
	Current bool

	// Secrets is the worst of what the sealed secrets need.
	Secrets seal.Verdict

	// Blocked says why the sealed secrets cannot be told, for instance because
	// the Secret that one is made from is not there.
	Blocked error

	Deletion Deletion

	facts facts
	run   run
}

// A Deletion is what matters while an environment is being deleted.
type Deletion struct {
	// Remove tells whether the tree is to be removed from Git.
	Remove bool

	// InUse tells whether Flux still reconciles the tree. To remove it then
	// would remove every workload with it.
	InUse bool

	// Tree tells whether there is a tree of ours in Git.
	Tree bool

	// Err says why Git could not be looked at.
	Err error

	// Expired tells whether we waited long enough for Git.
	Expired bool
}

// next step towards a tree in Git that is what the environment asks for.
//
// A tree that was written in pass 2 never goes back to pass 1: that would take
// the layers from under a cluster that runs on them. As long as a secret cannot
// be sealed anew, the one that is in Git stays.
func next(s State) external.Step {
	switch {
	case !s.Sealing:
		return ensureSealing
	case s.Pass == render.None, s.Pass == render.Infrastructure && !s.Current:
		return pushInfrastructure
	case s.Blocked != nil, s.Secrets == seal.Missing:
		return external.Wait
	case s.Pass == render.Infrastructure, !s.Current, s.Secrets == seal.Sealable:
		return pushEnvironment
	case s.Secrets == seal.Stale:
		return external.Wait
	}

	return external.Done
}

// nextDelete is the next step towards nothing of ours being left.
func nextDelete(s State) external.Step {
	d := s.Deletion

	switch {
	case d.Remove && d.InUse:
		return external.Wait
	case d.Remove && d.Err != nil && !d.Expired:
		return external.Wait
	case d.Remove && d.Tree && !d.Expired:
		return removeTree
	case d.Remove && s.Sealing:
		return deleteSealing
	}

	// A tree that stays in Git holds the values of that Secret, and so do the
	// workloads: whoever takes the tree up again needs it.

	return external.Done
}
