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

// Package inventory tells what a cluster consists of. It is pure: it looks at
// objects that somebody else has read.
package inventory

import (
	"cmp"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Unknown is the provider or region of nodes that do not tell it.
const Unknown = "unknown"

// oldRegionLabel is where nodes of Kubernetes before 1.17 carry their region.
const oldRegionLabel = "failure-domain.beta.kubernetes.io/region"

// longest is the longest provider or region, as for a label's value.
const longest = 63

// Cloud is where nodes run.
type Cloud struct {
	// Provider is a name such as aws, or Unknown.
	Provider string
	// Region is the provider's own name of the region, or Unknown.
	Region string
}

// names of the providers whose providerIDs begin otherwise.
var names = map[string]string{
	"gce":    "gcp",
	"hcloud": "hetzner",
	"oci":    "oracle",
}

var (
	scheme = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)
	// An AWS zone is not always the region and one letter: local zones
	// (us-west-2-lax-1a) and wavelength zones (us-east-1-wl1-bos-wlz-1) begin
	// with their region, too.
	awsRegion = regexp.MustCompile(`^[a-z]+(-[a-z]+)+-[0-9]+`)
	// A GCE zone is its region and a letter, a Scaleway one its region and a number.
	lastPart = regexp.MustCompile(`-[a-z0-9]+$`)
)

// CloudOf tells where nodes run, by a vote: one odd node decides nothing. Nodes
// that do not tell vote for Unknown, which loses a tie.
func CloudOf(nodes []corev1.Node) Cloud {
	providers := map[string]int{}
	for _, n := range nodes {
		providers[locate(n).Provider]++
	}
	c := Cloud{Provider: winner(providers)}

	regions := map[string]int{}
	for _, n := range nodes {
		if at := locate(n); at.Provider == c.Provider {
			regions[at.Region]++
		}
	}
	c.Region = winner(regions)
	return c
}

// winner returns what has most votes; of equal ones the first by name.
func winner(votes map[string]int) string {
	best := Unknown
	for v, n := range votes {
		switch d := cmp.Compare(n, votes[best]); {
		case v == Unknown || v == best:
		case d > 0, d == 0 && (best == Unknown || v < best):
			best = v
		}
	}
	return best
}

// locate tells where one node runs. Its labels know the region best.
func locate(n corev1.Node) Cloud {
	c := parseProviderID(n.Spec.ProviderID)
	c.Region = cmp.Or(n.Labels[corev1.LabelTopologyRegion], n.Labels[oldRegionLabel], c.Region, Unknown)
	if len(c.Region) > longest {
		c.Region = Unknown // No API server takes such a label.
	}
	return c
}

// parseProviderID reads what a cloud controller manager writes to a node. The
// region is empty if it is not in there.
func parseProviderID(id string) Cloud {
	if region, ok := oracleRegion(id); ok {
		return Cloud{Provider: "oracle", Region: region}
	}
	name, rest, ok := strings.Cut(id, "://")
	if !ok || !scheme.MatchString(name) {
		return Cloud{Provider: Unknown}
	}

	c := Cloud{Provider: cmp.Or(names[name], name)}
	parts := strings.Split(rest, "/")
	part := func(i int) string {
		if i < len(parts) {
			return parts[i]
		}
		return ""
	}
	switch name {
	case "aws": // The form is aws:///<zone>/<instance>.
		c.Region = awsRegion.FindString(part(1))
	case "gce": // The form is gce://<project>/<zone>/<name>.
		c.Region = lastPart.ReplaceAllString(part(1), "")
	case "scaleway": // The form is scaleway://instance/<zone>/<uuid>.
		c.Region = lastPart.ReplaceAllString(part(1), "")
	case "openstack", "proxmox": // The form is openstack://<region>/<uuid>; the region may be missing.
		if len(parts) > 1 {
			c.Region = part(0)
		}
	}
	return c
}

// oracleRegion reads an OCID, with or without oci:// before it:
// ocid1.instance.<realm>.<region>.<unique>.
func oracleRegion(id string) (string, bool) {
	ocid := strings.TrimPrefix(id, "oci://")
	if !strings.HasPrefix(ocid, "ocid1.") {
		return "", false
	}
	parts := strings.Split(ocid, ".")
	if len(parts) < 5 {
		return "", true
	}
	return parts[3], true
}
