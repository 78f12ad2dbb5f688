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
	"testing"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-cmp/cmp"
	rcommon "helm.sh/helm/v4/pkg/release/common"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/flux"
)

var now = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// complete is a State in which all is as it was asked for.
func complete() State {
	return State{
		Now: now,
		Install: Install{
			Namespace:  true,
			PullSecret: true,
			Release:    flux.Release{Revision: 1, Status: rcommon.StatusDeployed, Digest: "d"},
			Digest:     "d",
		},
		Sync: Sync{
			Wanted:      true,
			Observed:    flux.Observed{Source: &sourcev1.GitRepository{}, Root: &kustomizev1.Kustomization{}},
			Credentials: true,
			Source:      true,
			Root:        true,
			Health:      flux.Health{Ready: true},
		},
	}
}

func TestNext(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(s *State)
		want   external.Step
	}{
		"Complete": {reason: "Nothing is to be done.", want: external.Done},
		"NoNamespace": {
			reason: "Everything else lives in it.",
			change: func(s *State) { *s = State{} },
			want:   EnsureNamespace,
		},
		"NamespaceTerminating": {
			reason: "Nothing can be made in it, and it goes by itself.",
			change: func(s *State) { s.Install = Install{Namespace: true, Terminating: &Terminating{}} },
			want:   external.Wait,
		},
		"NoPullSecret": {
			reason: "Without it the images could not be pulled.",
			change: func(s *State) { s.Install.PullSecret, s.Install.Release = false, flux.Release{} },
			want:   ApplyPullSecret,
		},
		"NoRelease": {
			reason: "Flux is not there.",
			change: func(s *State) { s.Install.Release = flux.Release{} },
			want:   InstallRelease,
		},
		"PendingInstall": {
			reason: "A crash left the release pending.",
			change: func(s *State) { s.Install.Release.Status = rcommon.StatusPendingInstall },
			want:   RepairRelease,
		},
		"Failed": {
			reason: "The last attempt failed; the next is an upgrade.",
			change: func(s *State) { s.Install.Release.Status = rcommon.StatusFailed },
			want:   UpgradeRelease,
		},
		"OtherDigest": {
			reason: "The chart or its values have changed.",
			change: func(s *State) { s.Install.Digest = "new" },
			want:   UpgradeRelease,
		},
		"ControllerGone": {
			reason: "Somebody deleted a Deployment.",
			change: func(s *State) { s.Install.Missing, s.Install.Unready = true, "source-controller is not there" },
			want:   UpgradeRelease,
		},
		"Existing": {
			reason: "A Flux that is there is used as it is: no release, no pull secret.",
			change: func(s *State) { s.Install = Install{Namespace: true, Existing: &flux.Existing{}} },
			want:   external.Done,
		},
		"NotRunningYet": {
			reason: "Its kinds may not be served yet.",
			change: func(s *State) {
				s.Install.Unready, s.Sync = "source-controller does not run", Sync{Wanted: true}
			},
			want: external.Wait,
		},
		"NotRunningAnyMore": {
			reason: "What is asked for is kept up to date even while a controller does not run.",
			change: func(s *State) { s.Install.Unready, s.Sync.Source = "source-controller does not run", false },
			want:   ApplySource,
		},
		"Unready": {
			reason: "There is nothing to do but to wait for its pods.",
			change: func(s *State) { s.Install.Unready = "source-controller does not run" },
			want:   external.Wait,
		},
		"NoSync": {
			reason: "Flux is installed before there is a tree.",
			change: func(s *State) { s.Sync = Sync{} },
			want:   external.Done,
		},
		"Credentials": {
			reason: "The source needs them.",
			change: func(s *State) { s.Sync = Sync{Wanted: true} },
			want:   ApplyCredentials,
		},
		"Rotated": {
			reason: "The source's Secret changed, and nothing else.",
			change: func(s *State) { s.Sync.Credentials = false },
			want:   ApplyCredentials,
		},
		"Source": {
			reason: "The root refers to it.",
			change: func(s *State) { s.Sync.Source, s.Sync.Root = false, false },
			want:   ApplySource,
		},
		"Root": {
			reason: "It is the last.",
			change: func(s *State) { s.Sync.Root = false },
			want:   ApplyRoot,
		},
		"Unhealthy": {
			reason: "Flux is at work.",
			change: func(s *State) { s.Sync.Health.Ready = false },
			want:   external.Wait,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := complete()
			if tc.change != nil {
				tc.change(&s)
			}
			if diff := cmp.Diff(tc.want, next(s)); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func object(suspended bool, deleted time.Duration) unstructured.Unstructured {
	u := unstructured.Unstructured{Object: map[string]any{"kind": "Kustomization", "spec": map[string]any{"suspend": suspended}}}
	if deleted > 0 {
		ts := metav1.NewTime(now.Add(-deleted))
		u.SetDeletionTimestamp(&ts)
	}
	return u
}

func TestNextDelete(t *testing.T) {
	live, still := object(false, 0), object(true, 0)
	going, stuck := object(true, time.Second), object(true, time.Minute)
	all := func(us ...unstructured.Unstructured) []unstructured.Unstructured { return us }

	cases := map[string]struct {
		reason  string
		leaving Leaving
		want    external.Step
	}{
		"Nothing": {reason: "Nothing of ours is there.", want: external.Done},
		"Lost": {
			reason:  "The target may come back in time.",
			leaving: Leaving{Lost: errors.New("boom"), Credentials: []corev1.Secret{{}}},
			want:    external.Wait,
		},
		"Abandoned": {
			reason:  "It did not.",
			leaving: Leaving{Lost: errors.New("boom"), Abandoned: true},
			want:    external.Done,
		},
		"RootRuns": {
			reason:  "Nothing may be pruned, nothing may come back.",
			leaving: Leaving{Brought: flux.Brought{Root: &live, Kustomizations: all(still)}, Credentials: []corev1.Secret{{}}},
			want:    Suspend,
		},
		"LayerRuns": {
			reason:  "Layers are suspended after the root.",
			leaving: Leaving{Brought: flux.Brought{Root: &still, Kustomizations: all(live)}},
			want:    Suspend,
		},
		"HelmReleaseRuns": {
			reason:  "Deleting a HelmRelease that is not suspended uninstalls it.",
			leaving: Leaving{Brought: flux.Brought{HelmReleases: all(live)}},
			want:    Suspend,
		},
		"AllSuspended": {
			reason:  "Now they can go.",
			leaving: Leaving{Brought: flux.Brought{Root: &still, Kustomizations: all(still), HelmReleases: all(still)}},
			want:    Remove,
		},
		"RootGoes": {
			reason:  "Its layers wait until it is gone: it might be in the middle of applying them.",
			leaving: Leaving{Brought: flux.Brought{Root: &going, Kustomizations: all(still)}},
			want:    external.Wait,
		},
		"Stuck": {
			reason:  "Flux does not run, so nobody else lets go of it.",
			leaving: Leaving{Brought: flux.Brought{Root: &stuck}},
			want:    Remove,
		},
		"Sources": {
			reason:  "Sources are not suspended: they change nothing.",
			leaving: Leaving{Brought: flux.Brought{Sources: all(live)}},
			want:    Remove,
		},
		"OwnSource": {
			reason:  "The last of Flux's objects.",
			leaving: Leaving{Brought: flux.Brought{Source: &live}, Credentials: []corev1.Secret{{}}},
			want:    Remove,
		},
		"Credentials": {
			reason:  "Nobody needs them any more.",
			leaving: Leaving{Credentials: []corev1.Secret{{}}},
			want:    RemoveCredentials,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, nextDelete(State{Now: now, Leaving: tc.leaving})); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
