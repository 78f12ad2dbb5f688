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
	"regexp"
	"slices"
	"strings"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// A holder has the state's lock. OpenTofu tells of it in a diagnostic, in no
// other way.
type holder struct {
	ID, Path, Operation, Who, Created string
}

var lockLine = regexp.MustCompile(`(?m)^[\s│|]*(ID|Path|Operation|Who|Created):[ \t]*(.*?)[ \t]*$`)

// parseHolder reads who holds the lock out of a diagnostic.
func parseHolder(text string) (holder, bool) {
	_, info, ok := strings.Cut(text, "Lock Info:")
	if !ok {
		return holder{}, false
	}
	var h holder
	fields := map[string]*string{"ID": &h.ID, "Path": &h.Path, "Operation": &h.Operation, "Who": &h.Who, "Created": &h.Created}
	for _, m := range lockLine.FindAllStringSubmatch(info, -1) {
		if f := fields[m[1]]; *f == "" {
			*f = m[2]
		}
	}
	return h, h.ID != ""
}

// host on which the holder runs: Who is user@host.
func (h holder) host() string {
	return h.Who[strings.LastIndex(h.Who, "@")+1:]
}

// gone tells whether the holder has provably ended: it ran on a host that is
// known to have ended, or on this one, where nobody else holds the host's own
// lock for this state while we have it.
func (h holder) gone(ended []string, self string) bool {
	host := h.host()
	return host != "" && (host == self || slices.Contains(ended, host))
}

// locked says that somebody else holds the lock, and what can be done.
func (h holder) locked(s run.State) error {
	object := s.Key + ".tflock"
	if s.Backend == "gcs" {
		object = s.Key + "/default.tflock"
	}
	return failf(run.ClassLock, "state locked by %s since %s (%s): another run is at work; if it has ended for certain, delete %s from bucket %s",
		h.Who, h.Created, h.Operation, object, s.Bucket)
}
