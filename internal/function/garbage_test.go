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
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// garbage of every type, and of no type at all.
func garbage() []*structpb.Value {
	return []*structpb.Value{
		nil,
		{},
		structpb.NewNullValue(), structpb.NewBoolValue(true), structpb.NewNumberValue(7), structpb.NewNumberValue(-1e300),
		structpb.NewNumberValue(0.5), structpb.NewNumberValue(math.NaN()), structpb.NewStringValue(""), structpb.NewStringValue("x\xff"),
		structpb.NewListValue(nil), structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewNumberValue(1), nil}}),
		structpb.NewStructValue(nil), structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"a": nil}}),
	}
}

// TestGarbage puts garbage in the place of every value of a good request, one at a time. Each ends with a reason, or
// with something that is desired.
func TestGarbage(t *testing.T) {
	cases := map[string]*fnv1.RunFunctionRequest{
		"Step":     requestOf(t, inputStep, xrConnect, map[string]string{"cluster-access": validated}),
		"Complete": requestOf(t, inputComplete, xrConnect, map[string]string{"cluster-access": validated}),
		"Compose":  requestOf(t, inputCompose, xrTeam, map[string]string{"host-cluster": composedReady}),
	}

	for name, good := range cases {
		t.Run(name, func(t *testing.T) {
			n := len(places(good))

			for i := range n {
				for _, bad := range garbage() {
					req, ok := proto.Clone(good).(*fnv1.RunFunctionRequest)
					if !ok {
						t.Fatal("a clone is of another type")
					}

					p := places(req)[i]
					p.set(bad)

					rsp, fatal, _ := run(t, req)
					if fatal == "" && len(rsp.GetDesired().GetResources()) == 0 {
						t.Errorf("%s = %v: neither an error nor anything that is desired", p.path, bad)
					}
				}
			}

			if n < 20 {
				t.Errorf("only %d places", n)
			}
		})
	}
}

// A place in a request where a value is.
type place struct {
	path string
	set  func(v *structpb.Value)
}

// places of a request, always in the same order.
func places(req *fnv1.RunFunctionRequest) []place {
	all := fields("input", req.GetInput())
	all = append(all, fields("composite", req.GetObserved().GetComposite().GetResource())...)

	for name, r := range req.GetObserved().GetResources() {
		all = append(all, fields(name, r.GetResource())...)
	}

	return all
}

func fields(path string, s *structpb.Struct) []place {
	var all []place

	for _, k := range slices.Sorted(maps.Keys(s.GetFields())) {
		here := path + "." + k
		all = append(all, place{path: here, set: func(v *structpb.Value) { s.Fields[k] = v }})
		all = append(all, values(here, s.GetFields()[k])...)
	}

	return all
}

func values(path string, v *structpb.Value) []place {
	if s := v.GetStructValue(); s != nil {
		return fields(path, s)
	}

	var all []place

	for i, item := range v.GetListValue().GetValues() {
		here := fmt.Sprintf("%s[%d]", path, i)
		all = append(all, place{path: here, set: func(bad *structpb.Value) { v.GetListValue().Values[i] = bad }})
		all = append(all, values(here, item)...)
	}

	return all
}
