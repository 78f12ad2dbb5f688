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

package executor

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// Local executes runs as child processes of the provider, to try it and for
// tests. A run ends with the provider, and the next one resumes from the state.
// Records and reports are in the namespace of the ProvisionedCluster.
type Local struct {
	store

	dir        string
	runner     string
	kubeconfig string
	max        int
	starting   *sync.Mutex
	environ    func() []string

	mu       sync.Mutex
	children map[types.NamespacedName]*exec.Cmd
	ended    sync.WaitGroup
	stopping bool
}

var _ Executor = &Local{}

// LocalOptions of an executor of child processes.
type LocalOptions struct {
	// Dir holds a directory for each cluster.
	Dir string
	// Runner is the path of terraform-runner; that beside this program by default.
	Runner string
	// Kubeconfig that runs report with; what the environment says by default.
	Kubeconfig string
	// Bundle is the command that adds rights that are missing; that of the
	// provider's own manifests by default.
	Bundle string
	// MaxRuns is the number of processes that run at the same time.
	MaxRuns int
	// Starting is shared by all executors of a process.
	Starting *sync.Mutex
	// Environ of the provider, os.Environ by default.
	Environ func() []string
}

// NewLocal returns an executor of child processes.
func NewLocal(kube client.Client, live client.Reader, o LocalOptions) (*Local, error) {
	l := &Local{
		store: store{live: live, kube: kube, secret: true, bundle: cmp.Or(o.Bundle, providerCommand)}, dir: o.Dir, runner: o.Runner, kubeconfig: o.Kubeconfig, max: o.MaxRuns,
		starting: o.Starting, environ: o.Environ, children: map[types.NamespacedName]*exec.Cmd{},
	}
	if l.environ == nil {
		l.environ = os.Environ
	}
	if l.starting == nil {
		l.starting = &sync.Mutex{}
	}
	if l.runner == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, errors.Wrap(err, "cannot tell where terraform-runner is: set --runner-path")
		}
		l.runner = filepath.Join(filepath.Dir(self), "terraform-runner")
	}
	if l.dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			cache = os.TempDir()
		}
		l.dir = filepath.Join(cache, "kubeopera", "runs")
	}
	dir, err := filepath.Abs(l.dir)
	if err != nil {
		return nil, errors.Wrap(err, "cannot use --local-run-dir")
	}
	l.dir = dir
	l.sweep()
	return l, nil
}

// Look at a cluster's record and report, and whether its process runs. Whoever
// holds the lock of the run directory runs, be it a child of an earlier provider.
func (l *Local) Look(ctx context.Context, c Cluster) (Seen, error) {
	d := l.directory(c)
	running := d.busy()
	seen, err := l.look(ctx, c.Namespace, c)
	if err != nil {
		return seen, err
	}
	seen.Inline = true
	id := d.runID()
	switch {
	case running:
		seen.Execution = Execution{Running: true, RunID: id}
	case seen.Record != nil && id == seen.Record.Spec.ID:
		seen.Execution = Execution{RunID: id, Ended: d.ended(), Trouble: "the process ended"}
	}
	return seen, nil
}

// Record a run before it starts.
func (l *Local) Record(ctx context.Context, c Cluster, r Record) error {
	return l.record(ctx, c.Namespace, c, r)
}

// Supply does nothing: Start writes the files of the credentials.
func (l *Local) Supply(context.Context, Cluster, Setup) error { return nil }

// Clear does nothing: the next run takes the directory over.
func (l *Local) Clear(context.Context, Cluster, Execution) error { return nil }

// Start the process of a run. It does nothing if one has the directory already.
func (l *Local) Start(ctx context.Context, c Cluster, r Record, s Setup) error {
	l.starting.Lock()
	defer l.starting.Unlock()
	key := types.NamespacedName{Namespace: c.Namespace, Name: c.ID}
	if n := l.running(); n >= l.max {
		return Queued(n, l.max)
	}
	if l.has(key) {
		return nil // The last process has ended just now: its credentials are about to be removed, and would be this one's.
	}
	if _, err := exec.LookPath(l.runner); err != nil {
		return fault.Newf(fault.Refused, "cannot find terraform-runner at %s: set --runner-path, or execution.mode Job", l.runner)
	}
	rescued, err := l.rescued(ctx, c.Namespace, c)
	if err != nil {
		return err
	}
	d := l.directory(c)
	lock, err := d.lock()
	if err != nil || lock == nil {
		return err
	}
	defer func() { _ = lock.Close() }() // The process has it, too.

	if err := d.write(r, s.Credentials, rescued); err != nil {
		return err
	}
	log, err := d.log()
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // The process has it, too.

	cmd := exec.Command(l.runner, runArgs(d.input(), d.work(), d.rescue())...) //nolint:gosec,noctx // It ends by its own rules: one signal, and time to save its state.
	cmd.Dir = string(d)
	cmd.Env = l.env(d, s)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{lock}
	return l.launch(key, d, cmd)
}
