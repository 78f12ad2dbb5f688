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
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
)

// now is what the functions under test take for the present time.
var now = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

func newFunction() *Function { return New(logging.NewNopLogger(), testclock.NewFakePassiveClock(now)) }

const (
	inputStep     = "{apiVersion: function.kubeopera.io/v1beta1, kind: Input, preview: Step}"
	inputComplete = "{apiVersion: function.kubeopera.io/v1beta1, kind: Input, preview: Complete}"

	xrConnect = `
apiVersion: kubeopera.io/v1alpha1
kind: HostCluster
metadata: {name: my-cluster, namespace: platform, generation: 1}
spec:
  mode: connect_existing
  connectKubeconfigSecretRef: input-kubeconfig
  gitOpsRepoURL: https://github.com/acme/gitops-iac.git
  gitOpsPath: fluxcd/clusters/my-cluster
  gitCredentialsSecretRef: gitops-iac-credentials
  domain: my-cluster.acme.com
`

	validated = `
apiVersion: kubeopera.io/v1alpha1
kind: ClusterAccess
metadata: {name: my-cluster, namespace: platform, generation: 1}
spec: {forProvider: {kubeconfigSecretRef: {name: input-kubeconfig}}}
status:
  observedGeneration: 1
  conditions: [{type: Ready, status: "True", reason: Available, observedGeneration: 1, lastTransitionTime: "2026-11-01T00:00:00Z"}]
`
)

// request with an input, a composite resource and observed resources by name, all in YAML; empty for none.
func requestOf(t *testing.T, input, xr string, observed map[string]string) *fnv1.RunFunctionRequest {
	t.Helper()

	req := &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Tag: "tag"}, Observed: &fnv1.State{}}
	if input != "" {
		req.Input = structOf(t, input)
	}

	if xr != "" {
		req.Observed.Composite = &fnv1.Resource{Resource: structOf(t, xr)}
	}

	for name, o := range observed {
		if req.GetObserved().GetResources() == nil {
			req.Observed.Resources = map[string]*fnv1.Resource{}
		}

		req.Observed.Resources[name] = &fnv1.Resource{Resource: structOf(t, o)}
	}

	return req
}

func structOf(t *testing.T, y string) *structpb.Struct {
	t.Helper()

	j, err := yaml.YAMLToJSON([]byte(y))
	if err != nil {
		t.Fatal(err)
	}

	s := &structpb.Struct{}
	if err := protojson.Unmarshal(j, s); err != nil {
		t.Fatal(err)
	}

	return s
}

// run a function; fatal is what makes it stop, and warnings what else is wrong.
func run(t *testing.T, req *fnv1.RunFunctionRequest) (rsp *fnv1.RunFunctionResponse, fatal string, warnings []string) {
	t.Helper()

	rsp, err := newFunction().RunFunction(t.Context(), req)
	if err != nil {
		t.Fatalf("RunFunction(...): %v", err)
	}

	for _, r := range rsp.GetResults() {
		switch r.GetSeverity() {
		case fnv1.Severity_SEVERITY_FATAL:
			fatal = r.GetMessage()
		case fnv1.Severity_SEVERITY_WARNING:
			warnings = append(warnings, r.GetMessage())
		case fnv1.Severity_SEVERITY_NORMAL, fnv1.Severity_SEVERITY_UNSPECIFIED:
		}
	}

	return rsp, fatal, warnings
}

