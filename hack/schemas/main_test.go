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
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"

	"github.com/kubeopera/provider-kubeopera/hack/schemas/mirror"
	"github.com/kubeopera/provider-kubeopera/hack/schemas/providers"
)

// TestWrite asks OpenTofu itself, which takes providers from a mirror in the
// file system instead of a registry: the stand-ins, which have the schemas in
// SCHEMAS_DIR. The same ones have to come out.
func TestWrite(t *testing.T) {
	there := os.Getenv("SCHEMAS_DIR")
	if there == "" {
		t.Fatal("SCHEMAS_DIR is not set: it is where the providers' schemas are. Write them with `make schemas`, which needs to download the providers.")
	}
	tofu := mirror.Tofu(t)
	for name, value := range mirror.Env(t) {
		t.Setenv(name, value)
	}
	out := filepath.Join(t.TempDir(), "schemas")
	if err := write(t.Context(), out, tofu); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) != len(providers.Oldest) {
		t.Errorf("want a file for each provider, got %v (%v)", entries, err)
	}
	for name := range providers.Oldest {
		if diff := cmp.Diff(schemaOf(t, there, name), schemaOf(t, out, name)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}
	}
}

// TestWriteFails where there is no such provider.
func TestWriteFails(t *testing.T) {
	config := filepath.Join(t.TempDir(), "tofurc")
	if err := os.WriteFile(config, []byte("provider_installation {\n  filesystem_mirror {\n    path = \"/nonexistent\"\n  }\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TF_CLI_CONFIG_FILE", config)
	out := filepath.Join(t.TempDir(), "schemas")
	if err := write(t.Context(), out, mirror.Tofu(t)); err == nil || !strings.Contains(err.Error(), "cannot download the providers") {
		t.Errorf("want that the providers are missing, got %v", err)
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("what was there must stay as it was: %v", err)
	}
}

// schemaOf a provider in a folder, whichever registry it is from.
func schemaOf(t *testing.T, dir, name string) any {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Schemas map[string]any `json:"provider_schemas"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	for address, s := range doc.Schemas {
		if path.Base(address) == name && len(doc.Schemas) == 1 {
			return s
		}
	}
	t.Fatalf("%s has not one schema of %s", dir, name)
	return nil
}

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
