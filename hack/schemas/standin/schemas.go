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
	"encoding/json"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// schemas of one provider.
type schemas struct {
	provider  *tfprotov6.Schema
	resources map[string]*tfprotov6.Schema
	data      map[string]*tfprotov6.Schema
}

// What `providers schema -json` prints.
type (
	rawSchema struct {
		Version int64    `json:"version"`
		Block   rawBlock `json:"block"`
	}
	rawBlock struct {
		Attributes map[string]rawAttribute `json:"attributes"`
		Blocks     map[string]rawNested    `json:"block_types"`
		Deprecated bool                    `json:"deprecated"`
	}
	rawAttribute struct {
		Type       json.RawMessage `json:"type"`
		Nested     *rawObject      `json:"nested_type"`
		Required   bool            `json:"required"`
		Optional   bool            `json:"optional"`
		Computed   bool            `json:"computed"`
		Sensitive  bool            `json:"sensitive"`
		Deprecated bool            `json:"deprecated"`
		WriteOnly  bool            `json:"write_only"`
	}
	rawObject struct {
		Attributes map[string]rawAttribute `json:"attributes"`
		Nesting    string                  `json:"nesting_mode"`
	}
	rawNested struct {
		Block   rawBlock `json:"block"`
		Nesting string   `json:"nesting_mode"`
		Min     int64    `json:"min_items"`
		Max     int64    `json:"max_items"`
	}
)

// load reads the schemas of the one provider in a file.
func load(file string) (*schemas, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read the schemas: %w", err)
	}
	var doc struct {
		Schemas map[string]struct {
			Provider  rawSchema            `json:"provider"`
			Resources map[string]rawSchema `json:"resource_schemas"`
			Data      map[string]rawSchema `json:"data_source_schemas"`
		} `json:"provider_schemas"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", file, err)
	}
	for _, p := range doc.Schemas {
		s := &schemas{resources: map[string]*tfprotov6.Schema{}, data: map[string]*tfprotov6.Schema{}}
		if s.provider, err = p.Provider.schema(); err != nil {
			return nil, err
		}
		for name, r := range p.Resources {
			if s.resources[name], err = r.schema(); err != nil {
				return nil, fmt.Errorf("resource %s: %w", name, err)
			}
		}
		for name, d := range p.Data {
			if s.data[name], err = d.schema(); err != nil {
				return nil, fmt.Errorf("data source %s: %w", name, err)
			}
		}
		return s, nil
	}
	return nil, fmt.Errorf("%s has no provider", file)
}

func (r rawSchema) schema() (*tfprotov6.Schema, error) {
	b, err := r.Block.block()
	return &tfprotov6.Schema{Version: r.Version, Block: b}, err
}

func (r rawBlock) block() (*tfprotov6.SchemaBlock, error) {
	b := &tfprotov6.SchemaBlock{Deprecated: r.Deprecated}
	var err error
	if b.Attributes, err = attributes(r.Attributes); err != nil {
		return nil, err
	}
	modes := map[string]tfprotov6.SchemaNestedBlockNestingMode{
		"single": tfprotov6.SchemaNestedBlockNestingModeSingle, "list": tfprotov6.SchemaNestedBlockNestingModeList,
		"set": tfprotov6.SchemaNestedBlockNestingModeSet, "map": tfprotov6.SchemaNestedBlockNestingModeMap,
		"group": tfprotov6.SchemaNestedBlockNestingModeGroup,
	}
	for name, n := range r.Blocks {
		inner, err := n.Block.block()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		b.BlockTypes = append(b.BlockTypes, &tfprotov6.SchemaNestedBlock{TypeName: name, Block: inner, Nesting: modes[n.Nesting], MinItems: n.Min, MaxItems: n.Max})
	}
	return b, nil
}

func attributes(raw map[string]rawAttribute) ([]*tfprotov6.SchemaAttribute, error) {
	modes := map[string]tfprotov6.SchemaObjectNestingMode{
		"single": tfprotov6.SchemaObjectNestingModeSingle, "list": tfprotov6.SchemaObjectNestingModeList,
		"set": tfprotov6.SchemaObjectNestingModeSet, "map": tfprotov6.SchemaObjectNestingModeMap,
	}
	var out []*tfprotov6.SchemaAttribute
	for name, r := range raw {
		a := &tfprotov6.SchemaAttribute{
			Name: name, Required: r.Required, Optional: r.Optional, Computed: r.Computed,
			Sensitive: r.Sensitive, Deprecated: r.Deprecated, WriteOnly: r.WriteOnly,
		}
		if r.Nested != nil {
			inner, err := attributes(r.Nested.Attributes)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			a.NestedType = &tfprotov6.SchemaObject{Attributes: inner, Nesting: modes[r.Nested.Nesting]}
		} else {
			t, err := tftypes.ParseJSONType(r.Type) //nolint:staticcheck // The schemas have types in JSON.
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			a.Type = t
		}
		out = append(out, a)
	}
	return out, nil
}
