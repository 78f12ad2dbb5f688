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

package node

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// Each file must render, and those that are YAML must be that.
func TestWrite(t *testing.T) {
	n := &inside{Options: Options{Dir: t.TempDir(), cgroup: "kubeopera-1"}}
	entries, err := files.ReadDir("files")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Run(e.Name(), func(t *testing.T) {
			path := filepath.Join(n.Dir, e.Name())
			if err := n.write(e.Name(), path); err != nil {
				t.Fatal(err)
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Ext(path) != ".yaml" {
				return
			}
			for doc := range strings.SplitSeq(string(content), "\n---\n") {
				if err := yaml.UnmarshalStrict([]byte(doc), &map[string]any{}); err != nil {
					t.Errorf("%v in:\n%s", err, doc)
				}
			}
		})
	}
}

func TestCertificates(t *testing.T) {
	n := &inside{Options: Options{Dir: t.TempDir()}}
	if err := n.certificates(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"ca.key", "apiserver.crt", "kubelet.kubeconfig", adminKubeconfig, "sa.pub"} {
		if _, err := n.pki.Read(file); err != nil {
			t.Error(err)
		}
	}
}

func TestRemoveTree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cgroup")
	if err := removeTree(dir); err != nil {
		t.Errorf("what is not there is removed: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "kubepods", "pod"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := removeTree(dir); err != nil {
		t.Fatal(err)
	}
	_, err := os.Stat(dir)
	if diff := cmp.Diff(true, os.IsNotExist(err)); diff != "" {
		t.Errorf("the whole tree should be gone: -want, +got:\n%s", diff)
	}
}
