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

package reply

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// A Record is what becomes known of a request while it is answered, for the log.
type Record struct {
	User string
	ID   string
	Err  error
}

type recordKey struct{}

// WithRecord returns a request that has a record.
func WithRecord(r *http.Request, rec *Record) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), recordKey{}, rec))
}

// Note who asks, and for what.
func Note(r *http.Request, user, id string) {
	if rec, ok := r.Context().Value(recordKey{}).(*Record); ok {
		rec.User, rec.ID = user, id
	}
}

// NoteError notes why a request was not done.
func NoteError(r *http.Request, err error) {
	if rec, ok := r.Context().Value(recordKey{}).(*Record); ok {
		rec.Err = err
	}
}

// Only answers requests of a path whose method has no handler.
func Only(methods map[string]http.Handler) http.Handler {
	allowed := strings.Join(slices.Sorted(maps.Keys(methods)), ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", allowed)
		Fail(w, Errorf(http.StatusMethodNotAllowed, BadMethod, "this path takes %s", allowed))
	})
}
