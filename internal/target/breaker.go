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

package target

import (
	"context"
	"net/http"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

const (
	// threshold is how many connections in a row have to fail until calls are
	// not tried any more for a while.
	threshold = 3
	// firstBreak and longestBreak bound that while. It doubles with each
	// failed probe.
	firstBreak   = 5 * time.Second
	longestBreak = time.Minute
)

// A breaker fails calls to a cluster that does not answer at once, with the
// last cause, instead of letting each of them wait for a timeout. After a while
// it lets one call through as a probe.
//
//	closed --- 3 failures ---> open --- time over ---> half-open (1 probe)
//	   ^                        ^                          |      |
//	   |                        +------ probe fails -------+      |
//	   +------------------------ any answer ---------------------+
//
// Any answer counts as a success, an error of the API server, too.
type breaker struct {
	next  http.RoundTripper
	clock clock.PassiveClock

	mu       sync.Mutex
	failures int
	last     error
	until    time.Time
	probing  bool
}

func newBreaker(next http.RoundTripper, c clock.PassiveClock) *breaker {
	return &breaker{next: next, clock: c}
}

// RoundTrip sends a request, or fails at once while the circuit is open.
func (b *breaker) RoundTrip(req *http.Request) (*http.Response, error) {
	if last := b.admit(); last != nil {
		closeBody(req)
		return nil, openError{msg: classify(last, req.URL.Host).Error(), last: last}
	}
	// Whatever happens to the request, a probe must end, or it would be the
	// last one: a panic counts as a call that was given up.
	err := context.Canceled
	defer func() { b.settle(err) }()
	var res *http.Response
	res, err = b.next.RoundTrip(req)
	if err != nil && req.Context().Err() == nil && err.Error() == canceled {
		err = context.DeadlineExceeded
	}
	return res, err
}

// canceled is what a transport says when http.Client's own timer, which runs
// beside the context, ends a request. Nothing else ends one in this way.
const canceled = "net/http: request canceled"

// CancelRequest is asked for by client-go's wrappers, which warn without it.
// The context of a request cancels it.
func (b *breaker) CancelRequest(_ *http.Request) {}

// CloseIdleConnections closes the connections that no call uses.
func (b *breaker) CloseIdleConnections() {
	if c, ok := b.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// refused returns the last cause while the circuit is open, without taking the
// turn of a probe.
func (b *breaker) refused() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures >= threshold && (b.probing || b.clock.Now().Before(b.until)) {
		return b.last
	}
	return nil
}

// admit lets a call through, or returns the last cause.
func (b *breaker) admit() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < threshold {
		return nil
	}
	if b.probing || b.clock.Now().Before(b.until) {
		return b.last
	}
	b.probing = true
	return nil
}

// settle takes note of how a call ended.
func (b *breaker) settle(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
	switch {
	case err == nil:
		b.failures, b.last = 0, nil
	case errors.Is(err, context.Canceled):
		// The caller gave up; that says nothing about the cluster.
	default:
		b.failures++
		b.last = err
		if b.failures >= threshold {
			b.until = b.clock.Now().Add(pause(b.failures - threshold))
		}
	}
}

// An openError is what a call gets that was not sent. It does not unwrap to its
// cause, and does not say the same: client-go would take it for a broken
// connection and try again, several times.
type openError struct {
	msg  string
	last error
}

// Error returns what the last cause means.
func (e openError) Error() string { return e.msg }

// pause returns how long the circuit stays open after n failed probes.
func pause(n int) time.Duration {
	d := firstBreak
	for range n {
		if d *= 2; d >= longestBreak {
			return longestBreak
		}
	}
	return d
}

// closeBody does what a RoundTripper owes to a request that it does not send.
func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close() // Nobody reads it any more.
	}
}
