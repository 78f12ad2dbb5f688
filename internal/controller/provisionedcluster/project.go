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
	"fmt"
	"strings"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// The bounds of the status' fields, in bytes; the API counts characters.
const (
	maxStep    = 512
	maxMessage = 4096
)

// Project a State to the status.
func (w *workflow) Project(pc *v1alpha1.ProvisionedCluster, s State) external.Projection {
	observe(pc, s)
	for _, c := range async(s) {
		pc.SetConditions(c.WithObservedGeneration(pc.GetGeneration()))
	}
	p := external.Projection{Exists: left(s.Seen), Ready: ready(pc, s), Details: details(s)}
	if meta.WasDeleted(pc) {
		p.Exists = nextDelete(s) != external.Done
	}
	return p
}

// observe what there is of the runs.
func observe(pc *v1alpha1.ProvisionedCluster, s State) {
	at := &pc.Status.AtProvider
	r := s.Seen.Record
	if r == nil && destroyed(s) {
		// The record went before this was kept; the report still tells it.
		at.RunID, at.Action, at.RunStatus, at.AppliedRevision = s.Seen.Status.RunID, v1alpha1.RunDestroy, v1alpha1.RunSucceeded, ""
	}
	if r == nil {
		return // What was last known stays: it is how a run is remembered.
	}
	if s.Earlier == nil {
		place := s.Place
		at.Place = &place
	}
	v := judge(s.Seen)
	at.RunID = r.Spec.ID
	at.Action = v1alpha1.RunAction(r.Spec.Action)
	at.RunStatus = runStatus(v.stand)
	at.AppliedRevision = applied(s.Seen)
	at.StateBucket = r.Spec.State.Bucket
	if e := string(s.Seen.Outputs[run.EndpointKey]); e != "" {
		at.Endpoint = e
	}

	at.Progress, at.StartedAt, at.FinishedAt = nil, nil, nil
	if s.Seen.Reports() {
		at.StartedAt = stamp(s.Seen.Status.StartedAt)
		if v.stand == running || v.stand == pending {
			p := s.Seen.Status.Progress
			p.Step = clip(p.Step, maxStep)
			at.Progress = &p
		}
	}
	switch v.stand {
	case succeeded:
		at.LastError = nil
		at.FinishedAt = stamp(v.at)
	case failed:
		at.FinishedAt = stamp(v.at)
		at.LastError = &v1alpha1.RunError{Class: string(v.class), Message: clip(v.cause, maxMessage)}
	default:
	}
}

func runStatus(st stand) v1alpha1.RunStatus {
	switch st {
	case running:
		return v1alpha1.RunRunning
	case succeeded:
		return v1alpha1.RunSucceeded
	case failed:
		return v1alpha1.RunFailed
	default:
		return v1alpha1.RunQueued
	}
}

// async are the conditions that upjet providers have, too. While a run goes
// on, the last one's stays.
func async(s State) []xpv2.Condition {
	v := judge(s.Seen)
	ongoing := external.Condition(v1alpha1.TypeAsyncOperation, corev1.ConditionFalse, v1alpha1.ReasonOngoing, "")
	finished := external.Condition(v1alpha1.TypeAsyncOperation, corev1.ConditionTrue, v1alpha1.ReasonFinished, "")
	switch v.stand {
	case none:
		return nil
	case succeeded:
		return []xpv2.Condition{finished, external.Condition(v1alpha1.TypeLastAsyncOperation, corev1.ConditionTrue, v1alpha1.ReasonSuccess, "")}
	case failed:
		reason := v1alpha1.ReasonApplyFailure
		if s.Seen.Record.Spec.Action == run.Destroy {
			reason = v1alpha1.ReasonDestroyFailure
		}
		return []xpv2.Condition{finished, external.Condition(v1alpha1.TypeLastAsyncOperation, corev1.ConditionFalse, reason, oneLine(v.cause))}
	default:
		return []xpv2.Condition{ongoing}
	}
}

