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
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Where the examples are, and what they are rendered to.
const (
	examplesDir      = "examples/render"
	goldenDir        = "hack/render/testdata/golden"
	configurationDir = "cluster/configuration"
	functions        = examplesDir + "/functions.yaml"
)

// A preview is one thing to render. Paths are relative to the root.
type preview struct {
	example string

	// name of what is shown: complete, step, or the name of a file of observed resources.
	name string

	xr          string
	composition string

	// xrd of an XR; empty for a HostCluster, which is a CRD.
	xrd string

	// observed resources; empty for none.
	observed string
}

func (p preview) String() string { return p.example + ": " + p.name }

func (p preview) golden() string { return filepath.Join(goldenDir, p.example, p.name+".yaml") }

// find the previews. A folder with a HostCluster is shown step by step, and all that it comes to; one with an XR of
// another kind by the Configuration's composition.
func find(root string) ([]preview, error) {
	dirs, err := os.ReadDir(filepath.Join(root, examplesDir))
	if err != nil {
		return nil, err
	}
	var previews []preview
	for _, d := range dirs {
		if !d.IsDir() {
			continue
		}
		here := filepath.Join(examplesDir, d.Name())
		step := preview{example: d.Name(), name: "step", xr: filepath.Join(here, "hostcluster.yaml"), composition: examplesDir + "/composition.yaml"}
		if _, err := os.Stat(filepath.Join(root, step.xr)); err == nil {
			all := step
			all.name, all.composition = "complete", examplesDir+"/composition-complete.yaml"
			previews = append(previews, all)
		} else {
			name, ok := strings.CutPrefix(d.Name(), "team-cluster-")
			if !ok {
				return nil, errors.Errorf("%s has no hostcluster.yaml", here)
			}
			step.name, step.xr = "composed", filepath.Join(here, "xr.yaml")
			step.composition, step.xrd = filepath.Join(configurationDir, "composition-"+name+".yaml"), configurationDir+"/definition.yaml"
		}
		previews = append(previews, step)

		observed, err := filepath.Glob(filepath.Join(root, here, "observed", "*.yaml"))
		if err != nil {
			return nil, err
		}
		for _, o := range observed {
			next := step
			next.name = strings.TrimSuffix(filepath.Base(o), ".yaml")
			next.observed = filepath.Join(here, "observed", filepath.Base(o))
			previews = append(previews, next)
		}
	}
	return previews, nil
}

// chosen are the previews of the examples that are named; all if none is.
func chosen(all []preview, examples []string) ([]preview, error) {
	known := map[string]bool{}
	for _, p := range all {
		known[p.example] = true
	}
	for _, e := range examples {
		if !known[e] {
			return nil, errors.Errorf("no example %q: there are %s", e, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
	if len(examples) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(all, func(p preview) bool { return !slices.Contains(examples, p.example) }), nil
}
