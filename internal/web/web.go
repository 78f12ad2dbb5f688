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

// Package web serves kubeopera-api over HTTP.
package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/internal/web/openapi"
	"github.com/kubeopera/provider-kubeopera/internal/web/provisions"
	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

const (
	// checkTimeout bounds a look at the API server.
	checkTimeout = 3 * time.Second
	// checked is how long a look is good for: anybody may ask.
	checked = 2 * time.Second
)

// health is what probes are told.
type health struct {
	Status string `json:"status"`
}

// handler of everything that kubeopera-api serves.
func handler(api *provisions.API, ready func(context.Context) error, log logging.Logger) http.Handler {
	mux := http.NewServeMux()
	api.Register(mux)
	public := map[string]http.Handler{
		"/healthz":   http.HandlerFunc(healthy),
		"/readyz":    whenReady(ready),
		openapi.Path: openapi.Handler(),
	}
	for path, h := range public {
		mux.Handle(http.MethodGet+" "+path, h)
		mux.Handle(path, reply.Only(map[string]http.Handler{http.MethodGet: h}))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		reply.Fail(w, reply.Errorf(http.StatusNotFound, reply.NotFound, "there is nothing at this path: see %s", openapi.Path))
	})
	return logged(log, clock.RealClock{}, mux)
}

func healthy(w http.ResponseWriter, _ *http.Request) {
	_ = reply.JSON(w, http.StatusOK, health{Status: "ok"}) // It can be written.
}

func whenReady(ready func(context.Context) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := ready(r.Context()); err != nil {
			err = reply.Errorf(http.StatusServiceUnavailable, reply.Unavailable, "the API server does not answer").Because(err)
			reply.NoteError(r, err)
			reply.Fail(w, err)
			return
		}
		healthy(w, r)
	})
}

// readiness tells whether the API server answers. It is asked once in two seconds at most.
func readiness(c rest.Interface, now clock.PassiveClock) func(context.Context) error {
	var mu sync.Mutex
	var at time.Time
	var last error
	return func(ctx context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		if !at.IsZero() && now.Since(at) < checked {
			return last
		}
		// The answer is for all who wait, whoever of them goes away.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout)
		defer cancel()
		last = c.Get().AbsPath("/version").Do(ctx).Error()
		at = now.Now()
		return last
	}
}
