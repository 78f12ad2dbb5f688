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

package bootstrap

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// planes are one first and so many further control planes, not started.
func (w *world) planes(further int) []*machine {
	ms := []*machine{w.add(FirstControlPlane, 0)}
	for i := range further {
		ms = append(ms, w.add(ControlPlane, i+1))
	}
	return ms
}

// voters are the addresses of those members of etcd that vote; learners fail.
func (w *world) voters() []string {
	ips := []string{}
	for _, e := range w.members {
		if e.learner {
			ips = append(ips, e.ip+" (learner)")
			continue
		}
		ips = append(ips, e.ip)
	}
	slices.Sort(ips)
	return ips
}

func addresses(ms ...*machine) []string {
	ips := []string{}
	for _, m := range ms {
		ips = append(ips, m.ip)
	}
	slices.Sort(ips)
	return ips
}

// links of the chain of locks, each with its holder or "released".
func (w *world) links() []string {
	var links []string
	for i := 1; ; i++ {
		p, ok := w.params[fmt.Sprintf("%slock/%d", prefix, i)]
		if !ok {
			return links
		}
		holder, state, _ := strings.Cut(p.value, " ")
		if state == "released" {
			holder = state
		}
		links = append(links, holder)
	}
}

// count of a program's calls whose arguments begin so.
func (w *world) count(tool string, args ...string) int {
	n := 0
	for _, c := range w.calls {
		if c.Tool == tool && len(c.Args) >= len(args) && slices.Equal(c.Args[:len(args)], args) {
			n++
		}
	}
	return n
}

// TestCluster boots five control planes and a worker at once, and all a second
// time.
func TestCluster(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.unreachable = 3
	planes := w.planes(4)
	all := append(slices.Clone(planes), w.add(Worker, 0))
	for _, m := range all {
		m.boot()
	}
	w.ends(0, all...)
	w.quiet()

	if diff := cmp.Diff(addresses(planes...), w.voters()); diff != "" {
		t.Errorf("voting members of etcd: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"released", "released", "released", "released"}, w.links()); diff != "" {
		t.Errorf("chain of locks: -want, +got:\n%s", diff)
	}
	if got := w.params[prefix+"kubeconfig"]; got == nil || got.kind != "SecureString" || !strings.HasPrefix(got.value, "kind: Config") {
		t.Errorf("kubeconfig parameter is %+v", got)
	}

	before := slices.Clone(w.writes)
	tools := len(w.calls) - w.count("aws") - w.count("kubectl")
	for _, m := range all {
		m.restart()
	}
	w.ends(0, all...)
	for _, m := range planes {
		if out, err := m.command(m.self(), "keep").CombinedOutput(); err != nil {
			t.Errorf("keep on %s: %v\n%s", m.id, err, out)
		}
	}
	if diff := cmp.Diff(before, w.writes); diff != "" {
		t.Errorf("a second boot writes parameters: -before, +after:\n%s", diff)
	}
	if n := len(w.calls) - w.count("aws") - w.count("kubectl") - tools; n != 0 {
		t.Errorf("a second boot calls %d programs that may change the machine", n)
	}
	w.settled()
}

// TestDeadHolder kills the holder of the lock during its join. As long as its
// machine may come back nobody takes the lock.
func TestDeadHolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planes := w.planes(3)
	dead, others := planes[1], planes[2:]
	w.hangJoin = dead.id
	planes[0].boot()
	dead.boot()
	w.await("the join of the holder", func() bool { return w.joining == dead.id })
	for _, m := range others {
		m.boot()
	}
	dead.kill()
	w.await("the end of the holder", func() bool { return dead.ended && w.joining == "" })
	w.await("others asking for the holder", func() bool { return dead.wasDescribed >= 6 })
	w.mu.Lock()
	if diff := cmp.Diff([]string{dead.id}, w.links()); diff != "" {
		t.Errorf("the lock of a machine that runs: -want, +got:\n%s", diff)
	}
	w.mu.Unlock()

	dead.terminate()
	w.ends(0, planes[0], others[0], others[1])
	replacement := w.add(ControlPlane, 1)
	replacement.boot()
	w.ends(0, replacement)
	w.quiet()
	if diff := cmp.Diff(addresses(planes[0], others[0], others[1], replacement), w.voters()); diff != "" {
		t.Errorf("voting members of etcd: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{dead.id, "released", "released", "released"}, w.links()); diff != "" {
		t.Errorf("chain of locks: -want, +got:\n%s", diff)
	}
	w.settled()
}

// TestHolderComesBack kills the holder's bootstrap; its machine boots again and
// goes on with its own lock.
func TestHolderComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planes := w.planes(2)
	w.hangJoin = planes[1].id
	w.voteTime = 1500 * time.Millisecond // Longer than the next one needs to join.
	planes[0].boot()
	planes[1].boot()
	w.await("the join of the holder", func() bool { return w.joining == planes[1].id })
	planes[2].boot()
	w.await("the other asking for the holder", func() bool { return planes[1].wasDescribed >= 2 })
	planes[1].crash()
	w.await("the end of the holder", func() bool { return planes[1].ended && w.joining == "" })
	w.mu.Lock()
	w.hangJoin = ""
	planes[1].start()
	w.mu.Unlock()
	w.ends(0, planes...)
	w.quiet()
	if diff := cmp.Diff(addresses(planes...), w.voters()); diff != "" {
		t.Errorf("voting members of etcd: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{planes[1].id, planes[2].id}, w.joined); diff != "" {
		t.Errorf("order of joins: -want, +got:\n%s", diff)
	}
	w.settled()
}
