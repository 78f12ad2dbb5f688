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

package leftovers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// required is how Google names the right that a call takes.
var required = regexp.MustCompile(`Required '([a-zA-Z.]+)' permission`)

// rights that are missing. They are gathered, so that nobody has to grant one
// after the other.
type rights struct{ missing []string }

// took tells whether an error named a missing right, which is then noted.
func (r *rights) took(err error) bool {
	if !fault.Is(err, fault.Denied) {
		return false
	}
	name := first(required, err.Error())
	if name != "" && !slices.Contains(r.missing, name) {
		r.missing = append(r.missing, name)
	}
	return name != ""
}

// in a project: an error that names the missing rights; nil if there are none.
func (r *rights) in(project string) error {
	if len(r.missing) == 0 {
		return nil
	}
	return fault.Newf(fault.Denied, "rights are missing in project %s: grant %s", project, strings.Join(r.missing, ", "))
}
