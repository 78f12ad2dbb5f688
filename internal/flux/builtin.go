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

package flux

import (
	"embed"
	"io/fs"
	"slices"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// manifests of Flux, which hack/manifests assembles.
//
//go:embed manifests
var manifests embed.FS

// BuiltIn is the Flux that is built into the provider.
type BuiltIn struct {
	// Version of the flux2 release, with its leading v.
	Version string

	// Components that it has.
	Components []v1alpha1.Component

	files fs.FS
}

// LoadBuiltIn returns the Flux that is built into this provider. It fails in a
// build that was made without `make manifests`.
func LoadBuiltIn() (*BuiltIn, error) {
	files, err := fs.Sub(manifests, "manifests")
	if err != nil {
		return nil, errors.Wrap(err, "cannot open the built-in manifests")
	}

	version, err := fs.ReadFile(files, "version")
	if err != nil {
		return nil, errors.New("this provider was built without Flux: run make manifests and build it again")
	}

	names, err := fs.Glob(files, "*-controller.yaml")
	if err != nil {
		return nil, errors.Wrap(err, "cannot list the built-in manifests")
	}

	b := &BuiltIn{Version: strings.TrimSpace(string(version)), files: files}
	for _, n := range names {
		b.Components = append(b.Components, v1alpha1.Component(strings.TrimSuffix(n, ".yaml")))
	}

	return b, nil
}

// check refuses what the built-in Flux cannot do.
func (b *BuiltIn) check(o Options) error {
	if o.Version != "" && o.Version != b.Version {
		return fault.Newf(v1alpha1.ReasonRefused, "Flux %s is not built in, %s is: leave version empty, or set chart", o.Version, b.Version)
	}
	for _, c := range o.Components {
		if !slices.Contains(b.Components, c) {
			return fault.Newf(v1alpha1.ReasonRefused, "%s is not built in: leave it out of components, or set chart", c)
		}
	}
	return nil
}
