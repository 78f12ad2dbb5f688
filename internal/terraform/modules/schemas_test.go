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

package modules

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// schemas are the providers' own, keyed by the last part of their address:
// Terraform and OpenTofu differ in the first one.
type schemas map[string]*tfjson.ProviderSchema

// loadSchemas reads what `make schemas` wrote. There is no test without them.
func loadSchemas(t *testing.T) schemas {
	t.Helper()
	dir := os.Getenv("SCHEMAS_DIR")
	if dir == "" {
		t.Fatal("SCHEMAS_DIR is not set: it is where the providers' schemas are. Write them with `make schemas`, which needs to download the providers.")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no schemas in SCHEMAS_DIR %s: write them with `make schemas` (%v)", dir, err)
	}

	all := schemas{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var p tfjson.ProviderSchemas
		if err := json.Unmarshal(raw, &p); err != nil {
			t.Fatalf("cannot read %s: %v", f, err)
		}
		for address, s := range p.Schemas {
			all[path.Base(address)] = s
		}
	}
	for _, p := range []string{"aws", "google"} {
		if all[p] == nil {
			t.Fatalf("no schema of provider %s in SCHEMAS_DIR %s: write it with `make schemas`", p, dir)
		}
	}
	all["terraform"] = builtin()

	return all
}

// builtin is terraform_data, which comes without a provider
// (developer.hashicorp.com/terraform/language/resources/terraform-data).
func builtin() *tfjson.ProviderSchema {
	return &tfjson.ProviderSchema{ResourceSchemas: map[string]*tfjson.Schema{"terraform_data": {Block: &tfjson.SchemaBlock{
		Attributes: map[string]*tfjson.SchemaAttribute{
			"id":               {AttributeType: cty.String, Computed: true},
			"input":            {AttributeType: cty.DynamicPseudoType, Optional: true},
			"output":           {AttributeType: cty.DynamicPseudoType, Computed: true},
			"triggers_replace": {AttributeType: cty.DynamicPseudoType, Optional: true},
		},
	}}}}
}

// block is the schema of a resource or data source.
func (s schemas) block(mode, kind string) *tfjson.SchemaBlock {
	provider, _, _ := strings.Cut(kind, "_")
	p := s[provider]
	if p == nil {
		return nil
	}
	all := p.ResourceSchemas
	if mode == "data" {
		all = p.DataSourceSchemas
	}
	if all[kind] == nil {
		return nil
	}

	return all[kind].Block
}

// typeOf is what a reference to a resource of a schema gives.
func typeOf(b *tfjson.SchemaBlock) cty.Type {
	attrs := map[string]cty.Type{}
	for name, a := range b.Attributes {
		attrs[name] = a.AttributeType
		if a.AttributeNestedType != nil {
			attrs[name] = cty.DynamicPseudoType
		}
	}
	for name, n := range b.NestedBlocks {
		inner := typeOf(n.Block)
		switch n.NestingMode {
		case tfjson.SchemaNestingModeSingle, tfjson.SchemaNestingModeGroup:
			attrs[name] = inner
		case tfjson.SchemaNestingModeMap:
			attrs[name] = cty.Map(inner)
		case tfjson.SchemaNestingModeSet:
			attrs[name] = cty.Set(inner)
		default:
			attrs[name] = cty.List(inner)
		}
	}

	return cty.Object(attrs)
}

// readFiles of one module in the modules' folder.
func readFiles(t *testing.T, module string) map[string]string {
	t.Helper()
	names, err := fs.Glob(Files, module+"/*.tf")
	if err != nil || len(names) == 0 {
		t.Fatalf("module %s has no files (%v)", module, err)
	}
	out := map[string]string{}
	for _, n := range names {
		data, err := fs.ReadFile(Files, n)
		if err != nil {
			t.Fatal(err)
		}
		out[n] = string(data)
	}

	return out
}

// content of a dynamic block.
func content(b *hclsyntax.Block) *hclsyntax.Body {
	for _, inner := range b.Body.Blocks {
		if inner.Type == "content" {
			return inner.Body
		}
	}

	return nil
}

// checkValue converts what is constant to the type that is wanted.
func (m *module) checkValue(a *hclsyntax.Attribute, want cty.Type) {
	if want == cty.NilType {
		return
	}
	v, diags := a.Expr.Value(nil)
	if diags.HasErrors() {
		return
	}
	if _, err := convert.Convert(v, want); err != nil {
		m.problemf(a.Range(), "%s: %v", a.Name, err)
	}
}
