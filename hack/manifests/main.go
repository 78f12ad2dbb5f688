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

// Command manifests assembles the manifests of other projects that the provider
// embeds: those of Flux and the CRD of Sealed Secrets. They come from the
// projects' own Go modules, at the versions that this module's go.mod requires,
// and are written into folders that Git ignores.
//
//	go run ./hack/manifests [-root DIR]
//
// A file that has not changed is not rewritten, so a build after it stays warm.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

const (
	fluxModule          = "github.com/fluxcd/flux2/v2"
	sealedSecretsModule = "github.com/bitnami-labs/sealed-secrets"

	fluxDir          = "internal/flux/manifests"
	fluxVersion      = fluxDir + "/version"
	sealedSecretsCRD = "internal/gitops/thirdparty/sealed-secrets-crd.yaml"
)

func main() {
	root := flag.String("root", ".", "the folder of this repository's go.mod")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	if err := run(ctx, *root); err != nil {
		fmt.Fprintln(os.Stderr, "manifests:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called.
	}
}

// run assembles every file and writes those that differ from what is there.
func run(ctx context.Context, root string) error {
	mods, err := download(ctx, root, fluxModule, sealedSecretsModule)
	if err != nil {
		return err
	}

	files, err := fluxFiles(ctx, mods[fluxModule])
	if err != nil {
		return err
	}

	crd := filepath.Join(mods[sealedSecretsModule].Dir, "helm", "sealed-secrets", "crds", "bitnami.com_sealedsecrets.yaml")
	if files[sealedSecretsCRD], err = os.ReadFile(filepath.Clean(crd)); err != nil {
		return errors.Wrap(err, "cannot read the CRD of Sealed Secrets")
	}

	for _, name := range slices.Sorted(maps.Keys(files)) {
		changed, err := write(filepath.Join(root, name), files[name])
		if err != nil {
			return err
		}
		if changed {
			fmt.Println("manifests: wrote", name)
		}
	}

	// What make goes by; builds go by content.
	now := time.Now()
	return errors.Wrap(os.Chtimes(filepath.Join(root, fluxVersion), now, now), "cannot touch the stamp")
}

// write puts content into the file at path, by way of a temporary file, unless
// it is there already. It says whether it wrote.
func write(path string, content []byte) (bool, error) {
	if have, err := os.ReadFile(filepath.Clean(path)); err == nil && bytes.Equal(have, content) {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return false, errors.Wrap(err, "cannot make the folder")
	}
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, content, 0o600); err != nil {
		return false, errors.Wrap(err, "cannot write the manifests")
	}
	return true, errors.Wrap(os.Rename(tmp, path), "cannot put the manifests in their place")
}
