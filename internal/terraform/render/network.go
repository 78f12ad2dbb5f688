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
	"net/netip"
	"strings"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// defaultNetwork is the network of a cluster that names none.
const defaultNetwork = "10.0.0.0/16"

// Networks that may become one of the cluster's own. The first that overlaps
// none of the others is taken, so a list must never be sorted anew: a cluster
// keeps its networks. Those for a network that is there are of RFC 6598
// (100.64.0.0/10), which hardly any network uses, since its own are not known.
var (
	vanillaPods     = []string{"192.168.0.0/16", "10.244.0.0/16", "172.20.0.0/16"}
	vanillaServices = []string{"10.96.0.0/16", "10.112.0.0/16", "172.30.0.0/16"}
	gkePods         = []string{"10.64.0.0/14", "172.16.0.0/14", "10.192.0.0/14"}
	gkeServices     = []string{"10.96.0.0/20", "10.112.0.0/20", "172.30.0.0/20"}
	gkeControlPlane = []string{"172.31.255.240/28", "192.168.255.240/28"}

	existingPods     = []string{"100.112.0.0/16"}
	existingServices = []string{"100.113.0.0/16"}
)

// network is the CIDR of the network that is made.
func (c *cluster) network() string {
	if c.Cluster.NetworkCIDR != nil {
		return *c.Cluster.NetworkCIDR
	}

	return defaultNetwork
}

// choose takes the first network of each list that overlaps none of those
// that are taken already.
func choose(taken []string, lists ...[]string) ([]string, error) {
	var out []string
	for _, list := range lists {
		chosen := ""
		for _, candidate := range list {
			if !overlaps(candidate, append(taken, out...)) {
				chosen = candidate
				break
			}
		}
		if chosen == "" {
			return nil, fault.New(fault.Refused, "networkCIDR overlaps every network for pods and services: use another, for instance "+defaultNetwork)
		}
		out = append(out, chosen)
	}

	return out, nil
}

func overlaps(cidr string, others []string) bool {
	p, err := netip.ParsePrefix(cidr)
	if err != nil {
		return true
	}
	for _, o := range others {
		if other, err := netip.ParsePrefix(o); err != nil || other.Overlaps(p) {
			return true
		}
	}

	return false
}

// existing is the argument of module vpc for a network that is there.
func existing(e *v1alpha1.ExistingNetwork) object {
	ids := make([]string, len(e.SubnetIDs))
	for i := range e.SubnetIDs {
		ids[i] = string(e.SubnetIDs[i])
	}

	return object{"id": e.ID, "subnet_ids": ids}
}

// gcpLocation splits a location into its region and, if it is one, its zone:
// europe-north1-a is a zone of europe-north1.
func gcpLocation(location string) (region, zone string) {
	i := strings.LastIndexByte(location, '-')
	if i > 0 && i == len(location)-2 && strings.Count(location, "-") == 2 {
		return location[:i], location
	}

	return location, ""
}

// gcpSubnet splits <subnet>#<pods range>,<services range>. The ranges are
// called pods and services if they are left out.
func gcpSubnet(s string) (subnet, pods, services string) {
	subnet, ranges, ok := strings.Cut(s, "#")
	if !ok {
		return subnet, "pods", "services"
	}
	pods, services, _ = strings.Cut(ranges, ",")

	return subnet, pods, services
}
