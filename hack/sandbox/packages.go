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

package sandbox

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// debianPackages lists what a node takes from the machine: a package and a file of it on each line.
//
//go:embed debian-packages.txt
var debianPackages string

// insteadHint says how to do without a node.
const insteadHint = "to use a cluster that you have, set DEMO_TARGET_KUBECONFIG to its kubeconfig's file, " +
	"and DEMO_GIT_ADDRESS to an address of this machine that its pods reach, with a port"

// requireMachine checks that this machine can run what the options ask for, and installs what is missing for a node.
func requireMachine(ctx context.Context, opts Options) error {
	if opts.TargetKubeconfig != "" {
		if opts.GitAddress == "" {
			return errors.New("DEMO_TARGET_KUBECONFIG needs DEMO_GIT_ADDRESS too: an address of this machine that the target's pods reach, with a port")
		}
		return nil
	}
	if runtime.GOOS != "linux" {
		return errors.Errorf("the sandbox's node needs Linux, this is %s; %s", runtime.GOOS, insteadHint)
	}
	packages := missing(debianPackages, exists)
	if os.Geteuid() != 0 {
		need := "root"
		if len(packages) > 0 {
			need += ", and these Debian packages: " + strings.Join(packages, " ")
		}
		return errors.Errorf("the sandbox's node needs %s; %s", need, insteadHint)
	}
	if len(packages) == 0 {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return errors.Errorf("these programs are missing, under the names of their Debian packages: %s; %s", strings.Join(packages, " "), insteadHint)
	}
	opts.Log("installing Debian packages: " + strings.Join(packages, " "))
	if err := apt(ctx, "update"); err != nil {
		return err
	}
	return apt(ctx, append([]string{"install", "--yes", "--no-install-recommends"}, packages...)...)
}

// missing returns the packages whose files are not there.
func missing(list string, exists func(file string) bool) []string {
	var out []string
	for line := range strings.Lines(list) {
		if name, file, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !exists(file) {
			out = append(out, name)
		}
	}
	return out
}

// exists finds a file by its path, or a program by its name.
func exists(file string) bool {
	if filepath.IsAbs(file) {
		_, err := os.Stat(file)
		return err == nil
	}
	_, err := exec.LookPath(file)
	return err == nil
}

func apt(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "apt-get", append([]string{"--quiet"}, args...)...) //nolint:gosec // our own commands
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	out, err := cmd.CombinedOutput()
	return errors.Wrapf(err, "cannot run apt-get %s: %s", args[0], out)
}
