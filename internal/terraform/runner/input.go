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

package runner

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// ReadSpec reads the run's specification from a run directory. It refuses
// every version but its own, and fields that it does not know.
func ReadSpec(dir string) (run.Spec, error) {
	var s run.Spec
	data, err := os.ReadFile(filepath.Join(dir, run.SpecFile)) //nolint:gosec // The caller says where.
	if err != nil {
		return s, errors.Wrap(err, "cannot read the run directory")
	}
	var v struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return s, errors.Wrapf(err, "cannot read %s", run.SpecFile)
	}
	if v.Version != run.Version {
		return s, errors.Errorf("%s has version %d, this runner does version %d: use the runner's image of the provider's release", run.SpecFile, v.Version, run.Version)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, errors.Wrapf(err, "cannot read %s", run.SpecFile)
	}
	return s, checkSpec(s)
}

// checkSpec tells what a specification lacks.
func checkSpec(s run.Spec) error {
	if s.Action != run.Apply && s.Action != run.Destroy {
		return errors.Errorf("%s has no action %q", run.SpecFile, s.Action)
	}
	for _, f := range []struct{ name, value string }{
		{"id", s.ID},
		{"cluster", s.Cluster},
		{"owner", s.Owner},
		{"revision", s.Revision},
		{"topology", string(s.Topology)},
		{"cloudName", s.CloudName},
		{"state.backend", s.State.Backend},
		{"state.bucket", s.State.Bucket},
		{"state.key", s.State.Key},
		{"publish.namespace", s.Publish.Namespace},
		{"publish.secret", s.Publish.Secret},
	} {
		if f.value == "" {
			return errors.Errorf("%s lacks %s", run.SpecFile, f.name)
		}
	}
	return nil
}

// readConfig reads the rendered configuration and checks that it is the one
// that the specification means.
func readConfig(dir string, s run.Spec) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(dir, run.ConfigFile)) //nolint:gosec // The caller says where.
	if err != nil {
		return nil, failWrap(err, run.ClassInvalid, "cannot read the rendered configuration")
	}
	if got := run.Revision(data); got != s.Revision {
		return nil, failf(run.ClassInvalid, "%s is revision %.12s, the run is for %.12s: the run directory is of two runs", run.ConfigFile, got, s.Revision)
	}
	return data, nil
}
