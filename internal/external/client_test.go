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

package external

import (
	"context"
	"errors"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

var errBoom = errors.New("boom")

// counter is a workflow that counts to a number, a step at a time, and waits
// at a number if it is told to.
type counter struct {
	at, to, waitAt int

	collectErr error
	doErr      error
	deaf       bool // steps have no effect

	did []Step
}

func (c *counter) Collect(context.Context, *v1alpha1.Administrator) (int, error) {
	return c.at, c.collectErr
}

func (c *counter) Next(s int) Step {
	switch {
	case s >= c.to:
		return Done
	case c.waitAt != 0 && s == c.waitAt:
		return Wait
	}

	return "Increment"
}

func (c *counter) NextDelete(s int) Step {
	if s == 0 {
		return Done
	}

	return "Decrement"
}

func (c *counter) Do(_ context.Context, _ *v1alpha1.Administrator, _ int, step Step) error {
	c.did = append(c.did, step)

	switch {
	case c.doErr != nil:
		return c.doErr
	case c.deaf:
	case step == "Increment":
		c.at++
	case step == "Decrement":
		c.at--
	}

	return nil
}

func (c *counter) Project(mg *v1alpha1.Administrator, s int) Projection {
	if s >= c.to {
		return Projection{Exists: true, Ready: Ready(xpv2.ReasonAvailable, "")}
	}

	return Projection{Exists: s > 0, Ready: NotReady(v1alpha1.ReasonInProgress, "counting")}
}

func TestObserve(t *testing.T) {
	type want struct {
		o      managed.ExternalObservation
		err    error
		reason xpv2.ConditionReason
	}

	cases := map[string]struct {
		reason  string
		w       *counter
		deleted bool

		policies xpv2.ManagementPolicies

		want want
	}{
		"Nothing": {
			reason: "The first step is an update like the rest.",
			w:      &counter{to: 2},
			want:   want{o: managed.ExternalObservation{ResourceExists: true}, reason: v1alpha1.ReasonInProgress},
		},
		"NothingMayCreateOnly": {
			reason:   "Where updates are not allowed the first step is a creation.",
			w:        &counter{to: 2},
			policies: xpv2.ManagementPolicies{xpv2.ManagementActionObserve, xpv2.ManagementActionCreate},
			want:     want{reason: v1alpha1.ReasonInProgress},
		},
		"Begun": {
			reason: "After the first step the rest is an update.",
			w:      &counter{at: 1, to: 2},
			want:   want{o: managed.ExternalObservation{ResourceExists: true}, reason: v1alpha1.ReasonInProgress},
		},
		"Done": {
			reason: "When everything is done nothing is written any more.",
			w:      &counter{at: 2, to: 2},
			want:   want{o: managed.ExternalObservation{ResourceExists: true, ResourceUpToDate: true}, reason: xpv2.ReasonAvailable},
		},
		"Waits": {
			reason: "While it waits nothing is written either.",
			w:      &counter{at: 1, to: 2, waitAt: 1},
			want:   want{o: managed.ExternalObservation{ResourceExists: true, ResourceUpToDate: true}, reason: v1alpha1.ReasonInProgress},
		},
		"MustWait": {
			reason: "An error of class Waiting is no failure.",
			w:      &counter{to: 2, collectErr: fault.New(fault.Waiting, "Secret s is not there yet")},
			want:   want{o: managed.ExternalObservation{ResourceExists: true, ResourceUpToDate: true}, reason: v1alpha1.ReasonWaiting},
		},
		"Refused": {
			reason: "Other errors are returned, with their class as the reason of the Ready condition.",
			w:      &counter{to: 2, collectErr: fault.As(errBoom, fault.Refused)},
			want:   want{err: errBoom, reason: v1alpha1.ReasonRefused},
		},
		"DeletedSomethingLeft": {
			reason:  "While something of ours is left it exists.",
			w:       &counter{at: 1, to: 2},
			deleted: true,
			want:    want{o: managed.ExternalObservation{ResourceExists: true, ResourceUpToDate: true}, reason: v1alpha1.ReasonInProgress},
		},
		"DeletedNothingLeft": {
			reason:  "When nothing is left it is gone.",
			w:       &counter{to: 2},
			deleted: true,
			want:    want{o: managed.ExternalObservation{ResourceUpToDate: true}, reason: v1alpha1.ReasonInProgress},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := &v1alpha1.Administrator{ObjectMeta: metav1.ObjectMeta{Generation: 7}}
			mg.SetManagementPolicies(tc.policies)
			if tc.deleted {
				mg.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
			}

			c, _ := NewConnector(tc.w).Connect(t.Context(), mg)
			o, err := c.Observe(t.Context(), mg)
			got := want{o: o, err: err, reason: mg.GetCondition(xpv2.TypeReady).Reason}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{}), cmpopts.EquateErrors()); diff != "" {
				t.Errorf("%s\nObserve(): -want, +got:\n%s", tc.reason, diff)
			}

			if mg.GetObservedGeneration() != 7 {
				t.Errorf("%s\nstatus.observedGeneration: want 7, got %d", tc.reason, mg.GetObservedGeneration())
			}

			if len(tc.w.did) > 0 {
				t.Errorf("%s\nObserve() must do nothing, did %v", tc.reason, tc.w.did)
			}
		})
	}
}

