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
	"fmt"
	"strconv"
	"strings"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// A release of Kubernetes.
type release struct{ minor, patch int }

func (r release) String() string { return fmt.Sprintf("1.%d.%d", r.minor, r.patch) }

func (r release) before(o release) bool {
	return r.minor < o.minor || r.minor == o.minor && r.patch < o.patch
}

// parseRelease reads 1.36.2.
func parseRelease(s string) (release, bool) {
	parts := strings.Split(s, ".")
	if len(parts) != 3 || parts[0] != "1" {
		return release{}, false
	}
	minor, err := strconv.ParseUint(parts[1], 10, 16)
	if err != nil {
		return release{}, false
	}
	patch, err := strconv.ParseUint(parts[2], 10, 16)
	if err != nil {
		return release{}, false
	}
	return release{minor: int(minor), patch: int(patch)}, true
}

// reached tells whether the control planes are of a version. What they have is
// theirs, or that of the oldest and the one that they are being upgraded to. A
// version that they can not be upgraded to is refused: kubeadm goes one minor
// version at a time, and never back.
func reached(have, want string) (bool, error) {
	to, ok := parseRelease(want)
	if !ok {
		return false, failf(run.ClassInvalid, "kubernetes_version %q is not a version with its patch, for instance 1.36.2", want)
	}
	fields := strings.Fields(have)
	if len(fields) == 0 || len(fields) > 2 {
		return false, failf(run.ClassInvalid, "parameter version holds %q, which is not a version", have)
	}
	from, ok := parseRelease(fields[0])
	begun, ok2 := parseRelease(fields[len(fields)-1])
	switch {
	case !ok || !ok2:
		return false, failf(run.ClassInvalid, "parameter version holds %q, which is not a version", have)
	case to.before(begun):
		return false, failf(run.ClassInvalid, "Kubernetes cannot go back from %s to %s: set kubernetesVersion to %s or a newer one", begun, to, begun)
	case to.minor > from.minor+1:
		return false, failf(run.ClassInvalid, "Kubernetes cannot skip from %s to %s: set kubernetesVersion to 1.%d first", from, to, from.minor+1)
	default:
		return len(fields) == 1 && from == to, nil
	}
}
