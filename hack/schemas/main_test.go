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
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"
)

func TestSplit(t *testing.T) {
	out := filepath.Join(t.TempDir(), "schemas")
	all := `{"format_version": "1.0", "provider_schemas": {
		"registry.opentofu.org/hashicorp/aws": {
			"provider": {"version": 0, "block": {"attributes": {"region": {"type": "string", "description": "where", "description_kind": "plain", "optional": true}}}},
			"resource_schemas": {"aws_x": {"version": 1, "block": {"attributes": {
				"description": {"type": "string", "description": "what", "optional": true},
				"rules": {"type": ["set", ["object", {"description": "string"}]], "optional": true}}}}},
			"functions": {"arn_parse": {"return_type": "string"}}},
		"registry.opentofu.org/hashicorp/null": {}}}`
	if err := split([]byte(all), out); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) != 1 || entries[0].Name() != "aws.json" {
		t.Fatalf("want aws.json alone, got %v (%v)", entries, err)
	}
	raw, err := os.ReadFile(filepath.Join(out, "aws.json"))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"format_version": "1.0", "provider_schemas": {
		"registry.opentofu.org/hashicorp/aws": {
			"provider": {"version": 0, "block": {"attributes": {"region": {"type": "string", "optional": true}}}},
			"resource_schemas": {"aws_x": {"version": 1, "block": {"attributes": {
				"description": {"type": "string", "optional": true},
				"rules": {"type": ["set", ["object", {"description": "string"}]], "optional": true}}}}}}}}`
	var got, expected any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &expected); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	var schemas tfjson.ProviderSchemas
	if err := json.Unmarshal(raw, &schemas); err != nil {
		t.Errorf("terraform-json can not read it: %v", err)
	}
}
