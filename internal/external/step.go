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

// Package external is the one shape of every external client of this provider:
// observe a State, decide on one Step with a pure function, do it, look again.
//
// A crash between any two lines of such a client leaves just another State, so
// every workflow is a table from State to Step, tested without a cluster.
package external

import (
	"context"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
)

// A Step names one idempotent action.
type Step string

// Steps that every workflow has.
const (
	// Done: everything is as it was asked for.
	Done Step = "Done"
	// Wait: something outside has to happen first; the Ready condition says what.
	Wait Step = "Wait"
)

// acts tells whether a step does anything.
func (s Step) acts() bool { return s != Done && s != Wait }

// A Workflow is the work behind one kind of managed resource. It keeps no
// state: whatever it decides on is collected anew each time.
type Workflow[M resource.Managed, S any] interface {
	// Collect what is there. It writes nothing. While a managed resource is
	// being deleted it succeeds even if the target is gone or silent.
	Collect(ctx context.Context, mg M) (S, error)

	// Next step towards what the managed resource asks for. It is pure.
	Next(s S) Step

	// NextDelete is the next step towards nothing of ours being left. Done
	// means that nothing is. It is pure.
	NextDelete(s S) Step

	// Do one step, which must do no harm when it is done twice.
	Do(ctx context.Context, mg M, s S, step Step) error

	// Project a State to the managed resource's status. It is pure but for
	// mg's status.
	Project(mg M, s S) Projection
}

// A Projection is what a State means to the managed resource.
type Projection struct {
	// Exists tells whether the first step was done.
	Exists bool

	// Ready is the Ready condition; make it with Ready or NotReady.
	Ready xpv2.Condition

	// Details to publish, if the managed resource asks for a connection
	// Secret. They must be complete: a part would delete the rest.
	Details managed.ConnectionDetails
}

// Ready returns a Ready condition that is True, with a message for people.
func Ready(reason xpv2.ConditionReason, msg string) xpv2.Condition {
	return xpv2.Condition{Type: xpv2.TypeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now(), Reason: reason, Message: msg}
}

// NotReady returns a Ready condition that is False. Its message names the cause first.
func NotReady(reason xpv2.ConditionReason, msg string) xpv2.Condition {
	return xpv2.Condition{Type: xpv2.TypeReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.Now(), Reason: reason, Message: msg}
}

// Condition returns a condition of any type, stamped with the present time.
func Condition(t xpv2.ConditionType, status corev1.ConditionStatus, reason xpv2.ConditionReason, msg string) xpv2.Condition {
	return xpv2.Condition{Type: t, Status: status, LastTransitionTime: metav1.Now(), Reason: reason, Message: msg}
}
