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

// Package fault gives errors a class: what an error means for the one who
// waits for the work. The class is the reason of the Ready condition.
package fault

import (
	stderrors "errors"
	"fmt"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// A Class says what an error means; each is a reason of the Ready condition.
type Class = xpv2.ConditionReason

// The classes of errors.
const (
	// Waiting: something outside has to happen first. It is not a failure.
	Waiting = v1alpha1.ReasonWaiting
	// Unreachable: the other side does not answer.
	Unreachable = v1alpha1.ReasonUnreachable
	// Unhealthy: it is there, but not healthy yet or not any more.
	Unhealthy = v1alpha1.ReasonUnhealthy
	// Failing: any other error.
	Failing = v1alpha1.ReasonFailing
	// Denied: credentials or rights are refused.
	Denied = v1alpha1.ReasonDenied
	// Refused: the input is not taken.
	Refused = v1alpha1.ReasonRefused
	// Conflict: somebody else's object is in the way.
	Conflict = v1alpha1.ReasonConflict
)

// classed is an error that has a class.
type classed struct {
	class Class
	msg   string
	cause error
}

// Error returns the message, which names the cause first.
func (e *classed) Error() string { return e.msg }

// Unwrap returns the cause, if there is one.
func (e *classed) Unwrap() error { return e.cause }

// New returns an error of a class.
func New(c Class, msg string) error { return &classed{class: c, msg: msg} }

// Newf returns an error of a class with a formatted message.
func Newf(c Class, format string, args ...any) error {
	return &classed{class: c, msg: fmt.Sprintf(format, args...)}
}

// Wrap gives an error a class, and says what could not be done: "msg: err". It
// returns nil for nil.
func Wrap(err error, c Class, msg string) error {
	if err == nil {
		return nil
	}

	return &classed{class: c, msg: msg + ": " + err.Error(), cause: err}
}

// As gives an error a class and keeps its message. It returns nil for nil.
func As(err error, c Class) error {
	if err == nil {
		return nil
	}

	return &classed{class: c, msg: err.Error(), cause: err}
}

// ClassOf returns the class of an error: that of the outermost classed error
// in its chain, or Failing.
func ClassOf(err error) Class {
	if c, ok := stderrors.AsType[*classed](err); ok {
		return c.class
	}

	return Failing
}

// Is tells whether an error has a class.
func Is(err error, c Class) bool { return err != nil && ClassOf(err) == c }
