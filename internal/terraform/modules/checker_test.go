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
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/zclconf/go-cty/cty"
)

// A module is a parsed one, with what it declares.
type module struct {
	schemas   schemas
	blocks    []*hclsyntax.Block
	variables map[string]*variable
	outputs   map[string]bool
	locals    map[string]hcl.Expression
	resources map[string]*resource // "aws_vpc.this", "data.aws_ami.this"
	problems  []string
}

type variable struct {
	kind     cty.Type
	required bool
	used     bool
}

type resource struct {
	schema *tfjson.SchemaBlock
	kind   cty.Type
}

// check parses a module and says all that is wrong with it.
func check(s schemas, files map[string]string) *module {
	m := &module{schemas: s, variables: map[string]*variable{}, outputs: map[string]bool{}, locals: map[string]hcl.Expression{}, resources: map[string]*resource{}}
	for name, text := range files {
		f, diags := hclsyntax.ParseConfig([]byte(text), name, hcl.InitialPos)
		if diags.HasErrors() {
			m.problems = append(m.problems, diags.Error())
			continue
		}
		m.blocks = append(m.blocks, f.Body.(*hclsyntax.Body).Blocks...)
	}
	for _, b := range m.blocks {
		m.declare(b)
	}
	for _, b := range m.blocks {
		m.checkBlock(b)
	}
	for name, v := range m.variables {
		if !v.used {
			m.problems = append(m.problems, "variable "+name+" is not used")
		}
	}
	slices.Sort(m.problems)

	return m
}

func (m *module) problemf(r hcl.Range, format string, args ...any) {
	m.problems = append(m.problems, fmt.Sprintf("%s:%d: ", r.Filename, r.Start.Line)+fmt.Sprintf(format, args...))
}

// declare notes what other blocks may refer to.
func (m *module) declare(b *hclsyntax.Block) {
	switch b.Type {
	case "variable":
		v := &variable{kind: cty.DynamicPseudoType, required: b.Body.Attributes["default"] == nil}
		if a := b.Body.Attributes["type"]; a == nil {
			m.problemf(b.Range(), "variable %s has no type", b.Labels[0])
		} else if kind, diags := typeexpr.TypeConstraint(a.Expr); diags.HasErrors() {
			m.problemf(b.Range(), "variable %s: %s", b.Labels[0], diags.Error())
		} else {
			v.kind = kind
		}
		if d := b.Body.Attributes["default"]; d != nil {
			m.checkValue(d, v.kind)
		}
		if b.Body.Attributes["description"] == nil {
			m.problemf(b.Range(), "variable %s has no description", b.Labels[0])
		}
		m.variables[b.Labels[0]] = v
	case "output":
		if b.Body.Attributes["description"] == nil || b.Body.Attributes["value"] == nil {
			m.problemf(b.Range(), "output %s has no description or value", b.Labels[0])
		}
		m.outputs[b.Labels[0]] = true
	case "locals":
		for name, a := range b.Body.Attributes {
			m.locals[name] = a.Expr
		}
	case "resource", "data":
		address := strings.Join(b.Labels, ".")
		if b.Type == "data" {
			address = "data." + address
		}
		if m.resources[address] != nil {
			m.problemf(b.Range(), "%s is declared twice", address)
		}
		r := &resource{schema: m.schemas.block(b.Type, b.Labels[0]), kind: cty.DynamicPseudoType}
		if r.schema != nil {
			r.kind = typeOf(r.schema)
			if b.Body.Attributes["count"] != nil {
				r.kind = cty.List(r.kind)
			} else if b.Body.Attributes["for_each"] != nil {
				r.kind = cty.Map(r.kind)
			}
		}
		m.resources[address] = r
	case "terraform":
	default:
		m.problemf(b.Range(), "a module has no block %s", b.Type)
	}
}

