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

// Package image makes container images FROM scratch as docker-archive tarballs: no Docker, no registry.
package image

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/compression"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Image is what goes into one.
type Image struct {
	// Name with a tag, as manifests use it.
	Name string
	// Files maps paths in the image to files of this machine. All are executable.
	Files map[string]string
	// Entrypoint is the command.
	Entrypoint []string
	// User is numeric: the kubelet cannot tell otherwise that it is not root.
	User string
	// Environment in the form name=value, besides PATH.
	Environment []string
	// Architecture in Go's words; this machine's by default.
	Architecture string
}

// Write makes the image's tarball in a directory unless one of the same content is there, and returns its path.
// Several processes may do so at once.
func (i Image) Write(ctx context.Context, dir string) (string, error) {
	key, err := i.key()
	if err != nil {
		return "", err
	}
	base, _, _ := strings.Cut(path.Base(i.Name), ":")
	file := filepath.Join(dir, base+"-"+key+".tar")
	if _, err := os.Stat(file); err == nil || ctx.Err() != nil {
		return file, ctx.Err()
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", errors.Wrap(err, "cannot make the directory of images")
	}
	return file, i.WriteTo(file)
}

// WriteTo makes the image's tarball in a file, at once or not at all.
func (i Image) WriteTo(file string) error {
	ref, err := name.NewTag(i.Name)
	if err != nil {
		return errors.Wrapf(err, "cannot parse the image name %q", i.Name)
	}
	img, err := i.build()
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".image-*")
	if err != nil {
		return errors.Wrap(err, "cannot make a temporary file")
	}
	defer os.Remove(tmp.Name())
	if err := tarball.Write(ref, img, tmp); err != nil {
		return errors.Wrapf(err, "cannot write image %s", i.Name)
	}
	if err := tmp.Close(); err != nil {
		return errors.Wrapf(err, "cannot write image %s", i.Name)
	}
	return errors.Wrap(os.Rename(tmp.Name(), file), "cannot keep an image")
}

// key tells images of different content apart.
func (i Image) key() (string, error) {
	sum := sha256.New()
	files := slices.Sorted(maps.Keys(i.Files))
	if err := json.NewEncoder(sum).Encode([]any{i.Name, i.Entrypoint, i.User, i.Environment, i.Architecture, files}); err != nil {
		return "", errors.Wrap(err, "cannot encode an image")
	}
	for _, to := range files {
		if err := copyFrom(sum, i.Files[to]); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}

func copyFrom(w io.Writer, path string) error {
	f, err := os.Open(path) //nolint:gosec // a file that the caller names
	if err != nil {
		return errors.Wrap(err, "cannot open a file for an image")
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return errors.Wrap(err, "cannot read a file for an image")
}

func (i Image) build() (v1.Image, error) {
	architecture := cmp.Or(i.Architecture, runtime.GOARCH)
	if err := i.fits(architecture); err != nil {
		return nil, err
	}
	content, err := i.layer()
	if err != nil {
		return nil, err
	}
	// Uncompressed: most never leave this machine, and registries compress what is pushed to them.
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
		tarball.WithCompression(compression.None))
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a layer")
	}
	img, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		OS: "linux", Architecture: architecture, RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User: i.User, Entrypoint: i.Entrypoint,
			Env: append([]string{"PATH=/usr/local/bin:/usr/bin:/bin"}, i.Environment...),
		},
	})
	if err != nil {
		return nil, errors.Wrap(err, "cannot configure an image")
	}
	img, err = mutate.AppendLayers(img, layer)
	return img, errors.Wrap(err, "cannot add a layer")
}

// layer is the tar archive of all files, with /tmp and the directories on the way.
func (i Image) layer() ([]byte, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, dir := range directories(slices.Collect(maps.Keys(i.Files))) {
		mode := int64(0o755)
		if dir == "tmp" {
			mode = 0o1777
		}
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: mode}); err != nil {
			return nil, errors.Wrap(err, "cannot write a directory of a layer")
		}
	}
	for _, to := range slices.Sorted(maps.Keys(i.Files)) {
		info, err := os.Stat(i.Files[to])
		if err != nil {
			return nil, errors.Wrap(err, "cannot find a file for an image")
		}
		if err := w.WriteHeader(&tar.Header{Name: strings.Trim(to, "/"), Mode: 0o755, Size: info.Size()}); err != nil {
			return nil, errors.Wrap(err, "cannot write a file of a layer")
		}
		if err := copyFrom(w, i.Files[to]); err != nil {
			return nil, err
		}
	}
	return buf.Bytes(), errors.Wrap(w.Close(), "cannot end a layer")
}

// directories are all directories that the files lie in, and tmp, parents first.
func directories(files []string) []string {
	seen := map[string]bool{"tmp": true}
	for _, file := range files {
		for dir := path.Dir(strings.Trim(file, "/")); dir != "."; dir = path.Dir(dir) {
			seen[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
