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

package cloudtest

import (
	"time"

	"k8s.io/utils/clock"
)

// Hasty is a clock on which nobody waits: whoever asks to be woken is, at once.
type Hasty struct {
	clock.RealClock

	now time.Time
}

// NewHasty returns a clock that stands at the beginning of time.
func NewHasty() *Hasty { return &Hasty{now: time.Unix(0, 0)} }

// Now is the time until which others have waited.
func (h *Hasty) Now() time.Time { return h.now }

// After does not wait.
func (h *Hasty) After(d time.Duration) <-chan time.Time {
	h.now = h.now.Add(d)
	c := make(chan time.Time, 1)
	c <- h.now
	return c
}
