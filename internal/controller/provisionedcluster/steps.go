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
	"slices"

	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/executor"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// Steps of this workflow.
const (
	// Identify makes what the state bucket is tagged with.
	Identify external.Step = "Identify"
	// Track records that the ProviderConfig is used.
	Track external.Step = "Track"
	// Move removes what is left of runs at another place.
	Move external.Step = "Move"
	// Record fixes the next run before it starts.
	Record external.Step = "Record"
	// Supply puts the credentials where the run finds them.
	Supply external.Step = "Supply"
	// Clear deletes what the last run has left.
	Clear external.Step = "Clear"
	// Start the recorded run.
	Start external.Step = "Start"
	// Blocked says who still needs the cluster.
	Blocked external.Step = "Blocked"
	// Stuck says why the cluster cannot be destroyed.
	Stuck external.Step = "Stuck"
	// Forget removes the record of a cluster that was destroyed.
	Forget external.Step = "Forget"
	// ForgetReport removes its last trace.
	ForgetReport external.Step = "ForgetReport"
)

// next step towards the cluster that is asked for.
func next(s State) external.Step {
	if settled(s) && s.Earlier == nil && s.Tracked {
		return external.Done
	}
	return towards(s)
}

// nextDelete is the next step towards a cluster that was destroyed, and of
// which nothing is left. Destroyed is what the status says by then: it is the
// last to know once every trace is gone.
//
//	applying → waits · destroying → waits · destroyed → Clear → Forget →
//	(the status says so) → ForgetReport → Done
func nextDelete(s State) external.Step {
	switch {
	case s.Earlier == nil && !left(s.Seen) && (!s.Known || s.Destroyed):
		return external.Done
	case slices.ContainsFunc(s.Users, func(u User) bool { return !u.Deleting }):
		return Blocked
	case len(s.Users) > 0, s.Seen.Execution.Running:
		return external.Wait
	case destroyed(s):
		return cleanUp(s)
	case s.Problem != nil:
		return Stuck
	default:
		return towards(s)
	}
}

// cleanUp after a destroy run that succeeded.
func cleanUp(s State) external.Step {
	switch {
	case len(s.Seen.Execution.Left) > 0:
		return clearOrWait(s.Seen.Execution)
	case s.Seen.Record != nil || len(s.Seen.Credentials) > 0:
		return Forget
	case !s.Destroyed:
		return external.Wait
	default:
		return ForgetReport
	}
}

// towards a run that does what is wanted.
func towards(s State) external.Step {
	v := judge(s.Seen)
	switch {
	case s.Cluster.Owner == "":
		return Identify
	case !s.Tracked:
		return Track
	case v.stand == running, s.Earlier != nil && s.Earlier.Seen.Execution.Running:
		return external.Wait
	case s.Earlier != nil:
		return Move
	case v.stand == pending && sameInputs(s):
		return begin(s)
	case stopped(s):
		return external.Wait
	case v.stand == failed && sameInputs(s) && s.Now.Before(retryAt(v, s.Seen.Record.Failures)):
		return external.Wait
	default:
		return Record
	}
}

// begin a run that is recorded.
func begin(s State) external.Step {
	switch {
	case !s.Seen.Inline && !executor.Same(s.Seen.Credentials, s.Wanted.Setup.Credentials):
		return Supply
	case len(s.Seen.Execution.Left) > 0:
		return clearOrWait(s.Seen.Execution)
	case s.Queued:
		return external.Wait
	default:
		return Start
	}
}

func clearOrWait(e executor.Execution) external.Step {
	if slices.ContainsFunc(e.Left, func(l executor.Leftover) bool { return !l.Deleting }) {
		return Clear
	}
	return external.Wait
}

// nextRecord fixes the run that comes next. It is the same for everyone who
// sees the same, so of two who record it at the same time one learns that the
// other was faster, and neither makes a second run.
func nextRecord(s State) executor.Record {
	r := executor.Record{Spec: s.Wanted.Spec, Config: s.Wanted.Config, Inputs: s.Wanted.Inputs, Request: s.Wanted.Request, Number: 1}
	if last := s.Seen.Record; last != nil {
		r.Number = last.Number + 1
		r.Applied = applied(s.Seen)
		if last.Spec.Action == run.Destroy && r.Spec.Action == run.Destroy {
			r.Applied = last.Applied
		}
		r.Spec.EndedHolders = executor.Ended(last.Spec.EndedHolders, s.Seen.Execution.Holders)
		if judge(s.Seen).stand == failed && sameInputs(s) {
			r.Failures = last.Failures + 1
		}
	}
	r.Spec.ID = runID(s, r)
	return r.Over(s.Seen.Record)
}

// made tells whether there is a cluster, as far as it is known.
func made(s executor.Seen) bool {
	return applied(s) != "" || s.Record != nil && s.Record.Applied != "" && judge(s).stand != succeeded
}

// applied is the revision that is in the cloud account, as far as it is known.
func applied(s executor.Seen) string {
	switch v := judge(s); {
	case s.Record == nil, s.Record.Spec.Action == run.Destroy:
		return ""
	case v.stand == succeeded:
		return s.Record.Spec.Revision
	default:
		return s.Record.Applied
	}
}
