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

package provisionedcluster

import (
	"testing"
	"time"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/executor"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// state of a cluster whose first run is to begin, with changes.
func state(change ...func(*State)) State {
	s := State{
		Now: now, UID: "uid", Cluster: executor.Cluster{ID: "a", Namespace: "ns", Owner: "owner"}, Tracked: true, Limit: 10,
		Wanted: &Wanted{Spec: run.Spec{Version: 1, Action: run.Apply, Revision: "r1"}, Inputs: "i1", Setup: executor.Setup{Credentials: map[string][]byte{"k": []byte("v")}}},
	}
	for _, c := range change {
		c(&s)
	}
	return s
}

func recorded(s *State) {
	r := executor.Record{Spec: s.Wanted.Spec, Inputs: s.Wanted.Inputs, Request: s.Wanted.Request, Number: 1}
	r.Spec.ID = "apply-1-x"
	s.Seen.Record = &r
}

func supplied(s *State) { s.Seen.Credentials = s.Wanted.Setup.Credentials }

func runs(s *State) { s.Seen.Execution = executor.Execution{RunID: "apply-1-x", Running: true} }

func ended(s *State) {
	s.Seen.Execution = executor.Execution{RunID: "apply-1-x", Ended: now.Add(-time.Second), Left: []executor.Leftover{{Name: "provision-a"}}}
}

func reported(phase v1alpha1.RunStatus, class run.Class) func(*State) {
	return func(s *State) {
		s.Seen.Status = &run.Status{Version: 1, RunID: s.Seen.Record.Spec.ID, Action: s.Seen.Record.Spec.Action, Phase: phase, FinishedAt: now.Add(-time.Second)}
		if class != "" {
			s.Seen.Status.Error = &run.Error{Class: class, Message: "no"}
		}
		if phase == v1alpha1.RunSucceeded {
			s.Seen.Outputs = map[string][]byte{run.KubeconfigKey: []byte("k")}
		}
	}
}

func asked(s *State) { s.Wanted.Request = "q1" }

func resized(s *State) { s.Wanted.Spec.Revision = "r2" }

func later(d time.Duration) func(*State) { return func(s *State) { s.Now = now.Add(d) } }

func TestNext(t *testing.T) {
	cases := map[string]struct {
		reason string
		state  State
		want   external.Step
	}{
		"NoOwner":   {"The bucket needs an owner first.", state(func(s *State) { s.Cluster.Owner = "" }), Identify},
		"Untracked": {"The ProviderConfig is held before it is used.", state(func(s *State) { s.Tracked = false }), Track},
		"First":     {"A run is fixed before anything else.", state(), Record},
		"Supply":    {"Then it gets its credentials.", state(recorded), Supply},
		"Rotated": {"Credentials that changed in between are another run.", state(recorded, supplied, func(s *State) {
			s.Wanted.Inputs = "i2"
			s.Wanted.Setup.Credentials = map[string][]byte{"k": []byte("w")}
		}), Record},
		"Start":  {"Then it starts.", state(recorded, supplied), Start},
		"Inline": {"A process gets its credentials with its start.", state(recorded, func(s *State) { s.Seen.Inline = true }), Start},
		"Queued": {"There is no room.", state(recorded, supplied, func(s *State) { s.Queued = true }), external.Wait},
		"Clear": {"The last run's Job makes room.", state(recorded, supplied, func(s *State) {
			s.Seen.Execution.Left = []executor.Leftover{{Name: "provision-a"}}
		}), Clear},
		"Clearing": {"It takes a moment.", state(recorded, supplied, func(s *State) {
			s.Seen.Execution.Left = []executor.Leftover{{Name: "provision-a", Deleting: true}}
		}), external.Wait},
		"Changed":       {"Nothing has started: the run is another one.", state(recorded, supplied, resized), Record},
		"Running":       {"A run is never touched.", state(recorded, supplied, runs), external.Wait},
		"ResizeRunning": {"Also if something else is wanted by now.", state(recorded, supplied, runs, resized), external.Wait},
		"Stranger":      {"An execution without a record is waited for.", state(runs), external.Wait},
		"Succeeded":     {"All is well.", state(recorded, supplied, ended, reported(v1alpha1.RunSucceeded, "")), external.Done},
		"JobGone":       {"Somebody has deleted the finished Job.", state(recorded, reported(v1alpha1.RunSucceeded, "")), external.Done},
		"Upgraded":      {"A new release of the provider renders it otherwise, and replaces nothing by itself.", state(asked, recorded, supplied, ended, reported(v1alpha1.RunSucceeded, ""), resized), external.Done},
		"UpgradedResize": {"Until something else is asked for.", state(asked, recorded, supplied, ended, reported(v1alpha1.RunSucceeded, ""), resized, func(s *State) {
			s.Wanted.Request = "q2"
		}), Record},
		"UpgradedAccount": {"Or it is for another role.", state(asked, recorded, supplied, ended, reported(v1alpha1.RunSucceeded, ""), resized, func(s *State) {
			s.Wanted.Spec.RoleARN = "arn"
		}), Record},
		"UpgradedFailed": {"What failed is tried as the new release has it.", state(asked, recorded, ended, reported(v1alpha1.RunFailed, run.ClassInvalid), resized), Record},
		"Resize":         {"Something else is wanted.", state(recorded, supplied, ended, reported(v1alpha1.RunSucceeded, ""), resized), Record},
		"NoKubeconfig": {"Somebody has deleted the only copies of the kubeconfig.", state(recorded, ended, reported(v1alpha1.RunSucceeded, ""), func(s *State) {
			s.Seen.Outputs = nil
		}), Record},
		"Published": {"The connection Secret is a copy.", state(recorded, ended, reported(v1alpha1.RunSucceeded, ""), func(s *State) {
			s.Seen.Outputs, s.Published = nil, map[string][]byte{run.KubeconfigKey: []byte("k")}
		}), external.Done},
		"Terminal":       {"A quota is not asked for again and again.", state(recorded, ended, reported(v1alpha1.RunFailed, run.ClassQuota), later(24*time.Hour)), external.Wait},
		"TerminalResize": {"Until something else is wanted.", state(recorded, ended, reported(v1alpha1.RunFailed, run.ClassQuota), resized), Record},
		"TerminalInputs": {"Or the credentials are others.", state(recorded, ended, reported(v1alpha1.RunFailed, run.ClassAuth), func(s *State) { s.Wanted.Inputs = "i2" }), Record},
		"Transient":      {"It is tried again after a while.", state(recorded, ended, reported(v1alpha1.RunFailed, run.ClassCapacity)), external.Wait},
		"Retry":          {"That while is over.", state(recorded, ended, reported(v1alpha1.RunFailed, run.ClassCapacity), later(30*time.Second)), Record},
		"Killed":         {"One that was killed is tried again, too.", state(recorded, ended), external.Wait},
		"KilledRetry":    {"It resumes from the state.", state(recorded, ended, later(30*time.Second)), Record},
		"Vanished":       {"Its Job was deleted before it reported its end: the same run starts again.", state(recorded, supplied, reported(v1alpha1.RunRunning, "")), Start},
		"Earlier": {"Runs moved elsewhere; what they left goes.", state(func(s *State) {
			s.Earlier = &Earlier{Seen: executor.Seen{Record: &executor.Record{}}}
		}), Move},
		"EarlierRuns": {"But not while one goes on there.", state(func(s *State) {
			s.Earlier = &Earlier{Seen: executor.Seen{Execution: executor.Execution{Running: true}}}
		}), external.Wait},
		"AfterDestroy": {"A cluster that was destroyed is made again.", state(recorded, func(s *State) { s.Seen.Record.Spec.Action = run.Destroy }, ended, reported(v1alpha1.RunSucceeded, "")), Record},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := next(tc.state); got != tc.want {
				t.Errorf("%s\nnext(...): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

func destroys(s *State) { s.Wanted.Spec.Action = run.Destroy }

func TestNextDelete(t *testing.T) {
	known := func(s *State) { s.Known = true }
	isDestroyed := func(s *State) { s.Destroyed = true }
	cases := map[string]struct {
		reason string
		state  State
		want   external.Step
	}{
		"Never":     {"Nothing was ever started.", state(destroys), external.Done},
		"Forgotten": {"Every trace is gone, but the status knows: infrastructure is never forgotten.", state(destroys, known), Record},
		"Used":      {"Somebody needs the cluster.", state(recorded, destroys, func(s *State) { s.Users = []User{{Name: "b"}} }), Blocked},
		"Leaving":   {"Who needs it is about to go.", state(recorded, destroys, func(s *State) { s.Users = []User{{Name: "b", Deleting: true}} }), external.Wait},
		"Applying":  {"An apply is waited for.", state(recorded, destroys, runs), external.Wait},
		"Begin":     {"Then a destroy is fixed.", state(recorded, ended, reported(v1alpha1.RunSucceeded, ""), destroys), Record},
		"NoConfig":  {"Without a ProviderConfig it is stuck.", state(recorded, ended, func(s *State) { s.Wanted, s.Problem = nil, fault.New(fault.Waiting, "gone") }), Stuck},
		"Start":     {"It starts like every run.", state(destroys, recorded, supplied), Start},
		"Failed":    {"It is tried again after a while.", state(destroys, recorded, ended, reported(v1alpha1.RunFailed, run.ClassDependency)), external.Wait},
		"Retry":     {"That while is over.", state(destroys, recorded, ended, reported(v1alpha1.RunFailed, run.ClassDependency), later(time.Minute)), Record},
		"Terminal":  {"It waits for somebody.", state(destroys, recorded, ended, reported(v1alpha1.RunFailed, run.ClassAuth), later(time.Hour)), external.Wait},
		"Clear":     {"Destroyed: the Jobs go first.", state(destroys, recorded, supplied, ended, reported(v1alpha1.RunSucceeded, "")), Clear},
		"Forget":    {"Then record and credentials.", state(destroys, recorded, supplied, reported(v1alpha1.RunSucceeded, "")), Forget},
		"Kept": {"The status has to know it, as nobody else will.", state(destroys, recorded, reported(v1alpha1.RunSucceeded, ""), known, func(s *State) {
			s.Seen.Record = nil
		}), external.Wait},
		"Report": {"Then the report, the last trace.", state(destroys, recorded, reported(v1alpha1.RunSucceeded, ""), known, isDestroyed, func(s *State) {
			s.Seen.Record = nil
		}), ForgetReport},
		"Gone": {"Nothing is left, and the status knows why.", state(destroys, known, isDestroyed), external.Done},
		"NoConfigDestroyed": {"A ProviderConfig that goes by then does not matter.", state(destroys, recorded, reported(v1alpha1.RunSucceeded, ""), func(s *State) {
			s.Problem = fault.New(fault.Waiting, "gone")
		}), Forget},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := nextDelete(tc.state); got != tc.want {
				t.Errorf("%s\nnextDelete(...): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

func TestNextRecord(t *testing.T) {
	failure := state(recorded, ended, reported(v1alpha1.RunFailed, run.ClassCapacity))
	failure.Seen.Record.Failures, failure.Seen.Record.Applied = 2, "r0"
	failure.Seen.Execution.Holders = []string{"pod-1"}

	r := nextRecord(failure)
	if r.Number != 2 || r.Failures != 3 || r.Applied != "r0" || len(r.Spec.EndedHolders) != 1 {
		t.Errorf("after a failure of the same: got %+v", r)
	}
	if again := nextRecord(failure); again.Spec.ID != r.Spec.ID {
		t.Errorf("two who see the same record the same run: got %s and %s", r.Spec.ID, again.Spec.ID)
	}
	resized(&failure)
	if r := nextRecord(failure); r.Failures != 0 || r.Applied != "r0" {
		t.Errorf("after a failure of something else: got %+v", r)
	}
	if r := nextRecord(state(recorded, ended, reported(v1alpha1.RunSucceeded, ""), resized)); r.Failures != 0 || r.Applied != "r1" {
		t.Errorf("after a success: got %+v", r)
	}
	if a, b := nextRecord(state()), nextRecord(state(func(s *State) { s.UID = "other" })); a.Spec.ID == b.Spec.ID {
		t.Errorf("two objects of one name have runs of the same id: %s", a.Spec.ID)
	}
}

func TestRetryAt(t *testing.T) {
	for failures, want := range map[int]time.Duration{0: 30 * time.Second, 1: time.Minute, 3: 4 * time.Minute, 6: 30 * time.Minute, 1000: 30 * time.Minute} {
		if got := retryAt(verdict{at: now}, failures).Sub(now); got != want {
			t.Errorf("after %d failures before: want %s, got %s", failures, want, got)
		}
	}
}
