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

package web

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"regexp"
	"runtime/debug"

	"k8s.io/utils/clock"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

// requestID is what callers may give a request as its id.
var requestID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// logged gives each request an id, and logs it when it was answered: who asked
// for which route, and what came of it. Paths, queries, headers and bodies are
// the callers', and are not logged.
func logged(log logging.Logger, c clock.PassiveClock, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(reply.HeaderRequestID)
		if !requestID.MatchString(id) {
			id = rand.Text()
		}
		w.Header().Set(reply.HeaderRequestID, id)
		w.Header().Set("X-Content-Type-Options", "nosniff")

		rec, out, begin := &reply.Record{}, &counted{ResponseWriter: w}, c.Now()
		r = reply.WithRecord(r, rec)
		defer func() {
			caught := recover()
			aborted := caught == http.ErrAbortHandler //nolint:errorlint // It is a sentinel, and panics are no errors.
			if caught != nil && !aborted {
				rec.Err = errors.Errorf("panic: %v\n%s", caught, debug.Stack())
				if out.status == 0 {
					reply.Fail(out, rec.Err)
				}
			}
			log.Info("Answered", append(fields(r, rec, out), "request-id", id, "duration", c.Since(begin).String())...)
			if caught != nil && (aborted || out.status == http.StatusOK) {
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(out, r)
	})
}

// fields of a request that are logged.
func fields(r *http.Request, rec *reply.Record, out *counted) []any {
	f := []any{"method", r.Method, "route", r.Pattern, "status", out.status, "bytes", out.bytes}
	if rec.User != "" {
		f = append(f, "user", rec.User, "id", fmt.Sprintf("%.63s", rec.ID))
	}
	if rec.Err != nil {
		e := reply.As(rec.Err)
		f = append(f, "reason", string(e.Reason))
		if e.Status >= http.StatusInternalServerError {
			f = append(f, "error", rec.Err.Error())
		}
	}
	return f
}

// counted knows what was answered.
type counted struct {
	http.ResponseWriter

	status int
	bytes  int64
}

// WriteHeader notes the status.
func (c *counted) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

// Write counts.
func (c *counted) Write(p []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	n, err := c.ResponseWriter.Write(p)
	c.bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (c *counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }
