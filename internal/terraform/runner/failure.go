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

package runner

import (
	"context"
	stderrors "errors"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// A failure is an error of a known class.
type failure struct {
	class run.Class
	msg   string
	cause error
}

func (f *failure) Error() string { return f.msg }
func (f *failure) Unwrap() error { return f.cause }

func failf(class run.Class, format string, args ...any) error {
	err := errors.Errorf(format, args...)
	return &failure{class: class, msg: err.Error()}
}

// failWrap gives an error a class and says what could not be done.
func failWrap(err error, class run.Class, msg string) error {
	if err == nil {
		return nil
	}
	return &failure{class: class, msg: msg + ": " + err.Error(), cause: err}
}

// errInterrupted is why the context of a run ends: somebody asked it to stop.
var errInterrupted = &failure{
	class: run.ClassTransient,
	msg:   "interrupted: what was done until then is in the state, the next run goes on from there",
}

// errTooLong is why the context of a run ends that takes too long.
var errTooLong = &failure{
	class: run.ClassTransient,
	msg:   "took too long and was interrupted: what was done until then is in the state, the next run goes on from there",
}

// Interrupt is the cause to cancel a run's context with.
func Interrupt() error { return errInterrupted }

// reportOf says what an error means for those who wait for the run.
func reportOf(ctx context.Context, err error) *run.Error {
	if err == nil {
		return nil
	}
	// It failed because it was stopped, unless it says more itself.
	if f, ok := stderrors.AsType[*failure](context.Cause(ctx)); ok && !errors.Is(err, f) {
		return &run.Error{Class: f.class, Message: f.msg}
	}
	return &run.Error{Class: classOf(err), Message: err.Error()}
}

// classOf returns the class of an error: its own, or what the class of a fault
// means here.
func classOf(err error) run.Class {
	if f, ok := stderrors.AsType[*failure](err); ok {
		return f.class
	}
	switch fault.ClassOf(err) {
	case fault.Denied:
		return run.ClassAuth
	case fault.Refused:
		return run.ClassInvalid
	case fault.Conflict:
		return run.ClassConflict
	default:
		return run.ClassTransient
	}
}
