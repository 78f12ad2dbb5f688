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

package function

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"

	"github.com/kubeopera/provider-kubeopera/internal/function/input/v1beta1"
)

// patch fields of one object into another. field is where the patches stand in
// the input.
func patch(patches []v1beta1.Patch, field string, from, to map[string]any) error {
	for i, p := range patches {
		if err := patchOne(p, fieldpath.Pave(from), fieldpath.Pave(to)); err != nil {
			return errors.Wrapf(err, "%s[%d]", field, i)
		}
	}

	return nil
}

func patchOne(p v1beta1.Patch, from, to *fieldpath.Paved) error {
	v, err := from.GetValue(p.FromFieldPath)

	switch {
	case fieldpath.IsNotFound(err) && !p.Required:
		return nil
	case fieldpath.IsNotFound(err):
		return errors.Errorf("%s is required", p.FromFieldPath)
	case err != nil:
		return errors.Wrapf(err, "cannot read %s", p.FromFieldPath)
	}

	if v, err = transform(p, v); err != nil {
		return err
	}

	path := p.ToFieldPath
	if path == "" {
		path = p.FromFieldPath
	}

	return errors.Wrapf(to.SetValue(path, v), "cannot write %s", path)
}

// transform a value as a patch says.
func transform(p v1beta1.Patch, v any) (any, error) {
	if p.Map != nil {
		to, ok := p.Map[fmt.Sprint(v)]
		if !ok {
			return nil, errors.Errorf("%s is %q, and must be one of: %s", p.FromFieldPath, fmt.Sprint(v), strings.Join(slices.Sorted(maps.Keys(p.Map)), ", "))
		}

		if err := json.Unmarshal(to.Raw, &v); err != nil {
			return nil, errors.Wrapf(err, "cannot read what %s is mapped to", p.FromFieldPath)
		}
	}

	switch {
	case p.Format == "":
		return runtime.DeepCopyJSONValue(v), nil
	case strings.Count(p.Format, "%") != 1 || !strings.Contains(p.Format, "%s"):
		return nil, errors.Errorf("format %q must have %%s in one place, and no other %%", p.Format)
	default:
		return fmt.Sprintf(p.Format, fmt.Sprint(v)), nil
	}
}
