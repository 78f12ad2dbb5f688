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
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// A module is one that the go command has put into the module cache.
type module struct {
	Path    string `json:"Path"`
	Version string `json:"Version"`
	Dir     string `json:"Dir"`
	Error   string `json:"Error"`
}

// download makes sure that the modules are in the module cache and returns them
// by path. A query without a version means the version that the go.mod in dir
// selects; path@version may be asked for in any folder.
func download(ctx context.Context, dir string, queries ...string) (map[string]module, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"mod", "download", "-json"}, queries...)...) //nolint:gosec // Our own constants and versions.
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	runErr := cmd.Run()

	mods := map[string]module{}
	for dec := json.NewDecoder(out); ; {
		m := module{}
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, errors.Wrap(err, "cannot read what go mod download says")
		}
		if m.Error != "" {
			return nil, errors.Errorf("cannot download %s: %s", m.Path, m.Error)
		}
		mods[m.Path] = m
	}
	return mods, errors.Wrap(runErr, "cannot run go mod download")
}