func TestMissingPolicy(t *testing.T) {
	observe := xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
	cases := map[string]struct {
		reason   string
		policies xpv2.ManagementPolicies
		w        *counter
		want     string
	}{
		"Create":  {"Who may only look says what it would do, and does not claim to do it.", observe, &counter{to: 2}, "spec.managementPolicies allow no Create: the next step would be Increment"},
		"Update":  {"So does one that is there.", observe, &counter{at: 1, to: 2}, "spec.managementPolicies allow no Update: the next step would be Increment"},
		"Nothing": {"Where nothing is to be done nothing is missing.", observe, &counter{at: 2, to: 2}, ""},
		"All":     {"All policies are the default.", xpv2.ManagementPolicies{xpv2.ManagementActionAll}, &counter{to: 2}, "counting"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := &v1alpha1.Administrator{}
			mg.SetManagementPolicies(tc.policies)

			c, _ := NewConnector(tc.w).Connect(t.Context(), mg)
			if _, err := c.Observe(t.Context(), mg); err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, mg.GetCondition(xpv2.TypeReady).Message); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	type want struct {
		did    int
		err    error
		reason xpv2.ConditionReason
		status corev1.ConditionStatus
	}

	cases := map[string]struct {
		reason string
		w      *counter
		want   want
	}{
		"ToTheEnd": {
			reason: "Steps follow each other within one reconcile.",
			w:      &counter{at: 1, to: 4},
			want:   want{did: 3, reason: xpv2.ReasonAvailable, status: corev1.ConditionTrue},
		},
		"ToAWait": {
			reason: "Steps stop where something has to be waited for.",
			w:      &counter{at: 1, to: 4, waitAt: 2},
			want:   want{did: 1, reason: v1alpha1.ReasonInProgress, status: corev1.ConditionFalse},
		},
		"NoEffect": {
			reason: "A step that has no effect is not done for ever.",
			w:      &counter{at: 1, to: 4, deaf: true},
			want:   want{did: maxSteps, reason: v1alpha1.ReasonInProgress, status: corev1.ConditionFalse},
		},
		"Fails": {
			reason: "A step that fails ends the reconcile with its error.",
			w:      &counter{at: 1, to: 4, doErr: fault.As(errBoom, fault.Denied)},
			want:   want{did: 1, err: errBoom, reason: v1alpha1.ReasonDenied, status: corev1.ConditionFalse},
		},
		"FindsThatItMustWait": {
			reason: "A step may find that it has to wait; that is no failure.",
			w:      &counter{at: 1, to: 4, doErr: fault.New(fault.Waiting, "not yet")},
			want:   want{did: 1, reason: v1alpha1.ReasonWaiting, status: corev1.ConditionFalse},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := &v1alpha1.Administrator{}

			c, _ := NewConnector(tc.w).Connect(t.Context(), mg)
			if _, err := c.Observe(t.Context(), mg); err != nil {
				t.Fatal(err)
			}

			_, err := c.Update(t.Context(), mg)
			ready := mg.GetCondition(xpv2.TypeReady)
			got := want{did: len(tc.w.did), err: err, reason: ready.Reason, status: ready.Status}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{}), cmpopts.EquateErrors()); diff != "" {
				t.Errorf("%s\nUpdate(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDelete(t *testing.T) {
	w := &counter{at: 3, to: 3}
	mg := &v1alpha1.Administrator{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: time.Unix(1, 0)}}}

	c, _ := NewConnector(w).Connect(t.Context(), mg)
	if _, err := c.Observe(t.Context(), mg); err != nil {
		t.Fatal(err)
	}

	if _, err := c.Delete(t.Context(), mg); err != nil {
		t.Fatal(err)
	}

	o, err := c.Observe(t.Context(), mg)
	if err != nil {
		t.Fatal(err)
	}

	if o.ResourceExists || w.at != 0 {
		t.Errorf("after Delete nothing may be left: exists %t, at %d", o.ResourceExists, w.at)
	}
}

func TestPollInterval(t *testing.T) {
	const poll = 10 * time.Minute

	since := func(status corev1.ConditionStatus, ago time.Duration) *v1alpha1.Administrator {
		mg := &v1alpha1.Administrator{}
		mg.SetConditions(xpv2.Condition{Type: xpv2.TypeReady, Status: status, LastTransitionTime: metav1.NewTime(time.Now().Add(-ago))})

		return mg
	}

	cases := map[string]struct {
		reason   string
		mg       *v1alpha1.Administrator
		from, to time.Duration
	}{
		"New":         {reason: "What is new is looked at soon.", mg: &v1alpha1.Administrator{}, from: time.Second, to: time.Second},
		"JustUnready": {reason: "So is what is not ready yet.", mg: since(corev1.ConditionFalse, 10*time.Second), from: time.Second, to: time.Second},
		"LongUnready": {reason: "What has not been ready for long can wait.", mg: since(corev1.ConditionFalse, 10*time.Minute), from: 20 * time.Second, to: 21 * time.Second},
		"EverUnready": {reason: "But never longer than what is ready.", mg: since(corev1.ConditionFalse, 100*time.Hour), from: poll, to: poll},
		"Ready":       {reason: "What is ready is looked at about once a poll interval.", mg: since(corev1.ConditionTrue, time.Hour), from: 9 * time.Minute, to: 11 * time.Minute},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := PollInterval(0.1)(tc.mg, poll); got < tc.from || got > tc.to {
				t.Errorf("%s\nPollInterval(): want %s to %s, got %s", tc.reason, tc.from, tc.to, got)
			}
		})
	}
}
