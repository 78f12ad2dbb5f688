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

// Package reply is how handlers answer: in JSON, and with errors that have a
// status, a reason for programs and a message for people.
package reply

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// HeaderRequestID carries the id of a request, in both directions.
const HeaderRequestID = "X-Request-ID"

// A Reason says for programs why a request was not done.
type Reason string

// Reasons that any route may give.
const (
	Invalid     Reason = "Invalid"      // The request cannot be understood: 400.
	Unknown     Reason = "Unauthorized" // Nobody knows who asks: 401.
	Denied      Reason = "Forbidden"    // Who asks may not: 403.
	NotFound    Reason = "NotFound"     // 404.
	BadMethod   Reason = "MethodNotAllowed"
	TooLarge    Reason = "TooLarge"    // 413.
	BadMedia    Reason = "BadMedia"    // 415.
	Busy        Reason = "Busy"        // Too much is going on: 429.
	Internal    Reason = "Internal"    // A fault of this program: 500.
	Unavailable Reason = "Unavailable" // The API server does not answer, or refuses us: 503.
)

// A Cause is what is wrong with one field.
type Cause struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// An Error is an answer that is not what was asked for. Reason, Message and
// Causes are sent. They hold no secret.
type Error struct {
	Status  int
	Reason  Reason
	Message string
	Causes  []Cause
	// RetryAfter is when it is worth trying again, in whole seconds; 0 if nobody knows.
	RetryAfter time.Duration

	cause error
}

// Error returns the message, and what is behind it.
func (e *Error) Error() string {
	if e.cause != nil {
		return e.Message + ": " + e.cause.Error()
	}
	return e.Message
}

// Unwrap returns what is behind it.
func (e *Error) Unwrap() error { return e.cause }

// Errorf makes an answer that is an error.
func Errorf(status int, r Reason, format string, args ...any) *Error {
	return &Error{Status: status, Reason: r, Message: fmt.Sprintf(format, args...)}
}

// Because has an error that is logged, and not sent, behind the answer.
func (e *Error) Because(err error) *Error {
	e.cause = err
	return e
}

// body of an Error.
type body struct {
	Reason    Reason  `json:"reason"`
	Message   string  `json:"message"`
	Causes    []Cause `json:"causes,omitempty"`
	RequestID string  `json:"requestID,omitempty"`
}

// JSON answers with a value.
func JSON(w http.ResponseWriter, status int, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return errors.Wrap(err, "cannot write the answer")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // Whoever asked may be gone.
	return nil
}

// Fail answers with an error. One that is no Error is a fault of this program,
// and says nothing of itself.
func Fail(w http.ResponseWriter, err error) {
	e := As(err)
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter.Seconds())))
	}
	if e.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	_ = JSON(w, e.Status, body{Reason: e.Reason, Message: e.Message, Causes: e.Causes, RequestID: w.Header().Get(HeaderRequestID)}) // It can be written.
}

// As returns the Error in a chain, or one for a fault of this program.
func As(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Errorf(http.StatusInternalServerError, Internal, "this is a fault of kubeopera-api: its log has more").Because(err)
}

// Is tells whether an error is an answer already.
func Is(err error) bool {
	var e *Error
	return errors.As(err, &e)
}
