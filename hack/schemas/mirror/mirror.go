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

// Package mirror lets tests run OpenTofu without any registry: with a mirror in
// the file system, of stand-ins that have the real providers' schemas and make
// nothing.
package mirror

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/kubeopera/provider-kubeopera/hack/schemas/providers"
)

// Tofu is the OpenTofu that TOFU names, or that hack/tools/build has built.
func Tofu(tb testing.TB) string {
	tb.Helper()
	tofu := os.Getenv("TOFU")
	if tofu == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			tb.Fatal(err)
		}
		tofu = filepath.Join(cache, "kubeopera", "bin", "tofu")
	}
	if _, err := os.Stat(tofu); err != nil { //nolint:gosec // Whoever runs the test names it.
		tb.Fatalf("there is no OpenTofu: build it with `hack/tools/build opentofu`, or name one in TOFU (%v)", err)
	}
	return tofu
}

// Env builds the stand-in, makes a mirror with it, and returns the variables
// that lead OpenTofu to it and it to the schemas in SCHEMAS_DIR.
func Env(tb testing.TB) map[string]string {
	tb.Helper()
	schemas, err := filepath.Abs(os.Getenv("SCHEMAS_DIR"))
	if err != nil {
		tb.Fatal(err)
	}
	dir := tb.TempDir()
	standIn := filepath.Join(dir, "standin")
	build := exec.CommandContext(tb.Context(), "go", "build", "-buildvcs=false", "-o", standIn, ".") //nolint:gosec // The test chooses where.
	build.Dir, build.Env = source(tb), append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("cannot build hack/schemas/standin: %v\n%s", err, out)
	}
	for name, version := range providers.Oldest {
		folder := filepath.Join(dir, "mirror", "registry.opentofu.org", "hashicorp", name, version, runtime.GOOS+"_"+runtime.GOARCH)
		if err := os.MkdirAll(folder, 0o750); err != nil {
			tb.Fatal(err)
		}
		if err := os.Link(standIn, filepath.Join(folder, "terraform-provider-"+name+"_v"+version)); err != nil {
			tb.Fatal(err)
		}
	}
	config := filepath.Join(dir, "tofurc")
	text := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", filepath.Join(dir, "mirror"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	return map[string]string{"TF_CLI_CONFIG_FILE": config, "SCHEMAS_DIR": schemas, "TF_IN_AUTOMATION": "1", "CHECKPOINT_DISABLE": "1"}
}

// source is the folder of the stand-in, above the working directory.
func source(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		folder := filepath.Join(dir, "hack", "schemas", "standin")
		if _, err := os.Stat(folder); err == nil {
			return folder
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			tb.Fatal("cannot find hack/schemas/standin above the working directory")
		}
		dir = parent
	}
}
