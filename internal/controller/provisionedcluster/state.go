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
	"reflect"
	"time"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/executor"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// A State is what was seen of a ProvisionedCluster, of its runs and of what
// they need.
type State struct {
	Now time.Time
	// UID of the ProvisionedCluster.
	UID string
	// Cluster whose runs these are. Its owner is empty as long as none was made.
	Cluster executor.Cluster
	// Place where runs are executed.
	Place v1alpha1.RunPlace
	// Tracked says that the use of the ProviderConfig is recorded.
	Tracked bool
	// Seen of the runs at Place.
	Seen executor.Seen
	// Earlier is what is left of runs at another place; nil if nothing is.
	Earlier *Earlier
	// Wanted run; nil if none can be asked for, which Problem explains.
	Wanted *Wanted
	// Problem says why no run can be started. Only while deleting; otherwise
	// it is an error of Collect.
	Problem error
	// Queued says that there is no room for the run that is to start.
	Queued bool
	// Running and Limit are the runs that go on, and how many may.
	Running, Limit int
	// Published is the connection Secret as it is.
	Published map[string][]byte
	// Users are those who need the cluster. Filled while deleting.
	Users []User
	// Known says that the status tells of a run, and Destroyed that it tells of
	// a destroy run that succeeded. Filled while deleting.
	Known, Destroyed bool
}

// Wanted is the run that the spec asks for.
type Wanted struct {
	// Spec without what differs from run to run.
	Spec   run.Spec
	Config []byte
	// Inputs is a digest of the ProviderConfig and its credentials; empty if
	// nobody had to look at them.
	Inputs string
	// Request is a digest of what is asked for, as the user wrote it.
	Request string
	Setup   executor.Setup

	// credentials of the run; nil if nobody had to look at them.
	credentials *cloud.Credentials
}

// Earlier is what is left of runs at another place.
type Earlier struct {
	Place v1alpha1.RunPlace
	Seen  executor.Seen
}

// A User is an object that needs the cluster.
type User struct {
	Name     string
	Deleting bool
}

// A stand is how the recorded run stands.
type stand int

const (
	// none: there is no record.
	none stand = iota
	// pending: it is recorded, and has not started, or its execution is gone.
	pending
	// running: something works.
	running
	// succeeded and failed: it has ended.
	succeeded
	failed
)

// A verdict is how the recorded run stands, and why it failed.
type verdict struct {
	stand stand
	class run.Class
	cause string
	at    time.Time
}

// judge a run by what there is of it. What reports that it has ended has ended;
// what has ended without a report was killed.
func judge(s executor.Seen) verdict {
	switch {
	case s.Execution.Running:
		return verdict{stand: running}
	case s.Record == nil || s.Record.Spec.ID == "":
		return verdict{stand: none}
	case s.Final() && s.Status.Phase == v1alpha1.RunSucceeded:
		return verdict{stand: succeeded, at: s.Status.FinishedAt}
	case s.Final():
		v := verdict{stand: failed, class: run.ClassTransient, cause: "it said nothing", at: s.Status.FinishedAt}
		if e := s.Status.Error; e != nil {
			v.class, v.cause = e.Class, e.Message
		}
		return v
	case s.Execution.RunID == s.Record.Spec.ID:
		return verdict{stand: failed, class: run.ClassTransient, cause: "Run was killed: " + or(s.Execution.Trouble, "no report"), at: s.Execution.Ended}
	default:
		return verdict{stand: pending}
	}
}

// sameWork tells whether the recorded run does what is wanted.
func sameWork(s State) bool {
	if s.Seen.Record == nil || s.Wanted == nil {
		return false
	}
	return reflect.DeepEqual(work(s.Seen.Record.Spec), work(s.Wanted.Spec))
}

// work is a spec without what differs from run to run.
func work(s run.Spec) run.Spec {
	s.Version, s.ID, s.EndedHolders = run.Version, "", nil
	return s
}

// sameRequest tells whether the recorded run does what is asked for, if this
// release renders it so or otherwise.
func sameRequest(s State) bool {
	last := s.Seen.Record
	if last == nil || s.Wanted == nil || last.Request == "" || last.Request != s.Wanted.Request {
		return sameWork(s)
	}
	wanted := work(s.Wanted.Spec)
	wanted.Revision = last.Spec.Revision
	return reflect.DeepEqual(work(last.Spec), wanted)
}

// settled tells whether the last run brought about what is asked for. A new
// release of the provider that renders it otherwise starts no run by itself:
// it could replace the machines of all clusters at once.
func settled(s State) bool {
	return judge(s.Seen).stand == succeeded && sameRequest(s) && hasKubeconfig(s)
}

// hasKubeconfig tells whether the way into the cluster is known.
func hasKubeconfig(s State) bool {
	return len(s.Seen.Outputs[run.KubeconfigKey]) > 0 || len(s.Published[run.KubeconfigKey]) > 0
}

const (
	// firstRetry and maxRetry bound the wait after a failed run.
	firstRetry = 30 * time.Second
	maxRetry   = 30 * time.Minute
)

// retryAt is when a failed run is tried again.
func retryAt(v verdict, failures int) time.Time {
	wait := firstRetry
	for range failures {
		if wait *= 2; wait >= maxRetry {
			wait = maxRetry
			break
		}
	}
	return v.at.Add(wait)
}

// stopped tells whether a failed run is not tried again until something changes.
func stopped(s State) bool {
	v := judge(s.Seen)
	return v.stand == failed && v.class.IsTerminal() && sameInputs(s)
}

// sameInputs tells whether the recorded run had the inputs that there are now.
func sameInputs(s State) bool { return sameWork(s) && s.Seen.Record.Inputs == s.Wanted.Inputs }

// asks tells whether it has to be known what else a run needs: it is about to
// start, or failed, and the inputs may have changed since.
func asks(s State) bool {
	v := judge(s.Seen)
	return v.stand != running && !settled(s) && !destroyed(s)
}

// destroyed tells whether a destroy run has succeeded.
func destroyed(s State) bool {
	st := s.Seen.Status
	if st == nil || st.Action != run.Destroy || st.Phase != v1alpha1.RunSucceeded || s.Seen.Execution.Running {
		return false
	}
	return s.Seen.Record == nil || s.Seen.Reports()
}

// left tells whether there is any trace of runs.
func left(s executor.Seen) bool {
	return s.Record != nil || s.Status != nil || s.Execution.Running || len(s.Execution.Left) > 0 || len(s.Credentials) > 0
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
