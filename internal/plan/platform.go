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

package plan

import (
	"fmt"
	"slices"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// platformVerdict tells whether every layer of the tree of pass 2 was applied
// and is healthy. Once that was so, the platform stays installed; how it fares
// shows in FluxReady and EnvironmentReady.
func (p *planner) platformVerdict() verdict {
	if p.installed {
		return done("KubeOpera is installed")
	}

	fb, ge := p.seen.FluxBootstrap, p.seen.GitOpsEnvironment
	if fb == nil || ge == nil {
		return progress("Flux is being pointed at " + p.path())
	}

	if v := p.ready(v1alpha1.GitOpsEnvironmentKind, ge); !v.done {
		return v.or("Writing " + p.path() + " to Git")
	}

	_, hash := p.passes()
	if hash == "" || !p.synced() {
		return progress("Flux is being pointed at " + p.path())
	}

	if v := p.ready(v1alpha1.FluxBootstrapKind, fb); !v.done {
		return v.or("Flux is applying " + p.path())
	}

	if !is(fb, v1alpha1.TypeLayersReady) {
		return progress(fb.GetCondition(v1alpha1.TypeLayersReady).Message).or("Flux is applying " + p.path())
	}

	for _, l := range layers() {
		if !applied(fb.Status.AtProvider.Layers, l, hash) {
			return progress(fmt.Sprintf("Flux is applying layer %s of %s", l, p.path()))
		}
	}

	return done("KubeOpera is installed")
}

// complete tells whether every layer is among those given.
func complete(given []v1alpha1.Layer) bool {
	for _, l := range layers() {
		if !slices.Contains(given, l) {
			return false
		}
	}

	return true
}

// applied tells whether a layer of the tree with a hash is applied and healthy.
func applied(seen []v1alpha1.LayerStatus, l v1alpha1.Layer, hash string) bool {
	return slices.ContainsFunc(seen, func(s v1alpha1.LayerStatus) bool {
		return s.Name == l && s.Ready && s.TreeHash == hash
	})
}
