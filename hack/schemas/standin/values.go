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

package main

import (
	"fmt"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// fill sets computed arguments that are null or unknown.
func fill(s *tfprotov6.Schema, d *tfprotov6.DynamicValue, make func(*tfprotov6.SchemaAttribute) tftypes.Value) (*tfprotov6.DynamicValue, error) {
	v, err := d.Unmarshal(s.ValueType())
	if err != nil {
		return nil, err
	}
	v, err = fillBlock(s.Block, v, make)
	if err != nil {
		return nil, err
	}
	out, err := tfprotov6.NewDynamicValue(s.ValueType(), v)
	return &out, err
}

// fillBlock fills a block and the lists of blocks within it.
func fillBlock(b *tfprotov6.SchemaBlock, v tftypes.Value, make func(*tfprotov6.SchemaAttribute) tftypes.Value) (tftypes.Value, error) {
	values := map[string]tftypes.Value{}
	if err := v.As(&values); err != nil {
		return v, err
	}
	for _, a := range b.Attributes {
		if old := values[a.Name]; a.Computed && (old.IsNull() || !old.IsKnown()) {
			values[a.Name] = make(a)
		}
	}
	for _, n := range b.BlockTypes {
		old := values[n.TypeName]
		if n.Nesting != tfprotov6.SchemaNestedBlockNestingModeList || old.IsNull() || !old.IsKnown() {
			continue
		}
		var inner []tftypes.Value
		if err := old.As(&inner); err != nil {
			return v, err
		}
		for i := range inner {
			filled, err := fillBlock(n.Block, inner[i], make)
			if err != nil {
				return v, err
			}
			inner[i] = filled
		}
		values[n.TypeName] = tftypes.NewValue(old.Type(), inner)
	}
	return tftypes.NewValue(v.Type(), values), nil
}

// known are values that modules compute with.
var known = map[string]any{
	"data.aws_caller_identity.arn":          "arn:aws:sts::123456789012:assumed-role/kubeopera/session",
	"data.aws_caller_identity.account_id":   "123456789012",
	"data.aws_partition.partition":          "aws",
	"data.aws_region.region":                "eu-north-1",
	"data.aws_ssm_parameter.insecure_value": "ami-0123456789",
}

// lists are lists that modules compute with.
var lists = map[string][]string{
	"data.aws_availability_zones.names":                  {"eu-north-1a", "eu-north-1b", "eu-north-1c"},
	"data.aws_ec2_instance_type.supported_architectures": {"x86_64"},
	"data.google_compute_zones.names":                    {"europe-north1-a", "europe-north1-b", "europe-north1-c", "europe-north1-d"},
}

// made counts what was made up: no two names are the same.
var made atomic.Int64

// madeUp is a value of a type for what of a resource or data source.
func madeUp(kind, name string, t tftypes.Type) tftypes.Value {
	if v, ok := known[kind+"."+name]; ok {
		return tftypes.NewValue(t, v)
	}
	if l, ok := lists[kind+"."+name]; ok {
		return texts(t, l)
	}
	switch {
	case t.Is(tftypes.String) && name == "public_ip":
		return tftypes.NewValue(t, fmt.Sprintf("198.51.100.%d", made.Add(1)%250))
	case t.Is(tftypes.String):
		return tftypes.NewValue(t, fmt.Sprintf("%s-%s-%d", kind, name, made.Add(1)))
	case t.Is(tftypes.Number):
		return tftypes.NewValue(t, 1)
	case t.Is(tftypes.Bool):
		return tftypes.NewValue(t, false)
	}
	switch t := t.(type) {
	case tftypes.List:
		if o, ok := t.ElementType.(tftypes.Object); ok {
			return tftypes.NewValue(t, []tftypes.Value{madeUp(kind, name, o)})
		}
		return tftypes.NewValue(t, []tftypes.Value{})
	case tftypes.Object:
		values := map[string]tftypes.Value{}
		for inner, it := range t.AttributeTypes {
			values[inner] = madeUp(kind, name+"."+inner, it)
		}
		return tftypes.NewValue(t, values)
	case tftypes.Map:
		return tftypes.NewValue(t, map[string]tftypes.Value{})
	case tftypes.Set:
		return tftypes.NewValue(t, []tftypes.Value{})
	}
	return tftypes.NewValue(t, nil)
}

func texts(t tftypes.Type, l []string) tftypes.Value {
	values := []tftypes.Value{}
	for _, s := range l {
		values = append(values, tftypes.NewValue(tftypes.String, s))
	}
	return tftypes.NewValue(t, values)
}

// answer is what a data source finds by its filters: aws_subnets finds the ids
// that it is asked for, and of public ones the first.
func answer(kind, name string, config tftypes.Value) (tftypes.Value, bool) {
	if kind != "aws_subnets" || name != "ids" {
		return tftypes.Value{}, false
	}
	values, filters := map[string]tftypes.Value{}, []tftypes.Value{}
	if config.As(&values) != nil || values["filter"].As(&filters) != nil {
		return tftypes.Value{}, false
	}
	var ids []string
	public := false
	for _, f := range filters {
		filter, list, name := map[string]tftypes.Value{}, []tftypes.Value{}, ""
		if f.As(&filter) != nil || filter["name"].As(&name) != nil || filter["values"].As(&list) != nil {
			return tftypes.Value{}, false
		}
		public = public || name == "map-public-ip-on-launch"
		for _, v := range list {
			var id string
			if name == "subnet-id" && v.As(&id) == nil {
				ids = append(ids, id)
			}
		}
	}
	if public {
		ids = ids[:1]
	}
	return texts(tftypes.List{ElementType: tftypes.String}, ids), true
}
