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
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Node is a running node.
type Node struct {
	opts Options
	init *exec.Cmd
	// gone is closed once init, and with it everything in the node, has ended.
	gone  chan struct{}
	netns *os.File
}

// Start starts a node and waits until it is ready for pods and has all images.
func Start(ctx context.Context, opts Options) (*Node, error) {
	opts.cgroup = cgroupName(opts.Dir)
	if err := clean(opts); err != nil {
		return nil, err
	}
	n := &Node{opts: opts, gone: make(chan struct{})}
	progress, err := n.launch()
	if err != nil {
		return nil, err
	}
	defer progress.Close()
	stop := context.AfterFunc(ctx, n.Stop)
	defer stop()
	if err := n.follow(progress); err != nil {
		n.Stop()
		if ctx.Err() != nil {
			return nil, errors.Wrap(ctx.Err(), "node was stopped while it started")
		}
		return nil, err
	}
	return n, nil
}

// clean removes what an earlier node in the same directory may have left.
func clean(opts Options) error {
	if err := removeCgroups(opts.cgroup); err != nil {
		return err
	}
	if err := os.RemoveAll(opts.Dir); err != nil {
		return errors.Wrap(err, "cannot remove the state of the last node")
	}
	return errors.Wrap(os.MkdirAll(filepath.Join(opts.Dir, "logs"), 0o750), "cannot make the state directory")
}

// launch starts init in its namespaces and returns what the node reports about its progress.
func (n *Node) launch() (*os.File, error) {
	config, err := json.Marshal(n.opts)
	if err != nil {
		return nil, errors.Wrap(err, "cannot encode the node's options")
	}
	log, err := os.Create(filepath.Join(n.opts.Dir, "logs", "node.log"))
	if err != nil {
		return nil, errors.Wrap(err, "cannot create the node's log")
	}
	defer log.Close()
	progress, report, err := os.Pipe()
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a pipe")
	}
	defer report.Close()

	// The node outlives the context of Start: Stop ends it.
	n.init = exec.Command(self) //nolint:noctx // see above
	n.init.Args = []string{initArg}
	n.init.Env = append(os.Environ(), configEnv+"="+string(config))
	n.init.Stdout, n.init.Stderr = log, log
	n.init.ExtraFiles = []*os.File{report}
	n.init.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC,
		Setsid:     true, // a Ctrl-C is for the caller alone
		Pdeathsig:  syscall.SIGKILL,
	}
	if err := n.init.Start(); err != nil {
		return nil, errors.Wrap(err, "cannot start the node's init process (root is needed)")
	}
	go func() {
		_ = n.init.Wait() // it is always killed, or says in its log why it ended
		close(n.gone)
	}()
	n.netns, err = os.Open(fmt.Sprintf("/proc/%d/ns/net", n.init.Process.Pid))
	if err != nil {
		n.Stop()
		return nil, errors.Wrap(err, "cannot open the node's network namespace")
	}
	return progress, nil
}

// follow passes the node's progress on until it is up.
func (n *Node) follow(progress *os.File) error {
	lines := bufio.NewScanner(progress)
	for lines.Scan() {
		if lines.Text() == upLine {
			return nil
		}
		n.opts.Log(lines.Text())
	}
	return errors.Errorf("node did not start: %s (logs are in %s)",
		lastLine(filepath.Join(n.opts.Dir, "logs", "node.log")), filepath.Join(n.opts.Dir, "logs"))
}

// Stop kills the node and waits until nothing of it runs any more. A stopped node may be stopped again.
func (n *Node) Stop() {
	_ = n.init.Process.Kill() // fails only if it has ended already
	<-n.gone
	_ = n.netns.Close()
	_ = removeCgroups(n.opts.cgroup) // what stays is removed by the next Start
}

// Gone is closed when the node has ended.
func (n *Node) Gone() <-chan struct{} { return n.gone }

// Kubeconfig returns the administrator's kubeconfig, with the server's address as inside the node.
func (n *Node) Kubeconfig() ([]byte, error) {
	out, err := os.ReadFile(filepath.Join(n.opts.Dir, pkiDir, adminKubeconfig))
	return out, errors.Wrap(err, "cannot read the node's kubeconfig")
}

// Config returns the administrator's access for callers outside of the node.
func (n *Node) Config() (*rest.Config, error) {
	kubeconfig, err := n.Kubeconfig()
	if err != nil {
		return nil, err
	}
	cfg, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return nil, errors.Wrap(err, "cannot read the node's kubeconfig")
	}
	cfg.Dial = n.DialContext
	return cfg, nil
}

// Enter returns a command that runs inside all of the node's namespaces, with its administrator's kubeconfig.
func (n *Node) Enter(ctx context.Context, name string, args ...string) *exec.Cmd {
	enter := []string{"--target", strconv.Itoa(n.init.Process.Pid), "--mount", "--net", "--pid", "--uts", "--ipc", "--", name}
	cmd := exec.CommandContext(ctx, "nsenter", append(enter, args...)...) //nolint:gosec // for the caller's own commands
	cmd.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(n.opts.Dir, pkiDir, adminKubeconfig),
		"PATH="+n.opts.Binaries+string(os.PathListSeparator)+os.Getenv("PATH"))
	return cmd
}
