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
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

const (
	cgroupRoot = "/sys/fs/cgroup"
	// cgroupPatience is how long the kernel is given to empty the cgroups of a killed node, cgroupPoll how long
	// between two looks.
	cgroupPatience = 10 * time.Second
	cgroupPoll     = 50 * time.Millisecond
)

// hierarchies returns where cgroups are made: one directory with cgroups v2, one per controller with v1.
func hierarchies() ([]string, error) {
	if _, err := os.Stat(filepath.Join(cgroupRoot, "cgroup.controllers")); err == nil {
		return []string{cgroupRoot}, nil
	}
	dirs, err := filepath.Glob(filepath.Join(cgroupRoot, "*", "cgroup.procs"))
	for i := range dirs {
		dirs[i] = filepath.Dir(dirs[i])
	}
	return dirs, errors.Wrap(err, "cannot list the cgroup hierarchies")
}

// makeCgroups makes the node's cgroup in each hierarchy, so that several nodes run side by side.
func makeCgroups(name string) error {
	roots, err := hierarchies()
	if err != nil {
		return err
	}
	for _, root := range roots {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(dir, 0o750); err != nil {
			return errors.Wrap(err, "cannot make a cgroup")
		}
		// A new v1 cpuset is empty, and takes no process until it has what its parent has.
		for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
			if strings.HasSuffix(root, "/cpuset") {
				if err := copyFile(filepath.Join(root, file), filepath.Join(dir, file)); err != nil {
					return err
				}
			}
		}
		if root == cgroupRoot {
			if err := delegate(root, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// delegate hands all v2 controllers down to what the kubelet will make below dir.
func delegate(root, dir string) error {
	controllers, err := os.ReadFile(filepath.Join(root, "cgroup.controllers")) //nolint:gosec // a kernel file
	if err != nil {
		return errors.Wrap(err, "cannot list the cgroup controllers")
	}
	for _, parent := range []string{root, dir} {
		for c := range strings.FieldsSeq(string(controllers)) {
			// Some controllers cannot be delegated everywhere; the kubelet names those that it misses.
			_ = os.WriteFile(filepath.Join(parent, "cgroup.subtree_control"), []byte("+"+c), 0o644) //nolint:gosec // a kernel file
		}
	}
	return nil
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from) //nolint:gosec // a kernel file
	if err != nil {
		return errors.Wrap(err, "cannot read a cgroup's setting")
	}
	return errors.Wrap(os.WriteFile(to, content, 0o644), "cannot write a cgroup's setting") //nolint:gosec // a kernel file
}

// removeCgroups removes the node's cgroups once the kernel has emptied them.
func removeCgroups(name string) error {
	roots, err := hierarchies()
	if err != nil {
		return err
	}
	for _, root := range roots {
		dir := filepath.Join(root, name)
		err := removeTree(dir)
		for begin := time.Now(); err != nil && time.Since(begin) < cgroupPatience; err = removeTree(dir) {
			time.Sleep(cgroupPoll)
		}
		if err != nil {
			return errors.Wrap(err, "cannot remove a cgroup of an earlier node, which perhaps still runs")
		}
		// containerd makes this one beside ours; another node may be using it.
		_ = removeTree(filepath.Join(root, "k8s.io"))
	}
	return nil
}

// removeTree removes a tree of cgroups, children first. Their files are not files that could be removed.
func removeTree(dir string) error {
	var dirs []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		return nil // whatever vanished meanwhile is what we want
	})
	if err != nil {
		return err
	}
	for _, d := range slices.Backward(dirs) {
		if err := os.Remove(d); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
