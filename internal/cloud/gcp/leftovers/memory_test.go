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
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/gcp"
)

// TestKilled ends a sweep after each thing that it removes, then takes the
// machines away: the next sweep goes on all the same.
func TestKilled(t *testing.T) {
	service := []cloudtest.ComputeResource{
		thing(region+"forwardingRules/a1", fields{"target": link(region + "targetPools/a1"), "description": made}),
		thing(region+"targetPools/a1", fields{"instances": []string{link(prod.machine().Path)}, "description": made}),
		thing(global+"httpHealthChecks/a1", fields{"description": made}),
	}
	service[1].Fields["healthChecks"] = []string{link(global + "httpHealthChecks/a1")}
	rule := thing(global+"firewalls/gke-ko-prod-1a2b3c4d-all", fields{"network": shared, "targetTags": []string{tagOf("ko-prod")}})
	theirs := all(shop.machine(), shop.ingress("front"), shop.rule())
	// The cluster's controllers make more until the machines are gone.
	late := prod.ingress("late")
	late[len(late)-1].Members = nil

	for stop := 1; ; stop++ {
		s, ts := start(t, all(prod.machine(), prod.ingress("front"), prod.rule(), service, rule, theirs)...)
		bucket := gcp.Bucket{Name: "kubeopera-terraform-state-prod", Project: "acme", Region: "europe-west1", Owner: "me"}
		if err := bucket.Ensure(t.Context(), ts); err != nil {
			t.Fatal(err)
		}
		note := gcp.Note{Bucket: bucket, Tokens: ts, Name: "leftovers.json"}

		ctx, kill := context.WithCancel(t.Context())
		first, removed := sweeperOf(note), 0
		first.Log = func(string) {
			if removed++; removed == stop {
				kill()
			}
		}
		err := first.Network(ctx, ts)
		kill()
		if removed < stop {
			if err != nil || removed < 10 {
				t.Errorf("removed %d, %v", removed, err)
			}
			break
		}

		s.LoseCompute(prod.machine().Path)
		s.AddCompute(late...)
		if err := sweeperOf(note).Network(t.Context(), ts); err != nil {
			t.Errorf("after %d removals: %v", stop, err)
		}
		if diff := cmp.Diff(namesOf(theirs), s.Compute()); diff != "" {
			t.Errorf("after %d removals: -want, +got:\n%s", stop, diff)
		}
	}
}

// TestCutName finds the rules of GKE under a name that it has cut.
func TestCutName(t *testing.T) {
	m := prod.machine()
	m.Fields["tags"] = fields{"items": []string{"gke-ko-p-1a2b3c4d-node"}}
	rule := thing(global+"firewalls/gke-ko-p-1a2b3c4d-all", fields{"network": shared})
	s, ts := start(t, m, rule)
	known := &memory{}
	for _, want := range [][]string{namesOf(m, rule), {}} {
		if err := sweeperOf(known).Network(t.Context(), ts); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, s.Compute()); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
		s.LoseCompute(m.Path)
	}
}

// TestRemembered writes only what is new.
func TestRemembered(t *testing.T) {
	s, ts := start(t, all(prod.machine(), prod.ingress("front"), prod.rule())...)
	m := &memory{}
	if err := sweeperOf(m).Network(t.Context(), ts); err != nil {
		t.Fatal(err)
	}
	first := string(m.data)
	for _, want := range []string{prod.machine().Path, "uid/" + prod.uid, "hash/" + prod.hash, "id/" + prod.id[:8], "node/gke-ko-prod-1a2b3c4d", "firewalls/k8s-fw-l7--" + prod.id} {
		if !strings.Contains(first, want) {
			t.Errorf("%s must be known: %s", want, first)
		}
	}
	s.SetCompute()
	m.data = append(m.data, ' ') // Would be gone if it were written again.
	if err := sweeperOf(m).Network(t.Context(), ts); err != nil || string(m.data) != first+" " {
		t.Errorf("Network() of nothing new: %v, %s", err, m.data)
	}
	m.data = []byte("{")
	if err := sweeperOf(m).Network(t.Context(), ts); err == nil {
		t.Error("What cannot be read must not be taken for nothing")
	}
}
