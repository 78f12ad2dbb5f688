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
	"bytes"

	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// keepCRDs annotates the CRDs of a chart that is not ours.
type keepCRDs struct{}

// Run implements postrenderer.PostRenderer.
func (keepCRDs) Run(rendered *bytes.Buffer) (*bytes.Buffer, error) {
	objects, err := parse(rendered.Bytes())
	if err != nil {
		return nil, err
	}

	out := &bytes.Buffer{}
	for _, u := range objects {
		if u.GetKind() == "CustomResourceDefinition" {
			keep(u)
		}
		doc, err := yaml.Marshal(u.Object)
		if err != nil {
			return nil, errors.Wrap(err, "cannot write a manifest")
		}
		out.WriteString("---\n")
		out.Write(doc)
	}
	return out, nil
}
