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

package render

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// An object of the configuration. Its keys are sorted when it is written.
type object map[string]any

// An expr is an expression of Terraform's language. All other strings are
// taken literally: ${ and %{ in them are escaped.
type expr string

// bytes writes the configuration: indented, with a newline at the end.
func (o object) bytes() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(literal(o)); err != nil {
		return nil, errors.Wrap(err, "cannot write the configuration")
	}

	return b.Bytes(), nil
}

// literal turns expressions into templates and escapes everything else, keys
// too: Terraform reads every string of a JSON configuration as a template.
func literal(v any) any {
	switch v := v.(type) {
	case expr:
		return "${" + string(v) + "}"
	case string:
		return escape(v)
	case []string:
		out := make([]any, len(v))
		for i := range v {
			out[i] = escape(v[i])
		}

		return out
	case map[string]string:
		out := make(map[string]any, len(v))
		for k := range v {
			out[escape(k)] = escape(v[k])
		}

		return out
	case object:
		out := make(map[string]any, len(v))
		for k := range v {
			out[escape(k)] = literal(v[k])
		}

		return out
	default: // Numbers, truth values and nil.
		return v
	}
}

var escaper = strings.NewReplacer("${", "$${", "%{", "%%{")

func escape(s string) string { return escaper.Replace(s) }
