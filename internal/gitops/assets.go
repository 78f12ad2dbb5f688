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

// Package gitops holds what its subpackages share: the manifests that are
// built into the provider and that a GitOps tree contains as they are.
package gitops

import (
	"embed"
	"io/fs"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	"github.com/kubeopera/provider-kubeopera/package/crds"
)

// Manifests of other projects: assembled at build time, never committed.
//
//go:embed thirdparty
var thirdparty embed.FS

// Assets are the manifests that every tree contains as they are. It is an
// error that the provider was built without those of other projects.
func Assets() (render.Assets, error) {
	sealed, err := thirdparty.ReadFile("thirdparty/sealed-secrets-crd.yaml")
	if errors.Is(err, fs.ErrNotExist) {
		return render.Assets{}, errors.New("this provider was built without the manifests of Sealed Secrets: run make manifests, then build it again")
	}

	if err != nil {
		return render.Assets{}, errors.Wrap(err, "cannot read the manifests of Sealed Secrets")
	}

	own, err := yamls(crds.Files)

	return render.Assets{SealedSecretsCRD: sealed, CRDs: own}, err
}

// yamls reads the YAML files of a folder.
func yamls(dir fs.FS) (map[string][]byte, error) {
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil, errors.Wrap(err, "cannot list the CustomResourceDefinitions of KubeOpera")
	}

	out := map[string][]byte{}

	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".yaml") {
			continue
		}

		b, err := fs.ReadFile(dir, e.Name())
		if err != nil {
			return nil, errors.Wrap(err, "cannot read a CustomResourceDefinition of KubeOpera")
		}

		out[e.Name()] = b
	}

	if len(out) == 0 {
		return nil, errors.New("this provider was built without its own CustomResourceDefinitions: run make generate, then build it again")
	}

	return out, nil
}
