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
	"debug/elf"
	stderrors "errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// machines are the architectures that programs are told apart by.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// fits makes sure that the programs among the files run on an architecture: a cache, or a path without the
// architecture in it, mixes them up easily, and it shows only where the image is to run.
func (i Image) fits(architecture string) error {
	want, known := machines[architecture]
	if !known {
		return nil
	}
	for _, to := range slices.Sorted(maps.Keys(i.Files)) {
		f, err := elf.Open(i.Files[to])
		if _, unreadable := stderrors.AsType[*fs.PathError](err); unreadable {
			return errors.Wrap(err, "cannot open a file for an image")
		}
		if err != nil {
			continue // no program
		}
		got := f.Machine
		if err := f.Close(); err != nil {
			return errors.Wrap(err, "cannot close a file for an image")
		}
		if got != want {
			return errors.Errorf("cannot put %s into an image for %s: it is built for %s", i.Files[to], architecture, got)
		}
	}
	return nil
}
