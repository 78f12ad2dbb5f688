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
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/testing/pki"
)

// startTimeout bounds how long a node may take to come up on a slow machine; on two idle cores it takes 15 seconds.
const startTimeout = 3 * time.Minute

// Main turns a program that Start has run into a part of the node, and does nothing in any other.
func Main() {
	switch os.Args[0] {
	case initArg:
		os.Exit(runInit())
	case nodeArg:
		fmt.Fprintln(os.Stderr, runNode())
		os.Exit(1)
	}
}

// runInit is process 1 of the node: it starts the node and reaps what it and the containers leave, until the node ends.
func runInit() int {
	node := exec.Command(self) //nolint:noctx // it lives as long as this process
	node.Args = []string{nodeArg}
	node.Stdout, node.Stderr = os.Stdout, os.Stderr
	report := os.NewFile(3, "report")
	node.ExtraFiles = []*os.File{report}
	if err := node.Start(); err != nil {
		fmt.Fprintln(os.Stderr, errors.Wrap(err, "cannot start the node"))
		return 1
	}
	_ = report.Close() // so that the reader sees the end when the node ends
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		if pid == node.Process.Pid || errors.Is(err, unix.ECHILD) {
			return status.ExitStatus()
		}
	}
}

// inside is what the steps of starting a node share.
type inside struct {
	Options

	pki    *pki.Authority
	report *os.File
	start  time.Time
	// died carries the name of a daemon that ended.
	died chan string
}

// runNode starts everything, then waits for a part to end, which ends the node.
func runNode() error {
	// A terminal's signals are for the caller.
	signal.Ignore(unix.SIGINT, unix.SIGHUP, unix.SIGTERM)
	n := &inside{report: os.NewFile(3, "report"), start: time.Now(), died: make(chan string, 16)}
	if err := json.Unmarshal([]byte(os.Getenv(configEnv)), &n.Options); err != nil {
		return errors.Wrap(err, "cannot decode the node's options")
	}
	n.cgroup = cgroupName(n.Dir)

	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	up := make(chan error, 1)
	go func() { up <- n.up(ctx) }()
	for {
		select {
		case err := <-up:
			if err != nil {
				return err
			}
			n.say(upLine)
		case name := <-n.died:
			return errors.Errorf("%s ended: %s", name, lastLine(n.logFile(name)))
		}
	}
}

// up brings the node up. Control plane and containerd start side by side.
func (n *inside) up(ctx context.Context) error {
	for _, step := range []func(context.Context) error{n.mounts, n.network, n.certificates} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	containers := make(chan error, 1)
	go func() { containers <- n.containerd(ctx) }()
	if err := n.controlPlane(ctx); err != nil {
		return err
	}
	if err := <-containers; err != nil {
		return err
	}
	images := make(chan error, 1)
	go func() { images <- n.importImages(ctx, n.Images) }()
	if err := n.kubelet(ctx); err != nil {
		return err
	}
	return <-images
}

// say reports progress to the caller of Start.
func (n *inside) say(line string) {
	if line != upLine {
		line = fmt.Sprintf("%s (%.1f s)", line, time.Since(n.start).Seconds())
	}
	fmt.Fprintln(n.report, line)
}

func (n *inside) logFile(name string) string { return filepath.Join(n.Dir, "logs", name+".log") }

// daemon starts a program that runs as long as the node.
func (n *inside) daemon(name string, args ...string) error {
	log, err := os.Create(n.logFile(filepath.Base(name)))
	if err != nil {
		return errors.Wrap(err, "cannot create a log")
	}
	defer log.Close()
	cmd := exec.Command(name, args...) //nolint:gosec,noctx // our own programs; they end with the node
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return errors.Wrapf(err, "cannot start %s", name)
	}
	go func() {
		_ = cmd.Wait() // that it ended is the error
		n.died <- filepath.Base(name)
	}()
	return nil
}

// kube starts one of the node's own programs as a daemon.
func (n *inside) kube(name string, args ...string) error {
	return n.daemon(filepath.Join(n.Binaries, name), args...)
}

// run runs a command to its end.
func run(ctx context.Context, name string, args ...string) error {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput() //nolint:gosec // our own commands
	return errors.Wrapf(err, "cannot run %s %v: %s", name, args, out)
}