// TestFatal: what cannot work is said, and nothing is desired.
func TestFatal(t *testing.T) {
	cases := map[string]struct {
		reason   string
		input    string
		xr       string
		observed map[string]string
		want     string
	}{
		"Nothing": {
			reason: "A request with nothing in it is somebody's mistake.",
			want:   "the request has no composite resource",
		},
		"NoName": {
			reason: "Children are named after their HostCluster.",
			xr:     "{apiVersion: kubeopera.io/v1alpha1, kind: HostCluster, metadata: {generateName: a-}}",
			want:   "has no metadata.name",
		},
		"OtherKind": {
			reason: "Without a template there is nothing to make of another kind.",
			xr:     "{apiVersion: example.org/v1, kind: XCluster, metadata: {name: a}}",
			want:   "the composite resource is a XCluster of example.org/v1: function-kubeopera takes a HostCluster of kubeopera.io/v1alpha1",
		},
		"OtherVersion": {
			reason: "A version that does not exist is another kind.",
			xr:     "{apiVersion: kubeopera.io/v9, kind: HostCluster, metadata: {name: a}}",
			want:   "the composite resource is a HostCluster of kubeopera.io/v9",
		},
		"NoSpec": {
			reason: "What the API server refuses is refused.",
			xr:     "{apiVersion: kubeopera.io/v1alpha1, kind: HostCluster, metadata: {name: a}}",
			want:   `spec.mode "" is not a mode`,
		},
		"WrongType": {
			reason: "A field of the wrong type is named.",
			xr:     "{apiVersion: kubeopera.io/v1alpha1, kind: HostCluster, metadata: {name: a}, spec: {mode: {}}}",
			want:   "cannot read the HostCluster",
		},
		"WrongMetadata": {
			reason: "Metadata may be of the wrong type too.",
			xr:     "{apiVersion: kubeopera.io/v1alpha1, kind: HostCluster, metadata: 7}",
			want:   "has no metadata.name",
		},
		"InputOfAnother": {
			reason: "An input for another function says nothing to this one.",
			input:  "{apiVersion: pt.fn.crossplane.io/v1beta1, kind: Resources}",
			xr:     xrConnect,
			want:   `the input must be a Input of function.kubeopera.io/v1beta1, and is a "Resources" of "pt.fn.crossplane.io/v1beta1"`,
		},
		"InputUnknownField": {
			reason: "A misspelt field must not be silently without effect.",
			input:  "{apiVersion: function.kubeopera.io/v1beta1, kind: Input, prewiev: Complete}",
			xr:     xrConnect,
			want:   "cannot read the input",
		},
		"InputUnknownPreview": {
			reason: "There are two previews.",
			input:  "{apiVersion: function.kubeopera.io/v1beta1, kind: Input, preview: All}",
			xr:     xrConnect,
			want:   `the input's preview must be Step or Complete, and is "All"`,
		},
		"InputWrongTime": {
			reason: "A time has a format.",
			input:  "{apiVersion: function.kubeopera.io/v1beta1, kind: Input, now: yesterday}",
			xr:     xrConnect,
			want:   "cannot read the input",
		},
		"Template": {
			reason: "A HostCluster is not made of a HostCluster.",
			input:  "{apiVersion: function.kubeopera.io/v1beta1, kind: Input, hostCluster: {}}",
			xr:     xrConnect,
			want:   "the input's hostCluster is for composite resources of other kinds",
		},
		"Twice": {
			reason:   "A HostCluster has one child of a kind.",
			xr:       xrConnect,
			observed: map[string]string{"one": validated, "two": validated},
			want:     `observed resources "one" and "two" are both ClusterAccess my-cluster`,
		},
		"Garbage": {
			reason:   "An observed child of the wrong shape is named.",
			xr:       xrConnect,
			observed: map[string]string{"access": "{apiVersion: kubeopera.io/v1alpha1, kind: ClusterAccess, metadata: {name: my-cluster}, spec: [], status: 7}"},
			want:     `observed resource "access": cannot read ClusterAccess`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp, fatal, _ := run(t, requestOf(t, tc.input, tc.xr, tc.observed))
			if !strings.Contains(fatal, tc.want) {
				t.Errorf("\n%s\nwant %q, got %q", tc.reason, tc.want, fatal)
			}

			if n := len(rsp.GetDesired().GetResources()); n > 0 || rsp.GetDesired().GetComposite() != nil {
				t.Errorf("\n%s\n%d resources are desired all the same", tc.reason, n)
			}
		})
	}
}