// ready is the Ready condition.
func ready(pc *v1alpha1.ProvisionedCluster, s State) xpv2.Condition {
	v := judge(s.Seen)
	progress := func(msg string) xpv2.Condition { return external.NotReady(v1alpha1.ReasonInProgress, oneLine(msg)) }
	deleting := meta.WasDeleted(pc)
	switch {
	case deleting && len(s.Users) > 0 && !s.Seen.Execution.Running:
		return external.NotReady(v1alpha1.ReasonWaiting, waitsFor(s.Users))
	case deleting && s.Problem != nil && v.stand != running && !destroyed(s):
		return external.NotReady(fault.ClassOf(stays(s.Problem)), oneLine("Cannot destroy: "+s.Problem.Error()))
	case deleting && (destroyed(s) || s.Destroyed && !left(s.Seen)):
		return progress("The cluster is destroyed, and what is left of the run is removed")
	case v.stand == running:
		return progress(doing(s))
	case !deleting && settled(s):
		return external.Ready(xpv2.ReasonAvailable, "The cluster is there: "+or(string(s.Seen.Outputs[run.EndpointKey]), or(pc.Status.AtProvider.Endpoint, "see the connection Secret")))
	case s.Earlier != nil:
		return progress("Moving from namespace " + s.Earlier.Place.Namespace + " to " + s.Place.Namespace)
	case stopped(s):
		msg := fmt.Sprintf("%s: %s. It is tried again once the spec, the ProviderConfig or its credentials change, or annotation %s has a new value",
			v.class, strings.TrimRight(v.cause, ". "), meta.AnnotationKeyReconcileRequestedAt)
		if deleting {
			msg += ". To leave what is there and let go of it, set deletionPolicy Disconnect on the HostCluster, or managementPolicies without Delete here"
		}
		return external.NotReady(reasonOf(v.class), oneLine(msg))
	case v.stand == failed && s.Wanted != nil && sameInputs(s) && s.Now.Before(retryAt(v, s.Seen.Record.Failures)):
		return external.NotReady(reasonOf(v.class), oneLine(fmt.Sprintf("%s. Next try at %s, after %d in a row",
			strings.TrimRight(v.cause, ". "), retryAt(v, s.Seen.Record.Failures).UTC().Format(time.RFC3339), s.Seen.Record.Failures+1)))
	case s.Queued:
		return progress(fmt.Sprintf("Queued: %d of at most %d runs are going on", s.Running, s.Limit))
	default:
		return progress("Starting " + or(at(s), "the run"))
	}
}

func at(s State) string {
	if s.Seen.Record == nil {
		return ""
	}
	return "run " + s.Seen.Record.Spec.ID
}

// doing says what a run does.
func doing(s State) string {
	if t := s.Seen.Execution.Trouble; t != "" {
		return t
	}
	what := "Provisioning"
	if s.Seen.Record != nil && s.Seen.Record.Spec.Action == run.Destroy {
		what = "Destroying"
	}
	if !s.Seen.Reports() {
		return what + ": the run is starting"
	}
	p := s.Seen.Status.Progress
	msg := or(p.Step, what)
	if p.Total > 0 {
		msg += fmt.Sprintf(" (%d of %d resources)", p.Done, p.Total)
	}
	return msg
}

// reasonOf a failed run for those who wait.
func reasonOf(c run.Class) xpv2.ConditionReason {
	switch c {
	case run.ClassAuth:
		return v1alpha1.ReasonDenied
	case run.ClassQuota, run.ClassInvalid:
		return v1alpha1.ReasonRefused
	case run.ClassConflict:
		return v1alpha1.ReasonConflict
	default:
		return v1alpha1.ReasonFailing
	}
}

// details of the last apply that succeeded. While there are none, those that
// are published stay.
func details(s State) managed.ConnectionDetails {
	if judge(s.Seen).stand == succeeded && len(s.Seen.Outputs) > 0 {
		return managed.ConnectionDetails(s.Seen.Outputs)
	}
	return managed.ConnectionDetails(s.Published)
}

func waitsFor(users []User) string {
	names := make([]string, 0, len(users))
	for _, u := range users {
		names = append(names, u.Name)
	}
	return oneLine("Waits for ClusterAccess " + strings.Join(names, ", "))
}

func stamp(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	s := metav1.NewTime(t.UTC().Truncate(time.Second))
	return &s
}

// oneLine makes a message one line of bounded length.
func oneLine(s string) string { return clip(strings.Join(strings.Fields(s), " "), maxMessage) }

// clip bounds a text in bytes.
func clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "?")
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
