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
	"cmp"
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

	mu sync.Mutex
	// failures in a row while closed, up to threshold; it is open then.
	failures int
	// failedProbes since it is open.
	failedProbes int
	probing      bool
	until        time.Time
	last         error
}

func newBreaker(next http.RoundTripper, c clock.PassiveClock) *breaker {
	return &breaker{next: next, clock: c}
}

// RoundTrip sends a request, or fails at once while the circuit is open.
func (b *breaker) RoundTrip(req *http.Request) (*http.Response, error) {
	probe, last := b.admit()
	if last != nil {
		closeBody(req)
		return nil, openError{msg: classify(last, req.URL.Host).Error(), last: last}
	}
	// Whatever happens to the request, a probe must end, or it would be the
	// last one: a panic counts as a call that was given up.
	err := context.Canceled
	defer func() { b.settle(probe, err) }()
	var res *http.Response
	res, err = b.next.RoundTrip(req)
	if err != nil && err.Error() == canceled {
		// The context may have ended since, or at the same moment.
		err = cmp.Or(req.Context().Err(), context.DeadlineExceeded)
	}
	return res, err
}

// canceled is what a transport says when http.Client's own timer, which runs
// beside the context, ends a request. Nothing else ends one in this way.
const canceled = "net/http: request canceled"

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

// admit lets a call through, maybe as the probe, or returns the last cause.
func (b *breaker) admit() (probe bool, last error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.failures < threshold:
		return false, nil
	case b.probing || b.clock.Now().Before(b.until):
		return false, b.last
	default:
		b.probing = true
		return true, nil
	}
}

// settle takes note of how a call ended. Calls that were under way when the
// circuit opened end later: that they fail, too, is no news, and they are not
// the probe.
func (b *breaker) settle(probe bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if probe {
		b.probing = false
	}
	switch {
	case err == nil:
		b.failures, b.failedProbes, b.last = 0, 0, nil
	case errors.Is(err, context.Canceled):
		// The caller gave up; that says nothing about the cluster.
	case probe:
		b.failedProbes++
		b.open(err)
	case b.failures < threshold:
		b.last = err
		if b.failures++; b.failures == threshold {
			b.open(err)
		}
	}
}

// open the circuit for a while.
func (b *breaker) open(cause error) {
	b.last = cause
	b.until = b.clock.Now().Add(pause(b.failedProbes))
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