// TestWarnings: what has no effect is said, and the preview goes on.
func TestWarnings(t *testing.T) {
	cases := map[string]struct {
		reason   string
		xr       string
		observed map[string]string
		want     []string
	}{
		"Nothing": {
			reason:   "All is well.",
			xr:       xrConnect,
			observed: map[string]string{"cluster-access": validated},
		},
		"UnknownField": {
			reason: "A misspelt field is named.",
			xr:     xrConnect + "  gitopsBranch: main\n",
			want:   []string{`unknown field "spec.gitopsBranch"`},
		},
		"Stranger": {
			reason: "Not everything that is observed is a child.",
			xr:     xrConnect,
			observed: map[string]string{
				"1": "{apiVersion: v1, kind: ConfigMap, metadata: {name: my-cluster}}",
				"2": "{apiVersion: kubeopera.io/v1alpha1, kind: ClusterAccess, metadata: {name: other}}",
				"3": "{apiVersion: kubeopera.io/v1alpha1, kind: ClusterAccess, metadata: {name: my-cluster, namespace: other}}",
				"4": "{}",
			},
			want: []string{
				`observed resource "1" is ignored: a HostCluster has no child of kind ConfigMap of v1`,
				`observed resource "2" is ignored: ClusterAccess other does not have the name of its HostCluster, my-cluster`,
				`observed resource "3" is ignored: ClusterAccess my-cluster is in namespace other, and its HostCluster is not`,
				`observed resource "4" is ignored`,
			},
		},
		"Failed": {
			reason:   "What keeps a HostCluster from going on is said.",
			xr:       xrConnect,
			observed: map[string]string{"a": strings.NewReplacer(`"True"`, `"False"`, "Available", "Refused").Replace(validated)},
			want:     []string{"ValidatingAccess failed"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp, fatal, warnings := run(t, requestOf(t, inputStep, tc.xr, tc.observed))
			if fatal != "" || len(rsp.GetDesired().GetResources()) == 0 {
				t.Errorf("\n%s\nit does not go on: %s", tc.reason, fatal)
			}

			if len(warnings) != len(tc.want) {
				t.Fatalf("\n%s\nwant %q, got %q", tc.reason, tc.want, warnings)
			}

			for i, w := range tc.want {
				if !strings.Contains(warnings[i], w) {
					t.Errorf("\n%s\nwant %q, got %q", tc.reason, w, warnings[i])
				}
			}
		})
	}
}

// TestPreview: what is desired, what of it is ready, and what the HostCluster's status is.
func TestPreview(t *testing.T) {
	cases := map[string]struct {
		reason   string
		input    string
		observed map[string]string
		want     map[string]fnv1.Ready
		phase    string
		ready    fnv1.Ready
	}{
		"Step": {
			reason: "Nothing is there yet.",
			want:   map[string]fnv1.Ready{"cluster-access": fnv1.Ready_READY_FALSE},
			phase:  "ValidatingAccess",
			ready:  fnv1.Ready_READY_FALSE,
		},
		"NextStep": {
			reason:   "A child that is ready lets the next one be made; it keeps the name that it has in the composition.",
			observed: map[string]string{"mine": validated},
			input:    inputStep,
			want:     map[string]fnv1.Ready{"mine": fnv1.Ready_READY_TRUE, "flux-bootstrap": fnv1.Ready_READY_FALSE},
			phase:    "BootstrappingFlux",
			ready:    fnv1.Ready_READY_FALSE,
		},
		"Complete": {
			reason: "All that there will be, as if it were.",
			input:  inputComplete,
			want: map[string]fnv1.Ready{
				"cluster-access": fnv1.Ready_READY_TRUE, "flux-bootstrap": fnv1.Ready_READY_TRUE, "gitops-environment": fnv1.Ready_READY_TRUE,
			},
			phase: "Ready",
			ready: fnv1.Ready_READY_TRUE,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp, fatal, _ := run(t, requestOf(t, tc.input, xrConnect, tc.observed))
			if fatal != "" {
				t.Fatalf("\n%s\n%s", tc.reason, fatal)
			}

			got := map[string]fnv1.Ready{}

			for name, r := range rsp.GetDesired().GetResources() {
				got[name] = r.GetReady()

				fields := r.GetResource().GetFields()
				if keys := slices.Sorted(maps.Keys(fields)); !slices.Equal(keys, []string{"apiVersion", "kind", "metadata", "spec"}) {
					t.Errorf("\n%s\n%s has %v", tc.reason, name, keys)
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}

			xr := rsp.GetDesired().GetComposite()
			status := xr.GetResource().GetFields()["status"].GetStructValue().GetFields()

			if p := status["phase"].GetStringValue(); p != tc.phase || xr.GetReady() != tc.ready {
				t.Errorf("\n%s\nwant %s, %s, got %s, %s: %s", tc.reason, tc.phase, tc.ready, p, xr.GetReady(), status["message"].GetStringValue())
			}

			if at := status["lastReconciledAt"].GetStringValue(); at != "2026-11-01T00:00:00Z" {
				t.Errorf("\n%s\nthe time is not the clock's: %s", tc.reason, at)
			}

			if status["conditions"] != nil {
				t.Errorf("\n%s\nconditions go another way", tc.reason)
			}

			for _, c := range rsp.GetConditions() {
				if c.GetType() == "Ready" || c.GetType() == "Synced" || c.GetTarget() != fnv1.Target_TARGET_COMPOSITE {
					t.Errorf("\n%s\ncondition %v", tc.reason, c)
				}
			}

			if len(rsp.GetConditions()) < 4 {
				t.Errorf("\n%s\nconditions: %v", tc.reason, rsp.GetConditions())
			}
		})
	}
}

