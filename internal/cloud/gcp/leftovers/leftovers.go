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
// Cloud project and Terraform knows nothing of: load balancers of Services,
// Ingresses and Gateways with their endpoint groups, health checks and firewall
// rules, and disks of claims. Left alone they cost money and keep the network
// from being destroyed.
//
// A load balancer has no name of its cluster. It is known by what it leads to:
// the network that is the cluster's own, or the cluster's machines; and by marks
// in names and descriptions, which are learned from what leads to the machines
// and kept for the time when they are gone.
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

// claimWord is in the description of a disk that was made for a claim.
const claimWord = "kubernetes.io/created-for/pvc/name"

// A Sweeper removes the leftovers of one cluster.
type Sweeper struct {
	sweep.Loop

	// Project and Location of the cluster: a region or a zone.
	Project, Location string
	// Memory of what is known, if there is one.
	Memory Memory

	api   *compute
	known knowledge
}

// Network removes load balancers with all that belongs to them, and firewall
// rules, and waits until they are gone. It is for the time before Terraform
// destroys machines and network, and again for the time after.
func (s *Sweeper) Network(ctx context.Context, ts oauth2.TokenSource) error {
	s.api = newCompute(s.Project, ts)
	if err := s.recall(ctx); err != nil {
		return err
	}
	return s.Until(ctx, s.network)
}

// Rest removes disks of claims that no machine uses any more, and waits until
// they are gone.
func (s *Sweeper) Rest(ctx context.Context, ts oauth2.TokenSource) error {
	s.api = newCompute(s.Project, ts)
	return s.Until(ctx, s.disks)
}

func (s *Sweeper) network(ctx context.Context) ([]string, error) {
	all, err := s.api.list(ctx, instances)
	if err != nil {
		return nil, err
	}
	lack := &rights{}
	var there []resource
	for _, kind := range balancers {
		found, err := s.api.list(ctx, kind)
		if err != nil && !lack.took(err) {
			return nil, err
		}
		there = append(there, found...)
	}

	machines := slices.DeleteFunc(slices.Clone(all), func(r resource) bool { return !s.labelled(r) })
	before := s.known.size()
	s.known.meet(machines, s.Cluster)
	s.known.learn(there)
	if err := s.ask(ctx, there, lack); err != nil {
		return nil, err
	}
	ours := s.known.ours(there, s.ownNetwork(all), s.Cluster, len(machines) == 0)
	for _, r := range ours {
		s.known.Made[r.path] = true
	}
	if s.known.size() != before {
		if err := s.remember(ctx); err != nil {
			return nil, err
		}
	}
	left, err := s.remove(ctx, ours, lack)
	if err != nil {
		return nil, err
	}
	return left, lack.in(s.Project)
}

func (s *Sweeper) disks(ctx context.Context) ([]string, error) {
	all, err := s.api.list(ctx, disks)
	if err != nil {
		return nil, err
	}
	lack := &rights{}
	left, err := s.remove(ctx, slices.DeleteFunc(all, func(r resource) bool {
		return !s.labelled(r) || len(r.Users) > 0 || !strings.Contains(r.Description, claimWord)
	}), lack)
	if err != nil {
		return nil, err
	}
	return left, lack.in(s.Project)
}

// remove what is there, and return what still is.
func (s *Sweeper) remove(ctx context.Context, found []resource, lack *rights) ([]string, error) {
	var left []string
	for _, r := range found {
		accepted, user, err := s.api.remove(ctx, r)
		if err != nil && !lack.took(err) {
			return nil, err
		}
		if accepted {
			s.Say(r.path)
		}
		what := r.path
		if user != "" {
			what += " (used by " + user + ")"
		}
		left = append(left, what)
	}
	return left, nil
}

// ownNetwork is the path of the network that module gcp-network makes. With
// machines of another cluster in it, it tells nothing of what leads there.
func (s *Sweeper) ownNetwork(machines []resource) string {
	own := "projects/" + s.Project + "/global/networks/" + s.Cluster
	shared := slices.ContainsFunc(machines, func(r resource) bool {
		return r.Labels[clusterLabel] != "" && !s.labelled(r) && slices.Contains(r.refers, own)
	})
	if shared {
		return ""
	}
	return own
}

func (s *Sweeper) labelled(r resource) bool {
	return r.Labels[clusterLabel] == s.Cluster && r.Labels[locationLabel] == s.Location
}
