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
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// modulesDir is where the configuration finds its modules, in the work directory.
const modulesDir = "modules"

// tempDir is for OpenTofu's temporary files, in the work directory.
const tempDir = ".tmp"

// prepare fills the work directory: configuration and modules of this run,
// nothing of an earlier one but its plugins and a state that waits to be pushed.
func prepare(ctx context.Context, o Options, s run.Spec, config []byte) error {
	if err := clean(o.WorkDir); err != nil {
		return errors.Wrap(err, "cannot clear the work directory")
	}
	if err := os.WriteFile(filepath.Join(o.WorkDir, run.ConfigFile), config, 0o600); err != nil {
		return errors.Wrap(err, "cannot write the configuration")
	}
	if s.Modules != nil {
		return CloneModules(ctx, o.WorkDir, s)
	}
	dir := filepath.Join(o.WorkDir, modulesDir)
	if err := os.RemoveAll(dir); err != nil {
		return errors.Wrap(err, "cannot clear the modules")
	}
	return errors.Wrap(copyTree(dir, o.Modules), "cannot write the modules")
}

// clean removes configuration and dependency locks of an earlier run. Never a state.
func clean(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(dir, tempDir)); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(dir, tempDir), 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		n := e.Name()
		if strings.HasSuffix(n, ".tf") || strings.HasSuffix(n, ".tf.json") || n == ".terraform.lock.hcl" {
			if err := os.Remove(filepath.Join(dir, n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyTree writes files below a directory.
func copyTree(dir string, files fs.FS) error {
	return fs.WalkDir(files, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(path))
		if e.IsDir() {
			return os.MkdirAll(to, 0o700)
		}
		data, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o600)
	})
}
