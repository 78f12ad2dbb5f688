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
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// components are the controllers that the provider can install. Those that are
// optional are left out where their module cannot be downloaded.
func components() map[string]bool {
	const optional = true
	return map[string]bool{
		"source-controller":       !optional,
		"kustomize-controller":    !optional,
		"helm-controller":         !optional,
		"notification-controller": optional,
	}
}

// releaseURL is how a base of the flux2 module refers to a controller's release.
var releaseURL = regexp.MustCompile(`https://github\.com/fluxcd/[a-z-]+/releases/download/(v[0-9.]+)/([a-z-]+\.(?:crds|deployment)\.yaml)`)

// fluxFiles does what Flux's own manifests/scripts/bundle.sh does, with the
// controllers' modules in place of their releases.
func fluxFiles(ctx context.Context, flux module) (map[string][]byte, error) {
	files := map[string][]byte{fluxVersion: []byte(flux.Version + "\n")}

	for name, optional := range components() {
		out, err := component(ctx, flux, name)
		if err != nil && optional {
			fmt.Printf("manifests: without %s: %v\n", name, err)
			continue
		}
		if err != nil {
			return nil, errors.Wrapf(err, "cannot assemble %s", name)
		}
		files[fmt.Sprintf("%s/%s.yaml", fluxDir, name)] = out
	}

	for _, name := range []string{"rbac", "policies"} {
		out, err := build(filepath.Join(flux.Dir, "manifests", name))
		if err != nil {
			return nil, errors.Wrapf(err, "cannot assemble %s", name)
		}
		files[fmt.Sprintf("%s/%s.yaml", fluxDir, name)] = out
	}
	return files, nil
}

// component builds the base of one controller. What the base would fetch from
// the controller's release equals what config/crd and config/manager of its
// module build.
func component(ctx context.Context, flux module, name string) ([]byte, error) {
	mem, err := load(filepath.Join(flux.Dir, "manifests", "bases", name))
	if err != nil {
		return nil, err
	}
	base, err := mem.ReadFile("/kustomization.yaml")
	if err != nil {
		return nil, errors.Wrap(err, "cannot read its base")
	}
	match := releaseURL.FindSubmatch(base)
	if match == nil {
		return nil, errors.New("its base refers to no release")
	}

	query := "github.com/fluxcd/" + name
	mods, err := download(ctx, os.TempDir(), query+"@"+string(match[1]))
	if err != nil {
		return nil, err
	}
	for file, dir := range map[string]string{name + ".crds.yaml": "config/crd", name + ".deployment.yaml": "config/manager"} {
		out, err := build(filepath.Join(mods[query].Dir, dir))
		if err != nil {
			return nil, err
		}
		if err := mem.WriteFile("/"+file, out); err != nil {
			return nil, errors.Wrap(err, "cannot keep a built file")
		}
	}
	if err := mem.WriteFile("/kustomization.yaml", releaseURL.ReplaceAll(base, []byte("$2"))); err != nil {
		return nil, errors.Wrap(err, "cannot keep the base")
	}
	return kustomize(mem)
}

// build runs kustomize on a folder that refers to nothing outside of it.
func build(dir string) ([]byte, error) {
	mem, err := load(dir)
	if err != nil {
		return nil, err
	}
	return kustomize(mem)
}

func kustomize(dir filesys.FileSystem) ([]byte, error) {
	res, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(dir, "/")
	if err != nil {
		return nil, errors.Wrap(err, "cannot run kustomize")
	}
	out, err := res.AsYaml()
	return out, errors.Wrap(err, "cannot write YAML")
}

// load copies a folder into memory: nothing is written into the module cache.
func load(dir string) (filesys.FileSystem, error) {
	mem := filesys.MakeFsInMemory()
	disk := os.DirFS(dir)
	err := fs.WalkDir(disk, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(disk, name)
		if err != nil {
			return err
		}
		return mem.WriteFile("/"+name, content)
	})
	return mem, errors.Wrap(err, "cannot read the module")
}
