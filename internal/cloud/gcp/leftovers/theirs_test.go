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
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// all joins resources.
func all(lists ...any) []cloudtest.ComputeResource {
	var out []cloudtest.ComputeResource
	for _, l := range lists {
		switch l := l.(type) {
		case cloudtest.ComputeResource:
			out = append(out, l)
		case []cloudtest.ComputeResource:
			out = append(out, l...)
		}
	}
	return out
}

// namesOf resources, as the cloud tells those that are there.
func namesOf(list ...any) []string {
	out := []string{}
	for _, r := range all(list...) {
		out = append(out, path.Base(r.Path))
	}
	slices.Sort(out)
	return out
}

// TestTheirNetwork sweeps a network in which others live, too.
func TestTheirNetwork(t *testing.T) {
	custom := prod.group("front")
	empty := prod.group("k8s1-" + prod.id[:8] + "-web-empty-80-x")
	empty.Members = nil
	nodes := thing(zone+"instanceGroups/k8s-ig--"+prod.id, fields{"network": shared})
	nodes.Members = []string{prod.machine().Path}
	theirNodes := thing(zone+"instanceGroups/k8s-ig--"+shop.id, fields{"network": shared})
	theirNodes.Members = []string{shop.machine().Path}
	neither := thing(zone+"networkEndpointGroups/k8s1-0badcafe-web-front-80-x", fields{"network": shared})
	theirs := all(shop.machine(), shop.ingress("front"), shop.rule())
	gateway := func(users ...string) []cloudtest.ComputeResource {
		out := []cloudtest.ComputeResource{
			thing(global+"backendServices/gkegw1-ll1w-x", fields{
				"backends":     []fields{{"group": link(custom.Path)}},
				"healthChecks": []string{link(global + "healthChecks/gkegw1-ll1w-x")},
			}),
			thing(global+"healthChecks/gkegw1-ll1w-x", fields{}),
		}
		for _, u := range users {
			out = append(out, thing(global+"backendServices/"+u, fields{"healthChecks": []string{link(global + "healthChecks/gkegw1-ll1w-x")}}))
		}
		return out
	}

	cases := map[string]struct {
		reason string
		there  []cloudtest.ComputeResource
		want   []string
	}{
		"Ingress": {
			reason: "The rule for its machines tells whose an Ingress is, and the endpoints another one.",
			there:  all(prod.machine(), prod.ingress("front"), prod.rule(), theirs),
			want:   namesOf(prod.machine(), theirs),
		},
		"Endpoints": {
			reason: "Where there is no rule the endpoints tell; of those that have none the same marks.",
			there:  all(prod.machine(), prod.ingress("front"), empty, theirs),
			want:   namesOf(prod.machine(), theirs),
		},
		"NoPods": {
			reason: "Without any endpoints the rule alone tells.",
			there:  all(prod.machine(), prod.rule(), empty, shop.machine()),
			want:   namesOf(prod.machine(), shop.machine()),
		},
		"NobodyKnows": {
			reason: "A group without machines and without a mark of ours may be anybody's.",
			there:  all(prod.machine(), neither, shop.machine()),
			want:   namesOf(prod.machine(), neither, shop.machine()),
		},
		"Instances": {
			reason: "Older Ingresses lead to groups of machines.",
			there: all(prod.machine(), nodes, theirNodes, shop.machine(),
				thing(global+"backendServices/k8s-be-30080--"+prod.id, fields{
					"backends": []fields{{"group": link(nodes.Path)}}, "healthChecks": []string{link(global + "httpHealthChecks/k8s-be-30080--" + prod.id)},
				}),
				thing(global+"httpHealthChecks/k8s-be-30080--"+prod.id, fields{}),
				thing(global+"httpHealthChecks/k8s-"+prod.id+"-node", fields{}),
				thing(global+"httpHealthChecks/k8s-"+shop.id+"-node", fields{}),
			),
			want: namesOf(prod.machine(), theirNodes, shop.machine(), thing("httpHealthChecks/k8s-"+shop.id+"-node", nil)),
		},
		"Gateway": {
			reason: "A health check without a mark goes with the load balancer that it is for.",
			there:  all(prod.machine(), custom, gateway(), theirs),
			want:   namesOf(prod.machine(), theirs),
		},
		"SharedCheck": {
			reason: "A health check that others use, too, stays.",
			there:  all(prod.machine(), custom, gateway("office")),
			want:   namesOf(prod.machine(), gateway("office")[1:]),
		},
		"SharedRule": {
			reason: "A rule that is for others' machines, too, stays.",
			there: all(prod.machine(), shop.machine(), thing(global+"firewalls/gkegw1-l7-company-global", fields{
				"network": shared, "targetTags": []string{tagOf("ko-prod"), tagOf("shop")},
			})),
			want: namesOf(prod.machine(), shop.machine(), thing("firewalls/gkegw1-l7-company-global", nil)),
		},
		"Guests": {
			reason: "With another cluster's machines in the own network, what leads there may be that one's.",
			there: all(
				thing(zone+"instances/guest", fields{
					"labels": fields{clusterLabel: "guest", locationLabel: "europe-west1"}, "networkInterfaces": []fields{{"network": own}},
				}),
				ingress("guest", own)),
			want: namesOf(thing("instances/guest", nil), ingress("guest", own)),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, ts := start(t, tc.there...)
			if err := sweeperOf(nil).Network(t.Context(), ts); err != nil {
				t.Errorf("%s\nNetwork(): %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, s.Compute()); diff != "" {
				t.Errorf("%s\nNetwork(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAsks asks one group of each other cluster, and does not take a group that
// is gone for another cluster's.
func TestAsks(t *testing.T) {
	ours := []cloudtest.ComputeResource{prod.group("k8s1-" + prod.id[:8] + "-a"), prod.group("k8s1-" + prod.id[:8] + "-b")}
	theirs := []cloudtest.ComputeResource{shop.group("k8s1-" + shop.id[:8] + "-a"), shop.group("k8s1-" + shop.id[:8] + "-b")}
	s, ts := start(t, all(prod.machine(), shop.machine(), theirs, ours)...)
	s.Fail(cloudtest.Call{Service: "compute", Operation: "POST " + path.Base(ours[0].Path) + "/listNetworkEndpoints"}, 1, &cloudtest.Error{Status: http.StatusNotFound, Code: "notFound"})
	if err := sweeperOf(nil).Network(t.Context(), ts); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(namesOf(prod.machine(), shop.machine(), theirs), s.Compute()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	// Without machines of its own it would learn nothing.
	s.SetCompute(theirs...)
	if err := sweeperOf(nil).Network(t.Context(), ts); err != nil {
		t.Fatal(err)
	}
	asked := slices.DeleteFunc(s.Calls(), func(c cloudtest.Call) bool { return !strings.HasPrefix(c.Operation, "POST ") })
	if len(asked) != 4 {
		t.Errorf("want one question about the others in each of two rounds, and two about ours, got %v", asked)
	}
}

// TestUsed names what cannot go, and who uses it.
func TestUsed(t *testing.T) {
	ours := prod.group("k8s1-" + prod.id[:8] + "-web-front-80-x")
	theirs := thing(zone+"networkEndpointGroups/k8s1-0badcafe-web-front-80-x", fields{"network": shared})
	leads := func(name string, groups ...cloudtest.ComputeResource) cloudtest.ComputeResource {
		var backends []fields
		for _, g := range groups {
			backends = append(backends, fields{"group": link(g.Path)})
		}
		return thing(global+"backendServices/"+name, fields{"backends": backends})
	}

	cases := map[string]struct {
		reason string
		user   cloudtest.ComputeResource
		more   []cloudtest.ComputeResource
	}{
		"Office": {"A load balancer that people have made stays.", leads("office", ours), nil},
		"Gateway": {
			"So does one that leads to other clusters, too, with all that leads to it.", leads("gkegw1-ll1w-x", ours, theirs),
			[]cloudtest.ComputeResource{theirs, thing(global+"urlMaps/gkegw1-ll1w-x", fields{"defaultService": link(global + "backendServices/gkegw1-ll1w-x")})},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			there := all(prod.machine(), ours, tc.user, tc.more)
			s, ts := start(t, there...)
			err := sweeperOf(nil).Network(t.Context(), ts)
			if want := ours.Path + " (used by " + tc.user.Path + ")"; !fault.Is(err, fault.Unhealthy) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s Want %s, got %v", tc.reason, want, err)
			}
			if diff := cmp.Diff(namesOf(there), s.Compute()); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRights names all rights that are missing at once.
func TestRights(t *testing.T) {
	s, ts := start(t, all(prod.machine(), prod.ingress("front"), prod.rule())...)
	for call, right := range map[string]string{
		"GET aggregated/urlMaps":                 "compute.urlMaps.list",
		"GET global/httpHealthChecks":            "compute.httpHealthChecks.list",
		"DELETE firewalls/k8s-fw-l7--" + prod.id: "compute.firewalls.delete",
	} {
		s.Fail(cloudtest.Call{Service: "compute", Operation: call}, 1, &cloudtest.Error{
			Status: http.StatusForbidden, Code: "forbidden", Message: "Required '" + right + "' permission for 'projects/acme'",
		})
	}
	err := sweeperOf(nil).Network(t.Context(), ts)
	const want = "rights are missing in project acme: grant compute.urlMaps.list, compute.httpHealthChecks.list, compute.firewalls.delete"
	if !fault.Is(err, fault.Denied) || err.Error() != want {
		t.Errorf("want %s, got %v", want, err)
	}
}
