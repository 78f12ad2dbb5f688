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
	"maps"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// A scope is what may be referred to where an expression is.
type scope struct {
	count, each bool
	self        cty.Type
	// iterators of dynamic blocks and loops.
	iterators map[string]bool
}

func (s scope) with(iterator string) scope {
	its := map[string]bool{iterator: true}
	maps.Copy(its, s.iterators)
	s.iterators = its

	return s
}

// checkReferences checks all expressions of a body.
func (m *module) checkReferences(body *hclsyntax.Body, sc scope) {
	for name, a := range body.Attributes {
		if name == "type" {
			continue // A type constraint looks like a reference.
		}
		m.checkExpr(a.Expr, sc)
	}
	for _, b := range body.Blocks {
		m.checkReferences(b.Body, sc)
	}
}

// checkExpr checks references and functions of an expression.
func (m *module) checkExpr(e hclsyntax.Expression, sc scope) {
	for _, t := range e.Variables() { // Without the variables of for expressions.
		m.typeOfTraversal(t, sc, true)
	}
	_ = hclsyntax.VisitAll(e, func(n hclsyntax.Node) hcl.Diagnostics {
		switch n := n.(type) {
		case *hclsyntax.FunctionCallExpr:
			if !functions[n.Name] {
				m.problemf(n.Range(), "function %s is unknown", n.Name)
			}
		case *hclsyntax.SplatExpr, *hclsyntax.RelativeTraversalExpr:
			m.typeOfExpr(n.(hclsyntax.Expression), sc)
		}

		return nil
	})
}

// typeOfExpr follows references through indexes and splats, and reports those
// that lead nowhere. What it does not know is of any type.
func (m *module) typeOfExpr(e hclsyntax.Expression, sc scope) cty.Type {
	switch e := e.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		return m.typeOfTraversal(e.Traversal, sc, false)
	case *hclsyntax.IndexExpr:
		return element(m.typeOfExpr(e.Collection, sc))
	case *hclsyntax.RelativeTraversalExpr:
		from := m.typeOfExpr(e.Source, sc)
		if err := walk(from, "value", e.Traversal); err != "" {
			m.problemf(e.Range(), "%s", err)
		}

		return cty.DynamicPseudoType
	case *hclsyntax.SplatExpr:
		each := element(m.typeOfExpr(e.Source, sc))
		if rel, ok := e.Each.(*hclsyntax.RelativeTraversalExpr); ok {
			if err := walk(each, "splat", rel.Traversal); err != "" {
				m.problemf(e.Range(), "%s", err)
			}
		}

		return cty.DynamicPseudoType
	default:
		return cty.DynamicPseudoType
	}
}

func element(t cty.Type) cty.Type {
	if t.IsCollectionType() {
		return t.ElementType()
	}

	return cty.DynamicPseudoType
}

// typeOfTraversal is the type of var.x, local.x, aws_x.y.attr[0].b, and
// reports what is not declared.
func (m *module) typeOfTraversal(t hcl.Traversal, sc scope, report bool) cty.Type {
	fail := func(format string, args ...any) cty.Type {
		if report {
			m.problemf(t.SourceRange(), format, args...)
		}

		return cty.DynamicPseudoType
	}
	root := t.RootName()
	second := ""
	if len(t) > 1 {
		if a, ok := t[1].(hcl.TraverseAttr); ok {
			second = a.Name
		}
	}
	switch {
	case sc.iterators[root], root == "path", root == "terraform":
		return cty.DynamicPseudoType
	case root == "each" || root == "count":
		if root == "each" && !sc.each || root == "count" && !sc.count {
			return fail("%s is not set here", root)
		}

		return cty.DynamicPseudoType
	case root == "self":
		if sc.self == cty.NilType {
			return fail("self is not set here")
		}
		if err := walk(sc.self, "self", t[1:]); err != "" {
			return fail("%s", err)
		}

		return cty.DynamicPseudoType
	case root == "var":
		v := m.variables[second]
		if v == nil {
			return fail("variable %s is not declared", second)
		}
		v.used = true
		if err := walk(v.kind, "var."+second, t[2:]); err != "" {
			return fail("%s", err)
		}

		return typeAt(v.kind, t[2:])
	case root == "local":
		if m.locals[second] == nil {
			return fail("local %s is not declared", second)
		}

		return cty.DynamicPseudoType
	}

	skip := 2
	address := root + "." + second
	if root == "data" && len(t) > 2 {
		skip = 3
		third, _ := t[2].(hcl.TraverseAttr)
		address += "." + third.Name
	}
	r := m.resources[address]
	if r == nil {
		return fail("%s is not declared", address)
	}
	if err := walk(r.kind, address, t[skip:]); err != "" {
		return fail("%s", err)
	}

	return typeAt(r.kind, t[skip:])
}

// walk follows a traversal into a type, and says where it ends too early.
func walk(from cty.Type, where string, t hcl.Traversal) string {
	for _, step := range t {
		switch s := step.(type) {
		case hcl.TraverseRoot: // Of a relative traversal that was split.
		case hcl.TraverseAttr:
			switch {
			case from == cty.DynamicPseudoType || from.IsMapType():
			case !from.IsObjectType():
				return fmt.Sprintf("%s is %s and has no attribute %s", where, from.FriendlyName(), s.Name)
			case !from.HasAttribute(s.Name):
				return fmt.Sprintf("%s has no attribute %s", where, s.Name)
			}
			where += "." + s.Name
		case hcl.TraverseIndex:
			if from != cty.DynamicPseudoType && !from.IsCollectionType() && !from.IsTupleType() {
				return fmt.Sprintf("%s is %s and has no index", where, from.FriendlyName())
			}
			if from.IsSetType() {
				return where + " is a set and has no index"
			}
			where += "[…]"
		}
		from = typeAt(from, hcl.Traversal{step})
	}

	return ""
}

// typeAt is the type at the end of a traversal.
func typeAt(from cty.Type, t hcl.Traversal) cty.Type {
	for _, step := range t {
		switch s := step.(type) {
		case hcl.TraverseAttr:
			switch {
			case from.IsObjectType() && from.HasAttribute(s.Name):
				from = from.AttributeType(s.Name)
			case from.IsMapType():
				from = from.ElementType()
			default:
				return cty.DynamicPseudoType
			}
		case hcl.TraverseIndex:
			from = element(from)
		}
	}

	return from
}

// functions of Terraform that the modules may use
// (developer.hashicorp.com/terraform/language/functions).
var functions = func() map[string]bool {
	out := map[string]bool{}
	for f := range strings.FieldsSeq(`abs alltrue anytrue base64encode can ceil cidrhost cidrnetmask cidrsubnet coalesce
		concat contains distinct element endswith flatten floor format join jsonencode keys length lookup lower max
		merge min one range regex regexall replace setsubtract setunion slice sort split startswith strcontains
		substr tolist toset trimprefix trimsuffix try upper values zipmap`) {
		out[f] = true
	}

	return out
}()
