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

package main

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// hanging is a machine that is made until somebody lets it be done.
const hanging = `touch $BED/started; while [ ! -e $BED/go ]; do sleep 0.05; done; true`

// letGo lets the machines be done.
func (b *bed) letGo() { b.write("bed/go", "") }

// hang starts a resize from one machine to two that does not get done.
func (b *bed) hang(args ...string) *process {
	b.Helper()
	b.boot()
	b.run()
	b.nodes, b.script = 2, hanging
	p := b.start(args...)
	b.untilFile("started")
	b.until("the status", func() bool { return b.status().RunID == p.id && b.status().Progress.Total == 1 })
	return p
}

// TestInterrupt has a runner as the first process of its container get two
// signals, of which OpenTofu may see one.
func TestInterrupt(t *testing.T) {
	b := newBed(t)
	b.script = `(sh -c 'echo $$ >$BED/orphan.tmp; mv $BED/orphan.tmp $BED/orphan; while [ ! -e $BED/end ]; do sleep 0.05; done' >/dev/null 2>&1 &) ; while [ ! -e $BED/on ]; do sleep 0.05; done`
	b.boot()
	orphaning := b.start("--init")
	orphan := b.untilFile("orphan")
	b.until("the orphan to be adopted", func() bool { return parent(orphan) == strconv.Itoa(orphaning.Process.Pid) })
	b.write("bed/end", "")
	b.until("the orphan to be reaped", func() bool { return parent(orphan) == "" })
	b.write("bed/on", "")
	if code := orphaning.end(); code != 0 {
		t.Fatalf("exit code %d: %+v", code, b.status().Error)
	}
	before := b.nodesInState()

	p := b.hang("--init")
	b.must(p.Process.Signal(syscall.SIGTERM))
	b.until("the interrupt", func() bool { return strings.Contains(p.log.String(), "nterrupt received") })
	for _, more := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} {
		if err := p.Process.Signal(more); !errors.Is(err, os.ErrProcessDone) {
			b.must(err) // It may be quick to end.
		}
	}
	if code := p.end(); code != 1 {
		t.Errorf("want exit code 1, got %d", code)
	}
	if s := b.status(); s.RunID != p.id || s.Phase != v1alpha1.RunFailed || s.Error == nil || s.Error.Class != run.ClassTransient || !strings.HasPrefix(s.Error.Message, "interrupted: ") {
		t.Errorf("status: %+v, error %+v", s, s.Error)
	}
	if strings.Contains(p.log.String(), "Two interrupts") {
		t.Error("OpenTofu got a second interrupt")
	}
	if lock := b.object(b.spec.State.Key + ".tflock"); lock != "" {
		t.Errorf("the lock is left: %s", lock)
	}
	if got := b.nodesInState(); len(got) == 0 || got[0] != before[0] {
		t.Errorf("state: want the first machine kept, got %v, had %v", got, before)
	}

	b.letGo()
	b.run()
	if got := b.nodesInState(); len(got) != 2 || got[0] != before[0] {
		t.Errorf("state: want the first machine and one more, got %v, had %v", got, before)
	}
}

// parent returns the id of a process's parent, "" if there is no such process.
func parent(pid string) string {
	data, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(data), "PPid:")
	line, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(line)
}

// TestKilled has a runner killed while it applies.
func TestKilled(t *testing.T) {
	b := newBed(t)
	p := b.hang()
	before := b.nodesInState()
	if e := b.fail(run.ClassLock); !strings.Contains(e.Message, "still at work on this host") {
		t.Errorf("a second run at once: %+v", e)
	}

	b.must(p.Process.Kill())
	p.end()
	if lock := b.object(b.spec.State.Key + ".tflock"); lock == "" {
		t.Fatal("the test wants a lock that is left")
	}
	// The runner has ended, but not all that it started.
	b.fail(run.ClassLock)
	if diff := cmp.Diff(before, b.nodesInState()); diff != "" {
		t.Errorf("state: -want, +got:\n%s", diff)
	}

	b.letGo()
	next := b.run("--earlier-run-timeout=30s")
	if !strings.Contains(next.log.String(), "Breaking the state lock of ") {
		t.Error("the next run had no lock to break")
	}
	if got := b.nodesInState(); len(got) != 2 || got[0] != before[0] {
		t.Errorf("state: want the first machine and one more, got %v, had %v", got, before)
	}
}

// TestLockOfOthers meets a lock of a host of which nothing is known until it is known to have ended.
func TestLockOfOthers(t *testing.T) {
	b := newBed(t)
	b.boot()
	b.run()
	b.nodes = 2
	b.lock("root@provision-x-abcde")
	e := b.fail(run.ClassLock)
	if want := "state locked by root@provision-x-abcde since 2026-11-29 20:00:00 +0000 UTC (OperationTypeApply)"; !strings.HasPrefix(e.Message, want) {
		t.Errorf("message: want %q, got %q", want, e.Message)
	}
	if len(b.nodesInState()) != 1 {
		t.Error("the state changed under somebody else's lock")
	}

	b.spec.EndedHolders = []string{"provision-x-abcde"}
	b.run()
	if got := b.nodesInState(); len(got) != 2 {
		t.Errorf("want two machines, got %v", got)
	}
}
