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

// Package openapi holds the document of the HTTP API, in OpenAPI 3.0.
package openapi

import (
	_ "embed"
	"net/http"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

// Path that the document is served at.
const Path = "/openapi.json"

//go:embed openapi.yaml
var source []byte

// Document in JSON.
var Document = sync.OnceValues(func() ([]byte, error) {
	data, err := yaml.YAMLToJSON(source)
	return data, errors.Wrap(err, "cannot read the OpenAPI document")
})

// Handler serves the document, to anybody: it tells nothing of a cluster.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		data, err := Document()
		if err != nil {
			reply.Fail(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(data) // Whoever asked may be gone.
	})
}
