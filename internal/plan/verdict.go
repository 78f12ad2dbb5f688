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

package plan

import (
	"fmt"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// A verdict says whether something is done, and why not.
type verdict struct {
	done    bool
	reason  xpv2.ConditionReason
	message string
}

func done(msg string) verdict { return verdict{done: true, reason: xpv2.ReasonAvailable, message: msg} }

func progress(msg string) verdict {
	return verdict{reason: v1alpha1.ReasonInProgress, message: clean(msg)}
}

func waiting(msg string) verdict {
	return verdict{reason: v1alpha1.ReasonWaiting, message: clean(msg)}
}

func failing(msg string) verdict {
	return verdict{reason: v1alpha1.ReasonFailing, message: clean(msg)}
}

func conflict(msg string) verdict {
	return verdict{reason: v1alpha1.ReasonConflict, message: clean(msg)}
}

// or says what is going on, if something is that says nothing itself.
func (v verdict) or(msg string) verdict {
	if v.message == "" && !v.done {
		v.message = clean(msg)
	}

	return v
}

// conditioned is what a verdict is about.
type conditioned interface {
	metav1.Object
	GetCondition(t xpv2.ConditionType) xpv2.Condition
	GetObservedGeneration() int64
}

// absent is the verdict on a child that is not there or not ours.
func (p *planner) absent(kind string) verdict {
	if v, ok := p.foreign[kind]; ok {
		return v
	}

	if err := p.refused[kind]; err != nil {
		return failing(err.Error())
	}

	return progress(kind + " is being created")
}

// ready judges a child that is there. One that could not be brought up to date
// is not what it should be, whatever it says.
func (p *planner) ready(kind string, c conditioned) verdict {
	if err := p.refused[kind]; err != nil {
		return failing(err.Error())
	}

	return ready(kind, c)
}

// ready judges a child by its Ready condition, if that is about the child's
// present spec.
func ready(kind string, c conditioned) verdict {
	if c.GetDeletionTimestamp() != nil {
		return progress(kind + " is being deleted, and will be made again")
	}

	r := c.GetCondition(xpv2.TypeReady)
	synced := c.GetCondition(xpv2.TypeSynced)

	switch {
	case r.Status == corev1.ConditionTrue && fresh(c, r):
		return verdict{done: true, reason: r.Reason, message: clean(r.Message)}
	case synced.Reason == xpv2.ReasonReconcilePaused:
		return waiting(kind + " is paused by its annotation crossplane.io/paused")
	case silent(c, r) && synced.Status == corev1.ConditionFalse:
		// The reconciler failed before the work itself could say anything.
		return failing(synced.Message)
	case silent(c, r):
		return progress("")
	default:
		return verdict{reason: reasonOf(r.Reason), message: clean(r.Message)}
	}
}

// silent tells whether a Ready condition says nothing about the present spec.
func silent(c conditioned, r xpv2.Condition) bool {
	return r.Status == corev1.ConditionTrue || r.Reason == xpv2.ReasonCreating || r.Reason == "" || !fresh(c, r)
}

// fresh tells whether a condition is about the present spec. One that does not
// say is as old as the whole status.
func fresh(c conditioned, cond xpv2.Condition) bool {
	g := cond.ObservedGeneration
	if g == 0 {
		g = c.GetObservedGeneration()
	}

	return g >= c.GetGeneration()
}

// is tells whether a condition of a child is True.
func is(c conditioned, t xpv2.ConditionType) bool {
	return c.GetCondition(t).Status == corev1.ConditionTrue
}

// reasonOf translates the reasons that Crossplane uses for Ready.
func reasonOf(r xpv2.ConditionReason) xpv2.ConditionReason {
	switch r {
	case xpv2.ReasonUnavailable:
		return v1alpha1.ReasonUnhealthy
	case xpv2.ReasonDeleting:
		return v1alpha1.ReasonInProgress
	default:
		return r
	}
}

// count is a number of things in words.
func count(n int32, one, many string) string {
	if n == 1 {
		return "1 " + one
	}

	return fmt.Sprintf("%d %s", n, many)
}
