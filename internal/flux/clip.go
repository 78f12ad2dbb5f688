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

package flux

import (
	"regexp"
	"strings"
)

// maxMessage bounds what we repeat of Flux's messages, which may hold whole
// diffs, in bytes.
const maxMessage = 1024

// preamble is what Flux's controllers say before they come to the point.
var preamble = regexp.MustCompile(`(failed to checkout and determine revision|unable to (list remote for|clone) '[^']*'|` +
	`failed to fetch Helm repository index|failed to cache index to temporary file|chart pull error|` +
	`Helm (install|upgrade|test|rollback) failed for release \S+( with chart \S+)?|Failed to (install|upgrade) after \d+ attempt\(s\)): `)

// clip a message of Flux to one line of a bounded length that begins with the cause.
func clip(s string) string {
	s = strings.Join(strings.Fields(preamble.ReplaceAllString(s, "")), " ")
	s = strings.TrimSuffix(s, ":")
	if len(s) > maxMessage {
		return strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}
	return s
}
