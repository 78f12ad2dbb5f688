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
	"bytes"
	"compress/gzip"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// TestStateRescued has the bucket not take the state when the apply ends.
func TestStateRescued(t *testing.T) {
	isState := func(r *http.Request) bool {
		return r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, ".tfstate")
	}
	isAny := func(r *http.Request) bool { return strings.Contains(r.URL.Path, "terraform-state") }

	for name, down := range map[string]func(*http.Request) bool{"Push": isState, "Down": isAny} {
		t.Run(name, func(t *testing.T) { testStatePushed(t, down) })
	}
	t.Run("Secret", func(t *testing.T) {
		b := newBed(t)
		p := b.hang()
		b.breakdown(isAny)
		b.letGo()
		p.end()
		if s := b.status(); s.Error == nil || s.Error.Class != run.ClassTransient || !strings.Contains(s.Error.Message, "The state is in Secret "+run.RescueName(b.spec.Cluster)) {
			t.Errorf("status: %+v", s.Error)
		}
		// As a Job's pod does, the next run has the Secret and nothing else.
		b.must(os.RemoveAll(b.path("work")))
		b.write("rescue/"+run.RescueKey, string(b.secret(run.RescueName(b.spec.Cluster)).Data[run.RescueKey]))

		b.fail(run.ClassTransient)
		b.breakdown(nil)
		b.lock("me@laptop")
		if e := b.fail(run.ClassLock); !strings.Contains(e.Message, "state locked by me@laptop since ") {
			t.Errorf("want the lock of others respected, got %+v", e)
		}
		if got := b.nodesInState(); len(got) != 1 {
			t.Fatalf("the test wants the second machine in no state, got %v", got)
		}
		b.spec.EndedHolders = []string{"laptop"}
		b.run()
		if s := b.status(); s.Progress.Total != 0 {
			t.Errorf("the next run did not know of the second machine: %+v", s.Progress)
		}
		if got := b.nodesInState(); len(got) != 2 {
			t.Errorf("want both machines in the state, got %v", got)
		}
		if got := b.secret(run.RescueName(b.spec.Cluster)).Data; len(got) != 0 {
			t.Error("the Secret is not emptied")
		}
		// The Secret as it was before: its state was taken up already.
		b.nodes = 1
		b.run()
		b.run()
		if got := b.nodesInState(); len(got) != 1 {
			t.Errorf("an old state came back: %v", got)
		}
	})
}

// testStatePushed has the bucket take the state again before the run gives up.
func testStatePushed(t *testing.T, down func(*http.Request) bool) {
	t.Helper()
	b := newBed(t)
	p := b.hang("--push-timeout=1m")
	b.breakdown(down)
	b.letGo()
	b.until("the Secret", func() bool { return len(b.secret(run.RescueName(b.spec.Cluster)).Data[run.RescueKey]) > 0 })
	b.breakdown(nil)
	p.end()
	s := b.status()
	if s.Error == nil || s.Error.Class != run.ClassTransient {
		t.Fatalf("status: %+v", s.Error)
	}
	if cause, _, _ := strings.Cut(s.Error.Message, "\n"); !strings.HasPrefix(cause, "Failed to save state: ") || !strings.HasSuffix(cause, ". The state is in its bucket by now.") {
		t.Errorf("want the cause and what became of the state before all else, got %q", s.Error.Message)
	}
	if strings.Contains(p.log.String(), "[0m") {
		t.Error("the log has colours")
	}
	if lock := b.object(b.spec.State.Key + ".tflock"); lock != "" {
		t.Errorf("the lock is left: %s", lock)
	}
	if got := b.nodesInState(); len(got) != 2 {
		t.Errorf("want both machines in the state, got %v", got)
	}
	if got := b.secret(run.RescueName(b.spec.Cluster)).Data; len(got) != 0 {
		t.Error("the Secret is not emptied")
	}
	b.run()
}

// TestRescuedWithoutBucket destroys a cluster whose bucket somebody has deleted, while its state waits in the Secret.
func TestRescuedWithoutBucket(t *testing.T) {
	made := newBed(t)
	made.boot()
	made.run()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(made.state()))
	made.must(errors.Join(err, z.Close()))

	b := newBed(t)
	b.write("rescue/"+run.RescueKey, packed.String())
	b.spec.Action = run.Destroy
	p := b.run()
	if log := p.log.String(); !strings.Contains(log, "Writing a state that was left over") || strings.Contains(log, "nothing was made") {
		t.Errorf("infrastructure is forgotten:\n%s", log)
	}
	if got := b.cloud.Buckets(); len(got) != 0 {
		t.Errorf("buckets left: %v", got)
	}
}
