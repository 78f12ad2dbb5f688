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

package image

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("#!"), 0o600); err != nil {
		t.Fatal(err)
	}
	img := Image{
		Name: "ghcr.io/example/program:v1", Files: map[string]string{"/usr/bin/program": program},
		Entrypoint: []string{"program"}, User: "65534",
	}

	file, err := img.Write(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tarball.ImageFromPath(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := got.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("65534", cfg.Config.User); diff != "" {
		t.Errorf("user: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"program"}, cfg.Config.Entrypoint); diff != "" {
		t.Errorf("entrypoint: -want, +got:\n%s", diff)
	}

	again, err := img.Write(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(file, again); diff != "" {
		t.Errorf("the same content should give the same file: -want, +got:\n%s", diff)
	}
	if err := os.WriteFile(program, []byte("#!/"), 0o600); err != nil {
		t.Fatal(err)
	}
	other, err := img.Write(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if other == file {
		t.Errorf("other content should give another file than %s", file)
	}
}

func TestDirectories(t *testing.T) {
	cases := map[string]struct {
		reason string
		files  []string
		want   []string
	}{
		"None":    {reason: "tmp is always there", want: []string{"tmp"}},
		"Nested":  {reason: "parents come before children", files: []string{"/usr/bin/a", "/usr/lib/b"}, want: []string{"tmp", "usr", "usr/bin", "usr/lib"}},
		"TopOnly": {reason: "a file in the root needs no directory", files: []string{"/a"}, want: []string{"tmp"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, directories(tc.files)); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
