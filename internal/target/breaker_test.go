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
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestBreaker plays calls against a breaker and looks at which of them were
// really sent.
func TestBreaker(t *testing.T) {
	boom := errors.New("boom")
	type call struct {
		after time.Duration // since the call before
		fails error         // what the cluster would do
		sent  bool
	}
	cases := map[string]struct {
		reason string
		calls  []call
	}{
		"Closed":      {"Successes change nothing", []call{{0, nil, true}, {0, nil, true}}},
		"Opens":       {"After three failures in a row calls fail at once", []call{{0, boom, true}, {0, boom, true}, {0, boom, true}, {0, nil, false}, {firstBreak - 1, nil, false}}},
		"InARow":      {"A success in between starts the count again", []call{{0, boom, true}, {0, boom, true}, {0, nil, true}, {0, boom, true}, {0, boom, true}, {0, nil, true}}},
		"ProbeHeals":  {"A probe that gets an answer closes the circuit", []call{{0, boom, true}, {0, boom, true}, {0, boom, true}, {firstBreak, nil, true}, {0, boom, true}, {0, boom, true}, {0, nil, true}}},
		"ProbeFails":  {"A probe that fails doubles the break", []call{{0, boom, true}, {0, boom, true}, {0, boom, true}, {firstBreak, boom, true}, {firstBreak, nil, false}, {firstBreak, nil, true}}},
		"GivenUp":     {"A caller that gives up says nothing about the cluster", []call{{0, context.Canceled, true}, {0, context.Canceled, true}, {0, context.Canceled, true}, {0, nil, true}}},
		"ProbeUndone": {"A probe that was given up makes room for the next one", []call{{0, boom, true}, {0, boom, true}, {0, boom, true}, {firstBreak, context.Canceled, true}, {0, nil, true}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := clocktesting.NewFakePassiveClock(start)
			var fails error
			sent := false
			b := newBreaker(roundTripper(func(*http.Request) (*http.Response, error) {
				sent = true
				return &http.Response{Body: http.NoBody}, fails
			}), c)
			for i, call := range tc.calls {
				c.SetTime(c.Now().Add(call.after))
				fails, sent = call.fails, false
				open := b.refused()
				res, err := b.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
				if err == nil {
					_ = res.Body.Close()
				}
				if diff := cmp.Diff(call.sent, sent); diff != "" {
					t.Errorf("\n%s\ncall %d: -want sent, +got sent:\n%s", tc.reason, i, diff)
				}
				if (open == nil) != sent {
					t.Errorf("\n%s\ncall %d: refused() says %v, the call was sent: %t", tc.reason, i, open, sent)
				}
				if !sent && (err == nil || err.Error() != boom.Error()) {
					t.Errorf("\n%s\ncall %d: want the last cause, got %v", tc.reason, i, err)
				}
			}
		})
	}
}

// TestBreakerTimer ends calls by http.Client's own timer, of which a transport
// only says that the request was canceled.
func TestBreakerTimer(t *testing.T) {
	cases := map[string]struct {
		reason  string
		context func(context.Context) (context.Context, context.CancelFunc)
		want    error
	}{
		"Alone": {
			reason:  "The timer was first.",
			context: context.WithCancel,
			want:    context.DeadlineExceeded,
		},
		"Both": {
			reason: "The context's deadline came at the same moment.",
			context: func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithDeadline(ctx, time.Unix(0, 0))
			},
			want: context.DeadlineExceeded,
		},
		"GivenUp": {
			reason: "The caller gave up at the same moment.",
			context: func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				cancel()

				return ctx, cancel
			},
			want: context.Canceled,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := tc.context(t.Context())
			defer cancel()
			b := newBreaker(roundTripper(func(*http.Request) (*http.Response, error) {
				return nil, errors.New("net/http: request canceled")
			}), clocktesting.NewFakePassiveClock(start))
			res, err := b.RoundTrip(httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
			if err == nil {
				_ = res.Body.Close()
			}
			if !errors.Is(err, tc.want) {
				t.Errorf("\n%s\nwant %v, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

// TestBreakerOneProbe lets many calls go at once when the break is over.
func TestBreakerOneProbe(t *testing.T) {
	c := clocktesting.NewFakePassiveClock(start)
	release, fails := make(chan struct{}), errors.New("boom")
	var mu sync.Mutex
	sent := 0
	b := newBreaker(roundTripper(func(*http.Request) (*http.Response, error) {
		mu.Lock()
		sent++
		probe := sent > threshold
		mu.Unlock()
		if probe {
			<-release
			return &http.Response{Body: http.NoBody}, nil
		}
		return nil, fails
	}), c)
	call := func() error {
		res, err := b.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		if err == nil {
			_ = res.Body.Close()
		}
		return err
	}
	for range threshold {
		_ = call() // It fails, as it should.
	}
	c.SetTime(start.Add(firstBreak))

	const calls = 20
	done := make(chan error, calls)
	for range calls {
		go func() { done <- call() }()
	}
	for range calls - 1 {
		if err := <-done; err == nil || err.Error() != fails.Error() {
			t.Errorf("a call beside the probe: want the last cause, got %v", err)
		}
	}
	close(release)
	if err := <-done; err != nil {
		t.Errorf("the probe: %v", err)
	}
	if sent != threshold+1 {
		t.Errorf("want one probe, got %d", sent-threshold)
	}
}

// TestBreakerLateCalls ends calls after the circuit has opened that were sent
// before: one hiccup of the network fails all of them, and is one failure.
func TestBreakerLateCalls(t *testing.T) {
	c := clocktesting.NewFakePassiveClock(start)
	end := make(chan error)
	sent := make(chan struct{}, 100)
	b := newBreaker(roundTripper(func(*http.Request) (*http.Response, error) {
		sent <- struct{}{}
		if err := <-end; err != nil {
			return nil, err
		}
		return &http.Response{Body: http.NoBody}, nil
	}), c)
	done := make(chan error, 100)
	call := func() {
		res, err := b.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		if err == nil {
			_ = res.Body.Close()
		}
		done <- err
	}

	const calls = 20
	for range calls {
		go call()
	}
	for range calls {
		<-sent
	}
	for range calls - 1 {
		end <- errors.New("boom")
		<-done
	}
	c.SetTime(start.Add(firstBreak))
	if err := b.refused(); err != nil {
		t.Fatalf("the break is longer than after one failure: %v", err)
	}

	// The last of them ends while a probe is under way, and is not the probe.
	go call()
	<-sent
	end <- errors.New("boom") // It goes to one of the two; the other one is still under way.
	<-done
	if err := b.refused(); err == nil {
		t.Error("a second probe is let through beside the first, or the circuit is closed")
	}
	end <- nil
	<-done
}

func TestPause(t *testing.T) {
	got := []time.Duration{}
	for n := range 7 {
		got = append(got, pause(n))
	}
	want := []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second, 40 * time.Second, longestBreak, longestBreak, longestBreak}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pause(...): -want, +got:\n%s", diff)
	}
}
