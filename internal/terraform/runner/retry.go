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
	"time"
)

// backoff returns the pause after a number of failures, none before the first.
func backoff(first time.Duration, failures int) time.Duration {
	if failures <= 0 {
		return 0
	}
	return min(first<<min(failures-1, 16), maxPause)
}

// pause waits. It returns false if the context ended before.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return ctx.Err() == nil
	}
}

// retry does something until it works, or for a time, at least once, and
// returns the last error.
func retry(ctx context.Context, within, first time.Duration, do func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for failures := 1; ; failures++ {
		err := do(ctx)
		if err == nil || !pause(bounded, backoff(first, failures)) {
			return err
		}
	}
}

// within does something that may take a time at most.
func within(ctx context.Context, most time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	return do(ctx)
}