// checkBlock checks one block of a module's top level.
func (m *module) checkBlock(b *hclsyntax.Block) {
	sc := scope{}
	switch b.Type {
	case "resource", "data":
		schema := m.schemas.block(b.Type, b.Labels[0])
		if schema == nil {
			m.problemf(b.Range(), "%s %s is not in the provider's schema", b.Type, b.Labels[0])
			return
		}
		sc.count, sc.each = b.Body.Attributes["count"] != nil, b.Body.Attributes["for_each"] != nil
		m.checkBody(schema, b.Body, strings.Join(b.Labels, "."), true, sc)
		sc.self = cty.UnknownVal(typeOf(schema)).Type()
		for _, inner := range b.Body.Blocks {
			if inner.Type == "lifecycle" {
				m.checkLifecycle(schema, inner, sc)
			}
		}
	case "terraform":
	default:
		m.checkReferences(b.Body, sc)
	}
}

// meta are the arguments and blocks that Terraform itself has for resources.
var meta = []string{"count", "for_each", "depends_on", "provider", "lifecycle"}

// checkBody checks arguments and blocks against a schema.
func (m *module) checkBody(s *tfjson.SchemaBlock, body *hclsyntax.Body, where string, top bool, sc scope) {
	for name, a := range body.Attributes {
		if top && slices.Contains(meta, name) {
			m.checkExpr(a.Expr, sc)
			continue
		}
		schema := s.Attributes[name]
		switch {
		case schema == nil:
			m.problemf(a.Range(), "%s has no argument %s", where, name)
		case !schema.Required && !schema.Optional:
			m.problemf(a.Range(), "%s: %s can not be set", where, name)
		case schema.Deprecated:
			m.problemf(a.Range(), "%s: %s is deprecated", where, name)
		default:
			m.checkValue(a, schema.AttributeType)
		}
		m.checkExpr(a.Expr, sc)
	}
	for name, a := range s.Attributes {
		if a.Required && body.Attributes[name] == nil {
			m.problemf(body.Range(), "%s needs the argument %s", where, name)
		}
	}

	static, dynamic := map[string]uint64{}, map[string]bool{}
	for _, b := range body.Blocks {
		if top && slices.Contains(meta, b.Type) {
			continue
		}
		name, inner, within := b.Type, b.Body, sc
		if b.Type == "dynamic" {
			name, within = b.Labels[0], sc.with(b.Labels[0])
			inner = content(b)
			if inner == nil || b.Body.Attributes["for_each"] == nil {
				m.problemf(b.Range(), "%s: dynamic %s needs for_each and content", where, name)
				continue
			}
			m.checkExpr(b.Body.Attributes["for_each"].Expr, sc)
			dynamic[name] = true
		} else {
			static[name]++
		}
		nested := s.NestedBlocks[name]
		if nested == nil {
			m.problemf(b.Range(), "%s has no block %s", where, name)
			continue
		}
		if nested.Block.Deprecated {
			m.problemf(b.Range(), "%s: block %s is deprecated", where, name)
		}
		m.checkBody(nested.Block, inner, where+"."+name, false, within)
	}
	for name, n := range s.NestedBlocks {
		most := n.MaxItems
		if n.NestingMode == tfjson.SchemaNestingModeSingle || n.NestingMode == tfjson.SchemaNestingModeGroup {
			most = 1
		}
		if static[name] < n.MinItems && !dynamic[name] {
			m.problemf(body.Range(), "%s needs %d of the block %s, and has %d", where, n.MinItems, name, static[name])
		}
		if most > 0 && static[name] > most {
			m.problemf(body.Range(), "%s takes %d of the block %s, and has %d", where, most, name, static[name])
		}
	}
}

// checkLifecycle checks that what is ignored is there.
func (m *module) checkLifecycle(s *tfjson.SchemaBlock, b *hclsyntax.Block, sc scope) {
	for name, a := range b.Body.Attributes {
		if name == "ignore_changes" {
			for _, t := range a.Expr.Variables() {
				rel := append(hcl.Traversal{hcl.TraverseAttr{Name: t.RootName()}}, t[1:]...)
				if err := walk(typeOf(s), "the resource", rel); err != "" {
					m.problemf(a.Range(), "ignore_changes: %s", err)
				}
			}
			continue
		}
		m.checkExpr(a.Expr, sc)
	}
	for _, inner := range b.Body.Blocks {
		m.checkReferences(inner.Body, sc)
	}
}
