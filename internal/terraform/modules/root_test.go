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
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// A configuration is a rendered main.tf.json.
type configuration struct {
	Provider map[string]map[string]any             `json:"provider"`
	Module   map[string]map[string]json.RawMessage `json:"module"`
	Output   map[string]struct {
		Value string `json:"value"`
	} `json:"output"`
}

// reference is ${module.<name>.<output>}, the one form that renders have.
var reference = regexp.MustCompile(`^\$\{module\.([a-z-]+)\.([a-z_]+)\}$`)

// checkRoot checks the calls of modules: all that is needed, nothing unknown,
// each of the right type, and references to outputs that are there.
func checkRoot(s schemas, modules map[string]*module, text []byte) []string {
	var c configuration
	if err := json.Unmarshal(text, &c); err != nil {
		return []string{err.Error()}
	}
	var problems []string
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	refer := func(where, value string) {
		r := reference.FindStringSubmatch(value)
		switch {
		case r == nil:
		case c.Module[r[1]] == nil || modules[r[1]] == nil:
			problem("%s: module %s is not called", where, r[1])
		case !modules[r[1]].outputs[r[2]]:
			problem("%s: module %s has no output %s", where, r[1], r[2])
		}
	}
	for name, args := range c.Module {
		m := modules[name]
		if source := string(args["source"]); m == nil || source != `"./modules/`+name+`"` {
			problem("module %s has the source %s", name, source)
			continue
		}
		for arg, raw := range args {
			v := m.variables[arg]
			var text string
			switch {
			case arg == "source":
			case v == nil:
				problem("module %s has no variable %s", name, arg)
			case json.Unmarshal(raw, &text) == nil && reference.MatchString(text):
				refer(name+"."+arg, text)
			default:
				kind, err := ctyjson.ImpliedType(raw)
				if err != nil {
					problem("%s.%s: %v", name, arg, err)
					continue
				}
				value, err := ctyjson.Unmarshal(raw, kind)
				if err == nil {
					_, err = convert.Convert(value, v.kind)
				}
				if err != nil {
					problem("%s.%s: %v", name, arg, err)
				}
			}
		}
		for variable, v := range m.variables {
			if v.required && args[variable] == nil {
				problem("module %s needs the variable %s", name, variable)
			}
		}
	}
	for name, o := range c.Output {
		if !reference.MatchString(o.Value) {
			problem("output %s is %q", name, o.Value)
		}
		refer("output "+name, o.Value)
	}
	for name, args := range c.Provider {
		for arg := range args {
			if b := s[name].ConfigSchema.Block; b.Attributes[arg] == nil && b.NestedBlocks[arg] == nil {
				problem("provider %s has no argument %s", name, arg)
			}
		}
	}
	slices.Sort(problems)

	return problems
}

func loadModules(t *testing.T, s schemas) map[string]*module {
	t.Helper()
	out := map[string]*module{}
	for _, name := range moduleNames {
		out[name] = check(s, readFiles(t, name))
	}

	return out
}

// renders are the golden files of internal/terraform/render.
func renders(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../render/testdata/*.tf.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no renders (%v)", err)
	}
	out := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(f), ".tf.json")] = string(text)
	}

	return out
}

func TestRenders(t *testing.T) {
	s := loadSchemas(t)
	modules := loadModules(t, s)
	called := map[string]bool{}
	for name, text := range renders(t) {
		for _, p := range checkRoot(s, modules, []byte(text)) {
			t.Errorf("%s: %s", name, p)
		}
		for _, m := range regexp.MustCompile(`\./modules/([a-z-]+)`).FindAllStringSubmatch(text, -1) {
			called[m[1]] = true
		}
	}
	if got := slices.Sorted(maps.Keys(called)); !slices.Equal(got, moduleNames) {
		t.Errorf("want renders that call %v, got %v", moduleNames, got)
	}
}

// TestRootChecker breaks a render: each mistake must be found.
func TestRootChecker(t *testing.T) {
	s := loadSchemas(t)
	modules := loadModules(t, s)
	text := renders(t)["vanilla"]
	for name, tc := range map[string]struct{ from, to, want string }{
		"UnknownVariable": {`"spot":`, `"spotty":`, "module compute has no variable spotty"},
		"MissingVariable": {`"node_count": 2,`, ``, "module compute needs the variable node_count"},
		"WrongType":       {`"node_count": 2,`, `"node_count": "two",`, "compute.node_count: a number is required"},
		"UnknownOutput":   {`${module.vpc.nat_public_ips}`, `${module.vpc.nat_ips}`, "module vpc has no output nat_ips"},
		"UnknownModule":   {`${module.vpc.nat_public_ips}`, `${module.vps.nat_public_ips}`, "module vps is not called"},
		"Source":          {`./modules/vpc`, `./module/vpc`, "module vpc has the source"},
		"Provider":        {`"default_tags"`, `"default_labels"`, "provider aws has no argument default_labels"},
		"RootOutput":      {`${module.compute.endpoint}`, `${module.compute.url}`, "module compute has no output url"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(text, tc.from) {
				t.Fatalf("the render has no %s", tc.from)
			}
			got := strings.Join(checkRoot(s, modules, []byte(strings.Replace(text, tc.from, tc.to, 1))), "\n")
			if !strings.Contains(got, tc.want) {
				t.Errorf("want %q, got:\n%s", tc.want, got)
			}
		})
	}
}