// TestInputTime: the input's time wins over the clock's.
func TestInputTime(t *testing.T) {
	rsp, fatal, _ := run(t, requestOf(t, "{apiVersion: function.kubeopera.io/v1beta1, kind: Input, now: '2020-01-01T00:00:00Z'}", xrConnect, nil))
	if at := rsp.GetDesired().GetComposite().GetResource().GetFields()["status"].GetStructValue().GetFields()["lastReconciledAt"].GetStringValue(); at != "2020-01-01T00:00:00Z" {
		t.Errorf("the time is %s: %s", at, fatal)
	}
}

// TestEarlierFunctions: what functions before this one desire stays.
func TestEarlierFunctions(t *testing.T) {
	req := requestOf(t, inputStep, xrConnect, nil)
	req.Desired = &fnv1.State{
		Composite: &fnv1.Resource{Resource: structOf(t, "{status: {theirs: 1, phase: Theirs}}")},
		Resources: map[string]*fnv1.Resource{"theirs": {Resource: structOf(t, "{apiVersion: v1, kind: ConfigMap}")}},
	}

	rsp, fatal, _ := run(t, req)
	status := rsp.GetDesired().GetComposite().GetResource().GetFields()["status"].GetStructValue().GetFields()

	if fatal != "" || status["theirs"].GetNumberValue() != 1 || status["phase"].GetStringValue() != "ValidatingAccess" {
		t.Errorf("status is %v: %s", status, fatal)
	}

	if _, ok := rsp.GetDesired().GetResources()["theirs"]; !ok {
		t.Errorf("only %v is desired", slices.Collect(maps.Keys(rsp.GetDesired().GetResources())))
	}
}

// FuzzRunFunction: whatever comes, it ends without an error of its own.
func FuzzRunFunction(f *testing.F) {
	for _, xr := range []string{xrConnect, validated, "", "{}", "[]", "{apiVersion: example.org/v1, kind: XCluster, metadata: {name: a, namespace: b}, spec: {size: [1, {a: b}]}}"} {
		for _, in := range []string{"", inputStep, inputComplete, inputCompose} {
			f.Add(in, xr, validated)
		}
	}

	f.Fuzz(func(t *testing.T, input, xr, observed string) {
		req := &fnv1.RunFunctionRequest{
			Input: fuzzed(input),
			Observed: &fnv1.State{
				Composite: &fnv1.Resource{Resource: fuzzed(xr)},
				Resources: map[string]*fnv1.Resource{"one": {Resource: fuzzed(observed)}, "": nil, string(hostCluster): {Resource: fuzzed(observed)}},
			},
		}

		rsp, err := newFunction().RunFunction(t.Context(), req)
		if err != nil {
			t.Fatalf("RunFunction(...): %v", err)
		}

		for _, r := range rsp.GetDesired().GetResources() {
			if r.GetResource().GetFields()["kind"].GetStringValue() == "" {
				t.Errorf("something without a kind is desired: %v", r)
			}
		}
	})
}

// fuzzed YAML; nil if it is none.
func fuzzed(y string) *structpb.Struct {
	j, err := yaml.YAMLToJSON([]byte(y))
	if err != nil {
		return nil
	}

	s := &structpb.Struct{}
	if protojson.Unmarshal(j, s) != nil {
		return nil
	}

	return s
}
