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

// Command controlplane runs a command, usually `go test ./...`, with one control plane that all its packages share,
// and ends with the command's exit code. Without a command it says how to use the control plane and waits for Ctrl-C.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	cp, err := kt.Start(ctx, kt.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer cp.Stop()
	if len(args) == 0 {
		return wait(ctx, cp)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // The command is the caller's own.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), kt.EnvControlPlane+"="+cp.Dir)
	if err := cmd.Run(); err != nil {
		if code := cmd.ProcessState.ExitCode(); code > 0 {
			return code // The command has said what is wrong.
		}
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func wait(ctx context.Context, cp *kt.ControlPlane) int {
	kubeconfig, err := cp.AdminKubeconfig()
	if err == nil {
		err = os.WriteFile(filepath.Join(cp.Dir, "admin.kubeconfig"), kubeconfig, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Fprintf(os.Stdout, "export %s=%s\nexport KUBECONFIG=%s/admin.kubeconfig\n", kt.EnvControlPlane, cp.Dir, cp.Dir)
	<-ctx.Done()
	return 0
}
