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

package testing

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/testing/pki"
)

const (
	// dirPrefix is followed by the id of the process that made the directory, so that left-overs can be told.
	dirPrefix = "kubeopera-test-"
	// serverFile holds the API server's URL; it is written last, so a directory that has it is complete.
	serverFile = "server"
)

// ModuleRoot is the directory of the go.mod above the working directory, which `go test` sets to the package's.
func ModuleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", errors.Wrap(err, "cannot get working directory")
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("cannot find go.mod above the working directory")
		}
		dir = parent
	}
}

// makeDir makes the directory of a control plane, a temporary one if none is given, after it removed those of
// processes that are gone (a killed test cannot remove its own).
func makeDir(dir string) (string, error) {
	if dir != "" {
		return dir, errors.Wrap(os.MkdirAll(dir, 0o700), "cannot make directory")
	}
	sweep()
	dir, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", dirPrefix, os.Getpid()))
	return dir, errors.Wrap(err, "cannot make temporary directory")
}

// sweep removes the directories of processes that no longer exist. Best effort: others may sweep at the same time.
func sweep() {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), dirPrefix+"*")) // The pattern is well-formed.
	for _, dir := range dirs {
		id, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), dirPrefix), "-")
		pid, err := strconv.Atoi(id)
		if err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.RemoveAll(dir)
		}
	}
}

func writeFile(path string, data []byte) error {
	return errors.Wrapf(os.WriteFile(path, data, 0o600), "cannot write %s", filepath.Base(path))
}

func (c *ControlPlane) writeServer() error {
	return writeFile(filepath.Join(c.Dir, serverFile), []byte(c.server))
}

// attach uses a control plane that another process started in dir.
func attach(dir string) (*ControlPlane, error) {
	server, err := os.ReadFile(filepath.Join(dir, serverFile)) //nolint:gosec // A directory that the developer named.
	if err != nil {
		return nil, errors.Wrapf(err, "cannot use the control plane that %s names", EnvControlPlane)
	}
	ca, err := pki.Load(dir)
	if err != nil {
		return nil, err
	}
	c := &ControlPlane{Dir: dir, server: string(server), ca: ca}
	if err := c.connect(nil); err != nil {
		return nil, err
	}
	if err := c.install(Options{}); err != nil {
		return nil, err
	}
	return c, nil
}
