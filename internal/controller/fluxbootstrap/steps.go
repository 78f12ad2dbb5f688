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

package fluxbootstrap

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/flux"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// Steps towards Flux that reconciles the tree.
const (
	LetGo            external.Step = "LetGo"
	EnsureNamespace  external.Step = "EnsureNamespace"
	ApplyPullSecret  external.Step = "ApplyPullSecret"
	RepairRelease    external.Step = "RepairRelease"
	InstallRelease   external.Step = "InstallRelease"
	UpgradeRelease   external.Step = "UpgradeRelease"
	ApplyCredentials external.Step = "ApplyCredentials"
	ApplySource      external.Step = "ApplySource"
	ApplyRoot        external.Step = "ApplyRoot"
)

// Steps of a disconnect.
const (
	Suspend           external.Step = "Suspend"
	Remove            external.Step = "Remove"
	RemoveCredentials external.Step = "RemoveCredentials"
)

// State of a FluxBootstrap: what is there, and what was asked for.
type State struct {
	// Target is what the steps work on.
	Target *target.Cluster

	// Now is when the State was collected.
	Now time.Time

	Install Install
	Sync    Sync
	Leaving Leaving
}

// Install is the State of Flux itself.
type Install struct {
	// Namespace tells whether the namespace is there.
	Namespace bool

	// Terminating is what holds a namespace that is being deleted; nil if it is
	// not. Nothing else is looked at then.
	Terminating *Terminating

	// Existing is a Flux that is not ours, and is used as it is.
	Existing *flux.Existing

	// PullSecret tells whether the pull secret is as it was asked for.
	PullSecret bool

	// Release of ours.
	Release flux.Release

	// Digest of the package that was asked for.
	Digest string

	// Missing tells whether a controller of our release is gone.
	Missing bool

	// Components of the Flux that is used.
	Components []flux.Component

	// Unready names the controllers that are needed and do not run, and says why.
	Unready string
}

// Installed tells whether the Flux that was asked for is there and runs.
func (i Install) Installed() bool {
	return i.Terminating == nil && (i.Existing != nil || i.Release.Deployed(i.Digest)) && i.Unready == ""
}

// Sync is the State of what Flux reconciles.
type Sync struct {
	// Wanted tells whether there is anything to reconcile yet.
	Wanted bool

	Desired  flux.Desired
	Observed flux.Observed

	// Credentials, Source and Root tell whether the objects are as they were
	// asked for.
	Credentials, Source, Root bool

	Health flux.Health
}

// Leaving is the State of a FluxBootstrap that is being deleted.
type Leaving struct {
	// Lost is why the target cannot be worked on.
	Lost error

	// Abandoned tells whether the time that a lost target has is over.
	Abandoned bool

	// Brought is what the tree has brought.
	Brought flux.Brought

	// Credentials are our Secrets with those of Git that are there.
	Credentials []corev1.Secret
}

// next step towards what was asked for.
func next(s State) external.Step {
	if t := s.Install.Terminating; t != nil && t.letsGo(s.Now) {
		return LetGo
	}
	if step := nextInstall(s.Install); step != external.Done {
		return step
	}

	switch sync := s.Sync; {
	case !sync.Wanted:
		return external.Done
	case sync.Observed.Source == nil && !s.Install.Installed():
		// The kinds of Flux may not be served yet.
		return external.Wait
	case !sync.Credentials:
		return ApplyCredentials
	case !sync.Source:
		return ApplySource
	case !sync.Root:
		return ApplyRoot
	case !s.Install.Installed(), !sync.Health.Ready:
		return external.Wait
	}
	return external.Done
}

func nextInstall(i Install) external.Step {
	switch {
	case i.Terminating != nil:
		return external.Wait
	case !i.Namespace:
		return EnsureNamespace
	case i.Existing != nil:
		return external.Done
	case !i.PullSecret:
		return ApplyPullSecret
	case !i.Release.Exists():
		return InstallRelease
	case i.Release.Broken():
		return RepairRelease
	case !i.Release.Deployed(i.Digest), i.Missing:
		return UpgradeRelease
	}
	return external.Done
}

// nextDelete step towards nothing of ours being left but Flux itself. What
// applies goes before what is applied, suspended, so that nothing is pruned and
// nothing comes back.
func nextDelete(s State) external.Step {
	switch l := s.Leaving; {
	case l.Abandoned:
		return external.Done
	case l.Lost != nil:
		return external.Wait
	case len(l.Brought.Unsuspended()) > 0:
		return Suspend
	case len(l.Brought.Removable(s.Now)) > 0:
		return Remove
	case len(l.Brought.Next()) > 0:
		return external.Wait
	case len(l.Credentials) > 0:
		return RemoveCredentials
	}
	return external.Done
}
