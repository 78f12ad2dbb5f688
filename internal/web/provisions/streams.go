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

package provisions

import (
	"net/http"
	"sync"
	"time"

	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

// streams counts the logs that are being read, so that nobody takes what there
// is for all.
type streams struct {
	max, each int

	mu  sync.Mutex
	all int
	of  map[string]int
}

func newStreams(limit, each int) *streams {
	return &streams{max: limit, each: each, of: map[string]int{}}
}

// take one for a user, and give it back with the function. It fails with 429
// if there are enough.
func (s *streams) take(user string) (func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= s.max || s.of[user] >= s.each {
		e := reply.Errorf(http.StatusTooManyRequests, reply.Busy, "%d logs are being read, %d of them by you, of at most %d and %d: end one first", s.all, s.of[user], s.max, s.each)
		e.RetryAfter = 10 * time.Second
		return nil, e
	}
	s.all++
	s.of[user]++
	return sync.OnceFunc(func() { s.give(user) }), nil
}

func (s *streams) give(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.of[user]--; s.of[user] == 0 {
		delete(s.of, user)
	}
}
