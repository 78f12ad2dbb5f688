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
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

const (
	// maxLogFile bounds the log of one run, in bytes; what is too much starts anew.
	maxLogFile = 16 << 20
	// logEvery is how often its size is looked at.
	logEvery = 10 * time.Second

	logFile  = "run.log"
	lockFile = "lock"

	dirMode  = 0o700
	fileMode = 0o600
)

// A directory holds the run of one cluster:
//
//	lock          held by the run's processes
//	input/        run.json and main.tf.json
//	credentials/  only while the run goes on
//	rescue/       a state that an earlier run could not write to its bucket
//	work/         where Terraform works
//	run.log, run.log.1
type directory string

// directory of a cluster.
func (l *Local) directory(c Cluster) directory {
	return directory(filepath.Join(l.dir, c.Namespace, c.ID))
}

func (d directory) input() string       { return filepath.Join(string(d), "input") }
func (d directory) work() string        { return filepath.Join(string(d), "work") }
func (d directory) rescue() string      { return filepath.Join(string(d), "rescue") }
func (d directory) credentials() string { return filepath.Join(string(d), "credentials") }
func (d directory) logPath() string     { return filepath.Join(string(d), logFile) }

// lock takes the directory; nil if a run has it.
func (d directory) lock() (*os.File, error) {
	if err := os.MkdirAll(string(d), dirMode); err != nil { //nolint:gosec // The operator says where; the names below hold no slash.
		return nil, errors.Wrap(err, "cannot make the run directory")
	}
	f, err := os.OpenFile(filepath.Join(string(d), lockFile), os.O_CREATE|os.O_RDWR, fileMode) //nolint:gosec // The operator says where; the names below hold no slash.
	if err != nil {
		return nil, errors.Wrap(err, "cannot open the lock of the run directory")
	}
	free, err := tryLock(f)
	if err != nil || !free {
		_ = f.Close()
		return nil, errors.Wrap(err, "cannot lock the run directory")
	}
	return f, nil
}

// busy tells whether a run has the directory.
func (d directory) busy() bool {
	f, err := os.OpenFile(filepath.Join(string(d), lockFile), os.O_RDWR, fileMode)
	if err != nil {
		return false // There was no run yet.
	}
	defer func() { _ = f.Close() }() // It is free again.
	free, err := tryLock(f)
	return err == nil && !free
}

// write what a run needs.
func (d directory) write(r Record, credentials, rescued map[string][]byte) error {
	spec, err := json.Marshal(r.Spec)
	if err != nil {
		return errors.Wrap(err, "cannot write "+run.SpecFile)
	}
	d.forgetCredentials()
	_ = os.RemoveAll(d.rescue())                           //nolint:gosec // What is in it is written anew.
	if err := os.MkdirAll(d.work(), dirMode); err != nil { //nolint:gosec // The operator says where; the names below hold no slash.
		return errors.Wrap(err, "cannot make the run directory")
	}
	if err := writeAll(d.credentials(), credentials); err != nil {
		return err
	}
	if err := writeAll(d.rescue(), rescued); err != nil {
		return err
	}
	if err := writeAll(d.input(), map[string][]byte{run.ConfigFile: r.Config}); err != nil {
		return err
	}
	// The spec comes last: it says which run the directory is of.
	return writeAll(d.input(), map[string][]byte{run.SpecFile: spec})
}

// writeAll writes files into a directory, for us alone.
func writeAll(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, dirMode); err != nil { //nolint:gosec // The operator says where; the names below hold no slash.
		return errors.Wrap(err, "cannot make the run directory")
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, fileMode); err != nil { //nolint:gosec // The operator says where; the names below hold no slash.
			return errors.Wrap(err, "cannot write the run directory")
		}
	}
	return nil
}

// forgetCredentials removes them.
func (d directory) forgetCredentials() {
	_ = os.RemoveAll(d.credentials()) //nolint:gosec // Tried again before the next run.
}

// runID of the run that the directory is of; empty if there was none.
func (d directory) runID() string {
	data, err := os.ReadFile(filepath.Join(d.input(), run.SpecFile))
	if err != nil {
		return ""
	}
	s := run.Spec{}
	if json.Unmarshal(data, &s) != nil {
		return ""
	}
	return s.ID
}

// ended is about when the last run ended: when it wrote its log last.
func (d directory) ended() time.Time {
	info, err := os.Stat(d.logPath())
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// log opens the log of a new run; that of the last one is kept.
func (d directory) log() (*os.File, error) {
	_ = os.Rename(d.logPath(), d.logPath()+".1")                                      //nolint:gosec // There may be none.
	f, err := os.OpenFile(d.logPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, fileMode) //nolint:gosec // The operator says where; the names below hold no slash.
	return f, errors.Wrap(err, "cannot open the log of the run")
}

// boundLog keeps the log from filling the disk until it is told to stop.
func (d directory) boundLog() (stop func()) {
	done := make(chan struct{})
	go func() {
		t := time.NewTicker(logEvery)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				if info, err := os.Stat(d.logPath()); err == nil && info.Size() > maxLogFile { //nolint:gosec // The operator says where; the names below hold no slash.
					_ = os.Truncate(d.logPath(), 0) // The process appends.
				}
			}
		}
	}()
	return func() { close(done) }
}

// unsaved is the file with a state that OpenTofu could not write to its bucket;
// empty if there is none.
func (d directory) unsaved() string {
	file := filepath.Join(d.work(), run.ErroredState)
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

// sweep removes credentials that runs of a killed provider have left.
func (l *Local) sweep() {
	all, _ := filepath.Glob(filepath.Join(l.dir, "*", "*", "credentials")) // The pattern is well-formed.
	for _, path := range all {
		if d := directory(filepath.Dir(path)); !d.busy() {
			d.forgetCredentials()
		}
	}
}

// own are the variables of the provider that any program of its needs.
var own = []string{"PATH", "HOME", "TMPDIR", "KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"}

// env of a run's process: what leads to the management cluster and to programs,
// what is passed on, and what names the credentials.
func (l *Local) env(d directory, s Setup) []string {
	var env []string
	for _, e := range l.environ() {
		name, _, _ := strings.Cut(e, "=")
		if slices.Contains(own, name) || slices.Contains(s.PassOn, name) {
			env = append(env, e)
		}
	}
	if l.kubeconfig != "" {
		env = append(env, "KUBECONFIG="+l.kubeconfig)
	}
	for _, v := range environment(Setup{}, PassedOn(l.environ())) {
		env = append(env, v.Name+"="+v.Value)
	}
	if s.Env == nil {
		return env
	}
	vars := s.Env(d.credentials())
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		env = append(env, name+"="+vars[name])
	}
	return env
}
