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
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/sweep"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

func TestSweep(t *testing.T) {
	cases := map[string]struct {
		reason   string
		there    []cloudtest.ComputeResource
		network  []string
		rest     []string
		networks fault.Class
	}{
		"Nothing": {reason: "There is nothing to do.", network: []string{}, rest: []string{}},
		"Ingress": {
			reason:  "All that an Ingress made goes, in the order that Google wants, and nothing of another cluster's.",
			there:   append(ingress("a", own), ingress("b", other)...),
			network: []string{"k8s1-be-b", "k8s1-neg-b", "k8s2-fr-b", "k8s2-tp-b", "k8s2-um-b"},
			rest:    []string{"k8s1-be-b", "k8s1-neg-b", "k8s2-fr-b", "k8s2-tp-b", "k8s2-um-b"},
		},
		"Service": {
			reason: "A Service's load balancer is known by the machines that it leads to, in a network of somebody else's, too.",
			there: []cloudtest.ComputeResource{
				machine("gke-ko-prod-nodes-0", "ko-prod"), machine("gke-ko-prod-2-nodes-0", "ko-prod-2"),
				thing(region+"forwardingRules/a1", fields{"target": link(region + "targetPools/a1"), "description": made}),
				thing(region+"targetPools/a1", fields{"instances": []string{link(zone + "instances/gke-ko-prod-nodes-0")}, "description": made}),
				thing(global+"firewalls/k8s-fw-a1", fields{"network": other, "targetTags": []string{"gke-ko-prod-1a2b3c4d-node"}, "description": made}),
				thing(region+"forwardingRules/b1", fields{"target": link(region + "targetPools/b1"), "description": made}),
				thing(region+"targetPools/b1", fields{"instances": []string{link(zone + "instances/gke-ko-prod-2-nodes-0")}, "description": made}),
				thing(global+"firewalls/k8s-fw-b1", fields{"network": other, "targetTags": []string{"gke-ko-prod-2-1a2b3c4d-node"}, "description": made}),
				thing(global+"firewalls/k8s-web", fields{"network": other, "targetTags": []string{"web"}, "description": made}),
			},
			network: []string{"b1", "b1", "gke-ko-prod-2-nodes-0", "gke-ko-prod-nodes-0", "k8s-fw-b1", "k8s-web"},
			rest:    []string{"b1", "b1", "gke-ko-prod-2-nodes-0", "gke-ko-prod-nodes-0", "k8s-fw-b1", "k8s-web"},
		},
		"Own": {
			reason: "What GKE and Terraform made stays as long as there are machines, and people's own always.",
			there: []cloudtest.ComputeResource{
				machine("gke-ko-prod-nodes-0", "ko-prod"),
				thing(global+"firewalls/gke-ko-prod-1a2b3c4d-all", fields{"network": own}),
				thing(global+"firewalls/office", fields{"network": own, "description": "for the office"}),
				thing(zone+"instanceGroups/gke-ko-prod-nodes-grp", fields{"network": own}),
			},
			network: []string{"gke-ko-prod-1a2b3c4d-all", "gke-ko-prod-nodes-0", "gke-ko-prod-nodes-grp", "office"},
			rest:    []string{"gke-ko-prod-1a2b3c4d-all", "gke-ko-prod-nodes-0", "gke-ko-prod-nodes-grp", "office"},
		},
		"Gone": {
			reason: "Rules that GKE has left in the network keep it from going.",
			there: []cloudtest.ComputeResource{
				{Path: global + "firewalls/gke-ko-prod-1a2b3c4d-all", Fields: fields{"network": own}, Lingers: 3},
				thing(global+"firewalls/gke-ko-prod-2-1a2b3c4d-all", fields{"network": other}),
			},
			network: []string{"gke-ko-prod-2-1a2b3c4d-all"}, rest: []string{"gke-ko-prod-2-1a2b3c4d-all"},
		},
		"Disks": {
			reason: "Disks of claims go once nothing uses them.",
			there: []cloudtest.ComputeResource{
				disk("pvc-1", "ko-prod", fields{"description": `{"kubernetes.io/created-for/pvc/name":"data"}`}),
				disk("pvc-2", "ko-prod", fields{"description": `{"kubernetes.io/created-for/pvc/name":"data"}`, "users": []string{"x"}}),
				disk("pvc-3", "ko-prod-2", fields{"description": `{"kubernetes.io/created-for/pvc/name":"data"}`}),
				disk("boot", "ko-prod", fields{}),
			},
			network: []string{"boot", "pvc-1", "pvc-2", "pvc-3"}, rest: []string{"boot", "pvc-2", "pvc-3"},
		},
		"Stuck": {
			reason: "The wait is bounded, and names what is in the way.",
			there: []cloudtest.ComputeResource{
				thing(zone+"networkEndpointGroups/k8s1-neg", fields{"network": own}),
				thing(global+"backendServices/shop", fields{"backends": []fields{{"group": link(zone + "networkEndpointGroups/k8s1-neg")}}}),
			},
			network: []string{"k8s1-neg", "shop"}, rest: []string{"k8s1-neg", "shop"}, networks: fault.Unhealthy,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, ts := start(t, tc.there...)
			sweeper := sweeperOf(nil)

			err := sweeper.Network(t.Context(), ts)
			if tc.networks == "" && err != nil || tc.networks != "" && !fault.Is(err, tc.networks) {
				t.Errorf("%s\nNetwork(): want class %q, got %v", tc.reason, tc.networks, err)
			}
			if diff := cmp.Diff(tc.network, s.Compute()); diff != "" {
				t.Errorf("%s\nNetwork(): -want, +got:\n%s", tc.reason, diff)
			}
			if err := sweeper.Rest(t.Context(), ts); err != nil {
				t.Errorf("%s\nRest(): %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.rest, s.Compute()); diff != "" {
				t.Errorf("%s\nRest(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDenied(t *testing.T) {
	s := cloudtest.Start(t)
	s.SetEnv(t)
	sweeper := &Sweeper{Loop: sweep.Loop{Cluster: "ko-prod"}, Project: "acme"}
	err := sweeper.Rest(t.Context(), oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "stolen"}))
	if !fault.Is(err, fault.Denied) {
		t.Errorf("want class %s, got %v", fault.Denied, err)
	}
	if err := (&Sweeper{Project: "acme"}).Rest(t.Context(), oauth2.StaticTokenSource(&oauth2.Token{})); err == nil {
		t.Error("without a cluster's name everything would be a leftover")
	}
}
