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
	"os"
	"path/filepath"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// EnvAssets names the directory that holds the binaries; the Makefile sets it, and so does setup-envtest.
const EnvAssets = "KUBEBUILDER_ASSETS"

// The programs of a control plane.
const (
	etcdBinary              = "etcd"
	apiServerBinary         = "kube-apiserver"
	controllerManagerBinary = "kube-controller-manager"
)

// binaries are the paths of the programs of a control plane.
type binaries struct{ etcd, apiServer, controllerManager string }

// findBinaries looks in EnvAssets first and then in the directories where the Makefile builds to. Each program is
// looked for alone, because a setup-envtest directory has no kube-controller-manager.
func findBinaries() (binaries, error) {
	dirs := assetDirs()
	var missing []string
	find := func(name string) string {
		for _, dir := range dirs {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return path
			}
		}
		missing = append(missing, name)
		return ""
	}
	b := binaries{etcd: find(etcdBinary), apiServer: find(apiServerBinary), controllerManager: find(controllerManagerBinary)}
	if len(missing) > 0 {
		return binaries{}, errors.Errorf("cannot find %s in %s: run 'make test', which builds them and sets %s",
			strings.Join(missing, ", "), strings.Join(dirs, ", "), EnvAssets)
	}
	return b, nil
}

// assetDirs are the directories that may hold the binaries, most wanted first.
func assetDirs() []string {
	var dirs []string
	if dir := os.Getenv(EnvAssets); dir != "" {
		dirs = append(dirs, dir)
	}
	if cache, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, filepath.Join(cache, "kubeopera", "bin"))
	}
	return dirs
}
