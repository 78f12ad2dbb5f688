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

package function

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
)

const (
	inputCompose = `
apiVersion: function.kubeopera.io/v1beta1
kind: Input
hostCluster:
  base:
    spec: {mode: in_cluster}
  patches:
    - {fromFieldPath: spec.region, required: true}
    - {fromFieldPath: spec.size, toFieldPath: spec.provider, map: {small: on-premises, "7": {a: b}}}
    - {fromFieldPath: metadata.name, toFieldPath: "metadata.labels[example.org/of]", format: of-%s}
  statusPatches:
    - {fromFieldPath: status.phase}
`

	xrTeam = `
apiVersion: example.org/v1
kind: TeamCluster
metadata: {name: payments, namespace: team}
spec: {region: stockholm, size: small}
`

	composedReady = `
apiVersion: kubeopera.io/v1alpha1
kind: HostCluster
metadata: {name: payments, namespace: team, generation: 2}
spec: {mode: in_cluster}
status:
  phase: Ready
  message: This cluster is registered.
  conditions: [{type: Ready, status: "True", reason: Available, observedGeneration: 2, lastTransitionTime: "2026-11-01T00:00:00Z"}]
`
)

// TestCompose makes a HostCluster of somebody else's XR.
func TestCompose(t *testing.T) {
	type want struct {
		hostCluster map[string]any
		ready       fnv1.Ready
		phase       string
		condition   fnv1.Status
		message     string
	}

	hc := map[string]any{
		"apiVersion": "kubeopera.io/v1alpha1",
		"kind":       "HostCluster",
		"metadata":   map[string]any{"name": "payments", "namespace": "team", "labels": map[string]any{"example.org/of": "of-payments"}},
		"spec":       map[string]any{"mode": "in_cluster", "region": "stockholm", "provider": "on-premises"},
	}

	cases := map[string]struct {
		reason   string
		observed map[string]string
		want     want
	}{
		"New": {
			reason: "The XR is told that its cluster is not there yet.",
			want:   want{hc, fnv1.Ready_READY_FALSE, "", fnv1.Status_STATUS_CONDITION_FALSE, "The HostCluster is being created"},
		},
		"Ready": {
			reason:   "The XR is told how its cluster is.",
			observed: map[string]string{"host-cluster": composedReady},
			want:     want{hc, fnv1.Ready_READY_TRUE, "Ready", fnv1.Status_STATUS_CONDITION_TRUE, "This cluster is registered."},
		},
		"Stale": {
			reason:   "What a HostCluster says of an earlier spec does not count.",
			observed: map[string]string{"host-cluster": strings.Replace(composedReady, "observedGeneration: 2", "observedGeneration: 1", 1)},
			want:     want{hc, fnv1.Ready_READY_FALSE, "Ready", fnv1.Status_STATUS_CONDITION_FALSE, "The HostCluster does not know its present spec yet"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp, fatal, _ := run(t, requestOf(t, inputCompose, xrTeam, tc.observed))
			if fatal != "" {
				t.Fatalf("\n%s\n%s", tc.reason, fatal)
			}

			r := rsp.GetDesired().GetResources()["host-cluster"]
			if diff := cmp.Diff(tc.want.hostCluster, r.GetResource().AsMap()); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}

			xr := rsp.GetDesired().GetComposite()
			phase := xr.GetResource().GetFields()["status"].GetStructValue().GetFields()["phase"].GetStringValue()

			if r.GetReady() != tc.want.ready || xr.GetReady() != fnv1.Ready_READY_UNSPECIFIED || phase != tc.want.phase {
				t.Errorf("\n%s\nwant %s and phase %q, got %s and %q", tc.reason, tc.want.ready, tc.want.phase, r.GetReady(), phase)
			}

			c := rsp.GetConditions()[0]
			if c.GetType() != "HostClusterReady" || c.GetStatus() != tc.want.condition || !strings.HasPrefix(c.GetMessage(), tc.want.message) {
				t.Errorf("\n%s\ncondition: %v", tc.reason, c)
			}
		})
	}
}

// TestComposeFatal: a template that makes no HostCluster says where it is wrong.
func TestComposeFatal(t *testing.T) {
	template := func(s string) string {
		return "{apiVersion: function.kubeopera.io/v1beta1, kind: Input, hostCluster: " + s + "}"
	}

	cases := map[string]struct {
		reason   string
		input    string
		observed map[string]string
		want     string
	}{
		"Empty": {
			reason: "A HostCluster needs a mode.",
			input:  template("{}"),
			want:   `the template does not make a HostCluster that works: cannot plan: spec.mode "" is not a mode`,
		},
		"UnknownField": {
			reason: "A misspelt field would be without effect.",
			input:  template("{base: {spec: {mode: in_cluster, reqion: a}}}"),
			want:   `unknown field "spec.reqion"`,
		},
		"Base": {
			reason: "A base is an object.",
			input:  template("{base: [1]}"),
			want:   "cannot read hostCluster.base of the input",
		},
		"Required": {
			reason: "What the platform needs of its users must be there.",
			input:  template("{base: {spec: {mode: in_cluster}}, patches: [{fromFieldPath: spec.size}, {fromFieldPath: spec.owner, required: true}]}"),
			want:   "hostCluster.patches[1]: spec.owner is required",
		},
		"Map": {
			reason: "A value that is not in the map is not one of the platform's.",
			input:  template("{patches: [{fromFieldPath: spec.size, map: {large: 3, medium: 2}}]}"),
			want:   `hostCluster.patches[0]: spec.size is "small", and must be one of: large, medium`,
		},
		"Format": {
			reason: "A format has one place for the value.",
			input:  template("{patches: [{fromFieldPath: spec.size, format: '%d of %s'}]}"),
			want:   `format "%d of %s" must have %s in one place`,
		},
		"Path": {
			reason: "A path is a path.",
			input:  template("{patches: [{fromFieldPath: 'spec.[', toFieldPath: spec.region}]}"),
			want:   "hostCluster.patches[0]: cannot read spec.[",
		},
		"Through": {
			reason: "A value has no fields.",
			input:  template("{base: {spec: {mode: in_cluster}}, patches: [{fromFieldPath: spec.size, toFieldPath: spec.mode.of}]}"),
			want:   "hostCluster.patches[0]: cannot write spec.mode.of",
		},
		"StatusOnly": {
			reason:   "A function may set an XR's status only.",
			input:    template("{base: {spec: {mode: in_cluster}}, statusPatches: [{fromFieldPath: spec.mode}]}"),
			observed: map[string]string{"host-cluster": composedReady},
			want:     "may write to status only",
		},
		"Garbage": {
			reason:   "What is observed may be anything.",
			input:    template("{base: {spec: {mode: in_cluster}}}"),
			observed: map[string]string{"host-cluster": "{spec: 7}"},
			want:     `cannot read observed resource "host-cluster"`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, fatal, _ := run(t, requestOf(t, tc.input, xrTeam, tc.observed))
			if !strings.Contains(fatal, tc.want) {
				t.Errorf("\n%s\nwant %q, got %q", tc.reason, tc.want, fatal)
			}
		})
	}
}
