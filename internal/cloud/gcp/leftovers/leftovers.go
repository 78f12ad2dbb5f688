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

// Package leftovers removes what a cluster's own controllers made in its Google
// Cloud project and Terraform knows nothing of: load balancers of Services and
// Ingresses with their endpoint groups and firewall rules, and disks of claims.
// Left alone they cost money and keep the network from being destroyed.
//
// A load balancer has no name of its cluster. It is known by what it leads to:
// endpoint groups and rules in the network that is the cluster's own, or the
// cluster's machines. Where the network is somebody else's, endpoint groups do
// not tell whose they are, and stay.
package leftovers

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/oauth2"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/sweep"
)

// Labels that GKE gives to machines and disks.
const (
	clusterLabel  = "goog-k8s-cluster-name"
	locationLabel = "goog-k8s-cluster-location"
)

// Words in the descriptions that Kubernetes' controllers write.
const (
	claimWord      = "kubernetes.io/created-for/pvc/name"
	kubernetesWord = "kubernetes.io/"
	gkeWord        = "networking.gke.io/"
)

// Collections of the API, in the order in which load balancers are taken apart.
var balancers = []string{
	"forwardingRules", "targetHttpProxies", "targetHttpsProxies", "urlMaps", "backendServices", "networkEndpointGroups", "instanceGroups", "targetPools",
}

const (
	firewalls = "firewalls"
	instances = "instances"
	disks     = "disks"
)

// A Sweeper removes the leftovers of one cluster.
type Sweeper struct {
	sweep.Loop

	// Project and Location of the cluster: a region or a zone.
	Project, Location string

	api *compute
}

// Network removes load balancers with all that belongs to them, and firewall
// rules, and waits until they are gone. It is for the time before Terraform
// destroys the network, and again whenever that fails on a dependency.
func (s *Sweeper) Network(ctx context.Context, ts oauth2.TokenSource) error {
	s.api = newCompute(s.Project, ts)
	return s.Until(ctx, s.network)
}

// Rest removes disks of claims that no machine uses any more, and waits until
// they are gone.
func (s *Sweeper) Rest(ctx context.Context, ts oauth2.TokenSource) error {
	s.api = newCompute(s.Project, ts)
	return s.Until(ctx, s.disks)
}

func (s *Sweeper) network(ctx context.Context) ([]string, error) {
	machines, err := s.api.list(ctx, instances)
	if err != nil {
		return nil, err
	}
	machines = slices.DeleteFunc(machines, func(r resource) bool { return !s.labelled(r) })
	var there []resource
	for _, kind := range append(slices.Clone(balancers), firewalls) {
		found, err := s.api.list(ctx, kind)
		if err != nil {
			return nil, err
		}
		there = append(there, found...)
	}
	return s.remove(ctx, ours(there, s.ownNetwork(), s.Cluster, machines))
}

func (s *Sweeper) disks(ctx context.Context) ([]string, error) {
	all, err := s.api.list(ctx, disks)
	if err != nil {
		return nil, err
	}
	return s.remove(ctx, slices.DeleteFunc(all, func(r resource) bool {
		return !s.labelled(r) || len(r.Users) > 0 || !strings.Contains(r.Description, claimWord)
	}))
}

// remove what is there, and return what still is.
func (s *Sweeper) remove(ctx context.Context, found []resource) ([]string, error) {
	var left []string
	for _, r := range found {
		left = append(left, r.path)
		accepted, err := s.api.remove(ctx, r)
		if err != nil {
			return nil, err
		}
		if accepted {
			s.Say(r.path)
		}
	}
	return left, nil
}

// ownNetwork is the path of the network that module gcp-network makes.
func (s *Sweeper) ownNetwork() string {
	return "projects/" + s.Project + "/global/networks/" + s.Cluster
}

func (s *Sweeper) labelled(r resource) bool {
	return r.Labels[clusterLabel] == s.Cluster && r.Labels[locationLabel] == s.Location
}

// ours are those of some resources that controllers of a cluster made, in the
// order in which they can be deleted. It is pure.
func ours(there []resource, network, cluster string, machines []resource) []resource {
	known := map[string]bool{}
	tags := map[string]bool{}
	for _, m := range machines {
		known[m.path] = true
		for _, t := range m.Tags.Items {
			// GKE gives each cluster's machines a tag of their own; others may be shared.
			tags[t] = tags[t] || strings.HasPrefix(t, "gke-"+cluster+"-")
		}
	}

	mine := map[string]bool{}
	// What leads to something that is ours is ours, and so on upwards.
	for more := true; more; {
		more = false
		for _, r := range there {
			if mine[r.path] || !r.byKubernetes(len(machines) == 0, cluster) {
				continue
			}
			leads := slices.ContainsFunc(r.refers, func(p string) bool { return p == network || known[p] })
			if leads || slices.ContainsFunc(r.TargetTags, func(t string) bool { return tags[t] }) {
				mine[r.path], known[r.path], more = true, true, true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(there), func(r resource) bool { return !mine[r.path] })
}

// byKubernetes tells whether a controller has made something: its name or its
// description says so. What GKE itself made goes with the cluster; once there
// are no machines any more, what is left of that goes, too.
func (r resource) byKubernetes(gone bool, cluster string) bool {
	return strings.HasPrefix(r.Name, "k8s") || strings.Contains(r.Description, kubernetesWord) || strings.Contains(r.Description, gkeWord) ||
		gone && r.kind == firewalls && strings.HasPrefix(r.Name, "gke-"+cluster+"-")
}
