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
	"debug/elf"
	"encoding/binary"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// machines of the architectures that packages are built for.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// TestPush pushes the packages as docs/install.md says, and takes them as a node of each architecture does.
func TestPush(t *testing.T) {
	root, err := kt.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	b := builder{out: t.TempDir(), crank: crank(t)}
	for _, a := range artifacts {
		if a.image == nil {
			build(t, b, a, "")
			continue
		}
		for architecture := range machines {
			build(t, b, a, architecture)
		}
	}
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://") + "/kubeopera/"

	for _, a := range artifacts {
		if a.root == "" {
			continue // no package
		}
		t.Run(a.name, func(t *testing.T) {
			files := []string{b.file(a, "", "xpkg")}
			if a.image != nil {
				files = []string{b.file(a, "amd64", "xpkg"), b.file(a, "arm64", "xpkg")}
			}
			push(t, b, files, host+a.name+":v0.1.0")
			for architecture, machine := range machines {
				img := pull(t, host+a.name+":v0.1.0", architecture)
				if a.image == nil {
					continue // which is all that matters
				}
				cfg, err := img.ConfigFile()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(architecture, cfg.Architecture); diff != "" {
					t.Errorf("%s: -want, +got:\n%s", architecture, diff)
				}
				if content := flat(t, img); !bytes.Contains(content, program(t, machine)) {
					t.Errorf("package for %s has no program for it", architecture)
				}
				for _, variable := range []string{"ALL_NAMESPACES=true", "CLUSTER_PROVIDER_CONFIGS=true"} {
					if got, want := slices.Contains(cfg.Config.Env, variable), a.name == "provider-kubeopera"; got != want {
						t.Errorf("%s in the image's environment: got %t, want %t", variable, got, want)
					}
				}
			}
		})
	}
}

// build a package of programs that do nothing.
func build(t *testing.T, b builder, a artifact, architecture string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(file, program(t, machines[architecture]), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.artifact(t.Context(), a, func(string) string { return file }, architecture); err != nil {
		t.Fatal(err)
	}
}

func push(t *testing.T, b builder, files []string, ref string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), filepath.Join(b.crank, "crank"), "xpkg", "push", "-f", strings.Join(files, ","), ref).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %s", err, out)
	}
}

func pull(t *testing.T, ref, architecture string) v1.Image {
	t.Helper()
	tag, err := name.NewTag(ref)
	if err != nil {
		t.Fatal(err)
	}
	img, err := remote.Image(tag, remote.WithContext(t.Context()), remote.WithPlatform(v1.Platform{OS: "linux", Architecture: architecture}))
	if err != nil {
		t.Fatalf("for %s: %s", architecture, err)
	}
	return img
}

// flat is the content of all layers.
func flat(t *testing.T, img v1.Image) []byte {
	t.Helper()
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, l := range layers {
		r, err := l.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&out, r); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// program is the header of one, which is all that tells for what it is built.
func program(t *testing.T, m elf.Machine) []byte {
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

// crank is the directory where CRANK says it is, or where hack/tools/build puts it.
func crank(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("CRANK"); path != "" {
		return filepath.Dir(path)
	}
	dir, err := tool(context.WithoutCancel(t.Context()), "crank")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
