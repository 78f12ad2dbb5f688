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
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/execcredential/helpertest"
)

func TestMain(m *testing.M) { helpertest.Main(m, helper()) }

func TestHelper(t *testing.T) {
	s := cloudtest.Start(t)
	s.SetEnv(t)
	file := filepath.Join(t.TempDir(), "gcp.json")
	if err := os.WriteFile(file, s.GCPKey("my-project"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file)
	helpertest.Test(t, helper, []string{"--project", "my-project"}, "ya29.")

	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file+".missing")
	out := &strings.Builder{}
	if err := helper().Run(t.Context(), nil, "", out, io.Discard); err == nil || !strings.Contains(err.Error(), "cannot find credentials of Google Cloud") || out.Len() > 0 {
		t.Errorf("Without credentials there is no token: %v, %q", err, out)
	}
}
