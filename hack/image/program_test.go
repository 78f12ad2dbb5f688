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
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

func TestArchitecture(t *testing.T) {
	dir := t.TempDir()
	files := map[string][]byte{"amd64": header(t, elf.EM_X86_64), "arm64": header(t, elf.EM_AARCH64), "certificates": []byte("-----BEGIN CERTIFICATE-----"), "empty": nil}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	cases := map[string]struct {
		reason       string
		architecture string
		files        []string
		want         string
	}{
		"Same":      {reason: "Programs of the image's own architecture run.", architecture: "arm64", files: []string{"arm64", "certificates", "empty"}},
		"MixedUp":   {reason: "A program that would not run is refused.", architecture: "arm64", files: []string{"arm64", "amd64"}, want: "amd64 into an image for arm64: it is built for EM_X86_64"},
		"OtherWay":  {reason: "The other way round, too.", architecture: "amd64", files: []string{"arm64"}, want: "arm64 into an image for amd64: it is built for EM_AARCH64"},
		"NoProgram": {reason: "What is no program runs nowhere, and may be anywhere.", architecture: "amd64", files: []string{"certificates"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			img := Image{Name: "ghcr.io/example/program:v1", Files: map[string]string{}, Architecture: tc.architecture}
			for _, f := range tc.files {
				img.Files["/usr/bin/"+f] = filepath.Join(dir, f)
			}
			file := filepath.Join(t.TempDir(), "image.tar")
			err := img.WriteTo(file)
			if tc.want != "" {
				if err == nil || !strings.HasSuffix(err.Error(), tc.want) {
					t.Errorf("%s\nWriteTo(...): got %v, want %s", tc.reason, err, tc.want)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s\nWriteTo(...): %v", tc.reason, err)
			}
			written, err := tarball.ImageFromPath(file, nil)
			if err != nil {
				t.Fatal(err)
			}
			cfg, err := written.ConfigFile()
			if err != nil {
				t.Fatal(err)
			}
			if cfg.Architecture != tc.architecture {
				t.Errorf("%s\narchitecture: got %s, want %s", tc.reason, cfg.Architecture, tc.architecture)
			}
		})
	}
}

// header of a program, which is all that tells for what it is built.
func header(t *testing.T, m elf.Machine) []byte {
	t.Helper()
	h := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(m), Version: uint32(elf.EV_CURRENT), Ehsize: 64}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	var out bytes.Buffer
	if err := binary.Write(&out, binary.LittleEndian, h); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
