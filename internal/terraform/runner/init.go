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

package runner

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Init does what the first process of a container has to: it starts this
// program again as its child, hands on the first SIGTERM or SIGINT, and only
// that one, and reaps what is orphaned until the child has ended. It returns
// the child's exit code.
//
// One process for both would take the exit codes of OpenTofu from os/exec.
func Init(args []string) (int, error) {
	// Orphans become children of the first process by themselves, of any other one by this.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, errors.Wrap(err, "cannot adopt orphans")
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)

	cmd := exec.Command("/proc/self/exe", args...) //nolint:gosec,noctx // This program itself; it ends by a signal, see below.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return 0, errors.Wrap(err, "cannot start the run")
	}
	go func() {
		// A second one would make OpenTofu give up what it is creating.
		_ = cmd.Process.Signal(<-signals)
	}()
	return reap(cmd.Process.Pid)
}

// reap waits for all children until one has ended, and returns its exit code.
func reap(pid int) (int, error) {
	for {
		var status syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0, errors.Wrap(err, "cannot wait for the run")
		case ended == pid && status.Signaled():
			return signalled + int(status.Signal()), nil
		case ended == pid && status.Exited():
			return status.ExitStatus(), nil
		}
	}
}

// signalled is what a shell adds to the number of the signal that ended a process.
const signalled = 128
