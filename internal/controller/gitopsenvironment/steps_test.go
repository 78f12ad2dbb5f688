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
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/seal"
)

func TestNext(t *testing.T) {
	blocked := errors.New("the pull Secret is not there")

	cases := map[string]struct {
		reason string
		state  State
		want   external.Step
	}{
		"Nothing":          {reason: "The generated values come first.", state: State{}, want: ensureSealing},
		"NothingButTree":   {reason: "A tree from earlier, but no values.", state: State{Pass: render.Environment, Current: true}, want: ensureSealing},
		"Empty":            {reason: "Pass 1.", state: State{Sealing: true}, want: pushInfrastructure},
		"EmptyWithKey":     {reason: "Pass 1, even if there is a key.", state: State{Sealing: true, Secrets: seal.Sealable}, want: pushInfrastructure},
		"EmptyBlocked":     {reason: "Pass 1 needs no secrets.", state: State{Sealing: true, Blocked: blocked}, want: pushInfrastructure},
		"Pass1Edited":      {reason: "Put back.", state: State{Sealing: true, Pass: render.Infrastructure, Secrets: seal.Missing}, want: pushInfrastructure},
		"Pass1NoKey":       {reason: "Flux has to bring the controller up.", state: State{Sealing: true, Pass: render.Infrastructure, Current: true, Secrets: seal.Missing}, want: external.Wait},
		"Pass1Blocked":     {reason: "A Secret comes later.", state: State{Sealing: true, Pass: render.Infrastructure, Current: true, Blocked: blocked}, want: external.Wait},
		"Pass1Key":         {reason: "Pass 2.", state: State{Sealing: true, Pass: render.Infrastructure, Current: true, Secrets: seal.Sealable}, want: pushEnvironment},
		"Pass1Sealed":      {reason: "Everything is sealed, but not yet in a tree of pass 2.", state: State{Sealing: true, Pass: render.Infrastructure, Current: true}, want: pushEnvironment},
		"Pass2":            {reason: "Complete.", state: State{Sealing: true, Pass: render.Environment, Current: true}, want: external.Done},
		"Pass2Edited":      {reason: "Put back.", state: State{Sealing: true, Pass: render.Environment}, want: pushEnvironment},
		"Pass2Reseal":      {reason: "A changed secret, or a key that is gone.", state: State{Sealing: true, Pass: render.Environment, Secrets: seal.Sealable}, want: pushEnvironment},
		"Pass2EditedStale": {reason: "The rest is put back all the same.", state: State{Sealing: true, Pass: render.Environment, Secrets: seal.Stale}, want: pushEnvironment},
		"Pass2Stale":       {reason: "What is there stays until there is a key.", state: State{Sealing: true, Pass: render.Environment, Current: true, Secrets: seal.Stale}, want: external.Wait},
		"Pass2NewSecret":   {reason: "A new secret, but no key: never back to pass 1.", state: State{Sealing: true, Pass: render.Environment, Secrets: seal.Missing}, want: external.Wait},
		"Pass2Blocked":     {reason: "What is there stays.", state: State{Sealing: true, Pass: render.Environment, Blocked: blocked}, want: external.Wait},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := next(tc.state); got != tc.want {
				t.Errorf("%s Got %s instead of %s.", tc.reason, got, tc.want)
			}
		})
	}
}

func TestNextDelete(t *testing.T) {
	down := errors.New("Git server refuses connections")

	cases := map[string]struct {
		reason string
		state  State
		want   external.Step
	}{
		"Keep":         {reason: "The tree stays in Git, and what its secrets were made of stays with it.", state: State{Sealing: true, Deletion: Deletion{Tree: true}}, want: external.Done},
		"InUse":        {reason: "Pruning would kill workloads.", state: State{Sealing: true, Deletion: Deletion{Remove: true, InUse: true, Tree: true}}, want: external.Wait},
		"InUseLong":    {reason: "Time does not make it safe.", state: State{Sealing: true, Deletion: Deletion{Remove: true, InUse: true, Tree: true, Expired: true}}, want: external.Wait},
		"Remove":       {reason: "Flux has let go.", state: State{Sealing: true, Deletion: Deletion{Remove: true, Tree: true}}, want: removeTree},
		"Removed":      {reason: "The tree is gone.", state: State{Sealing: true, Deletion: Deletion{Remove: true}}, want: deleteSealing},
		"RemoveDone":   {reason: "Nothing is left.", state: State{Deletion: Deletion{Remove: true}}, want: external.Done},
		"GitDown":      {reason: "It may come back.", state: State{Sealing: true, Deletion: Deletion{Remove: true, Err: down}}, want: external.Wait},
		"GitDownLong":  {reason: "Deletion is bounded.", state: State{Sealing: true, Deletion: Deletion{Remove: true, Err: down, Expired: true}}, want: deleteSealing},
		"PushFailLong": {reason: "A tree that we cannot remove is left behind.", state: State{Sealing: true, Deletion: Deletion{Remove: true, Tree: true, Expired: true}}, want: deleteSealing},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := nextDelete(tc.state); got != tc.want {
				t.Errorf("%s Got %s instead of %s.", tc.reason, got, tc.want)
			}
		})
	}
}

// TestNextConverges walks every state: whatever it is, doing what next says
// comes to an end, and never leads from pass 2 back to pass 1.
func TestNextConverges(t *testing.T) {
	for _, sealing := range []bool{false, true} {
		for _, pass := range []render.Pass{render.None, render.Infrastructure, render.Environment} {
			for _, current := range []bool{false, true} {
				for _, verdict := range []seal.Verdict{seal.Sealed, seal.Sealable, seal.Stale, seal.Missing} {
					walk(t, State{Sealing: sealing, Pass: pass, Current: current, Secrets: verdict})
				}
			}
		}
	}
}

func walk(t *testing.T, s State) {
	t.Helper()

	from, reached := s, s.Pass

	for range 8 {
		switch next(s) {
		case ensureSealing:
			s.Sealing = true
		case pushInfrastructure:
			s.Pass, s.Current = render.Infrastructure, true
		case pushEnvironment:
			s.Pass, s.Current = render.Environment, true
			if s.Secrets == seal.Sealable {
				s.Secrets = seal.Sealed
			}
		default:
			return
		}

		if s.Pass < reached {
			t.Errorf("%+v goes back to pass %d", from, s.Pass)
		}

		reached = s.Pass
	}

	t.Errorf("%+v does not come to an end", from)
}
