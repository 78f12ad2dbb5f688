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

package render

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// versionsJSON says which Kubernetes versions were offered when it was written:
// for each topology the minor versions, newest first, with the newest patch.
//
//go:embed versions.json
var versionsJSON []byte

// A version of Kubernetes.
type version struct {
	minor int
	patch int
	// full tells whether patch was given or is known.
	full bool
}

// Minor is the minor version as EKS and GKE take it, 1.36.
func (v version) Minor() string { return fmt.Sprintf("1.%d", v.minor) }

// String is the patch version, 1.36.2.
func (v version) String() string { return fmt.Sprintf("1.%d.%d", v.minor, v.patch) }

// parseVersion reads 1.36, 1.36.2 and v1.36.2.
func parseVersion(s string) (version, bool) {
	parts := strings.Split(strings.TrimPrefix(s, "v"), ".")
	if len(parts) < 2 || len(parts) > 3 || parts[0] != "1" {
		return version{}, false
	}
	var n [2]int
	for i, p := range parts[1:] {
		v, err := strconv.ParseUint(p, 10, 10)
		if err != nil {
			return version{}, false
		}
		n[i] = int(v)
	}

	return version{minor: n[0], patch: n[1], full: len(parts) == 3}, true
}

// offered resolves a version that a user asked for. One that is known to have
// ended is refused, with those that are offered. One that is newer than all
// that was known is passed on: the cloud's own answer is better than old data.
// Where only a minor version is given, the newest patch that is known is
// taken; so a newer release of this data installs newer machines, which is
// why docs/modules.md recommends to write the patch.
func offered(t v1alpha1.Topology, s string) (version, error) {
	want, ok := parseVersion(s)
	if !ok {
		return version{}, fault.Newf(fault.Refused, "kubernetesVersion %q is not a Kubernetes version, for instance 1.36.2", s)
	}

	known, err := knownVersions(t)
	if err != nil {
		return version{}, err
	}
	if want.minor > known[0].minor {
		return want, nil
	}
	for _, k := range known {
		if k.minor != want.minor {
			continue
		}
		if !want.full {
			want.patch, want.full = k.patch, k.full
		}

		return want, nil
	}

	minors := make([]string, len(known))
	for i := range known {
		minors[i] = known[i].Minor()
	}

	return version{}, fault.Newf(fault.Refused, "Kubernetes %s is not offered any more for %s: use one of %s", want.Minor(), t, strings.Join(minors, ", "))
}

// knownVersions of a topology, newest first.
func knownVersions(t v1alpha1.Topology) ([]version, error) {
	data := struct {
		Topologies map[v1alpha1.Topology][]string `json:"topologies"`
	}{}
	if err := json.Unmarshal(versionsJSON, &data); err != nil {
		return nil, fault.Wrap(err, fault.Failing, "cannot read versions.json")
	}

	var out []version
	for _, s := range data.Topologies[t] {
		v, ok := parseVersion(s)
		if !ok {
			return nil, fault.Newf(fault.Failing, "versions.json has %q for %s, which is not a version", s, t)
		}
		out = append(out, v)
	}
	if len(out) == 0 {
		return nil, fault.Newf(fault.Refused, "topology %q is unknown: use vanilla_kubeadm, eks or gke", t)
	}

	return out, nil
}
