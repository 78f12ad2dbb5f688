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
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// running boots machines and waits until they are nodes.
func (w *world) running(planes ...*machine) {
	w.t.Helper()
	for _, m := range planes {
		m.boot()
	}
	w.ends(0, planes...)
}

// upgraded waits until all control planes are of a version and have let go of
// the lock, and checks what is true then.
func (w *world) upgraded(version string, planes ...*machine) {
	w.t.Helper()
	w.await("version "+version, func() bool { return w.params[prefix+VersionParameter].value == version && w.settle() })
	w.quiet()
	for _, m := range planes {
		got := []string{m.kubeadm, m.kubelet, m.runs, m.serves}
		if diff := cmp.Diff(slices.Repeat([]string{version}, 4), got); diff != "" {
			w.t.Errorf("%s: -want, +got:\n%s", m.id, diff)
		}
		if m.cordoned {
			w.t.Errorf("%s is cordoned", m.id)
		}
		if self, err := os.ReadFile(m.self()); err != nil || !strings.Contains(string(self), "\nVERSION='"+version+"'\n") {
			w.t.Errorf("%s goes on with another version: %v", m.id, err)
		}
	}
	if diff := cmp.Diff(addresses(planes...), w.voters()); diff != "" {
		w.t.Errorf("voting members of etcd: -want, +got:\n%s", diff)
	}
	w.settled()
}

// settle tells whether all locks are free and no upgrade goes on.
func (w *world) settle() bool {
	for _, m := range w.machines {
		if m.upgrade != nil {
			return false
		}
	}
	links := w.links()
	return len(links) == 0 || links[len(links)-1] == "released"
}

// logs of all machines.
func (w *world) logs() string {
	b := &strings.Builder{}
	for _, m := range w.machines {
		b.WriteString(m.log.String())
	}
	return b.String()
}

// TestUpgrade upgrades five control planes by a minor version. A worker of the
// new one, which is there too early, joins after them; so does a control plane.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planes := w.planes(4)
	w.running(planes...)
	w.version = "1.37.0"
	worker := w.add(Worker, 0)
	worker.boot()
	w.await("the worker waiting", func() bool { return w.asked(worker, VersionParameter) > 2 })
	w.ask("1.37.0", "apply-2")
	w.await("the new version", func() bool { return w.params[prefix+VersionParameter].value == "1.37.0" })
	w.ends(0, worker)
	late := w.add(ControlPlane, 4)
	late.boot()
	w.ends(0, late)
	w.await("the end of all", w.settle)

	applies := 0
	for _, d := range w.done {
		if strings.HasPrefix(d, "apply ") {
			applies++
		}
	}
	if applies != 1 || len(w.done) != len(planes) {
		t.Errorf("want one kubeadm upgrade apply and four node, got %v", w.done)
	}
	if diff := cmp.Diff(DefaultComponents(37).CloudControllerManager, w.images[len(w.images)-1]); diff != "" {
		t.Errorf("cloud controller manager: -want, +got:\n%s", diff)
	}
	if got := w.params[prefix+UpgradeProgressParameter].value; !strings.HasPrefix(got, "1.37.0 apply-2\n5 of 5, ip-10-0-0-1") || !strings.HasSuffix(got, ": publishing the kubeconfig") {
		t.Errorf("progress is %q", got)
	}

	// The same asked for by another run changes nothing.
	before, done := slices.Clone(w.images), slices.Clone(w.done)
	w.ask("1.37.0", "apply-3")
	w.await("all having seen it", func() bool {
		for _, m := range append(slices.Clone(planes), late) {
			if seen, err := os.ReadFile(m.root + "/var/lib/kubeopera/upgraded"); err != nil || string(seen) != "1.37.0 apply-3" {
				return false
			}
		}
		return true
	})
	w.upgraded("1.37.0", append(slices.Clone(planes), late)...)
	if diff := cmp.Diff(before, w.images); diff != "" {
		t.Errorf("what is done is done again: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(done, w.done); diff != "" {
		t.Errorf("what is done is done again: -want, +got:\n%s", diff)
	}
}

// asked is how often a machine has read a parameter.
func (w *world) asked(m *machine, name string) int {
	n := 0
	for _, c := range w.calls {
		if c.Machine == m.id && c.Tool == "aws" && slices.Contains(c.Args, prefix+name) {
			n++
		}
	}
	return n
}

// TestUpgradeOne upgrades an only control plane, by a patch and then by a
// minor version: no other node would take its pods.
func TestUpgradeOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.planes(0)
	w.running(one...)
	w.ask("1.36.6", "apply-2")
	w.await("the patch", func() bool { return w.params[prefix+VersionParameter].value == "1.36.6" && w.settle() })
	w.ask("1.37.0", "apply-3")
	w.upgraded("1.37.0", one...)
	if strings.Contains(w.logs(), "draining") || !strings.Contains(w.logs(), "no other node takes pods") {
		t.Errorf("an only node was drained:\n%s", w.logs())
	}
}

// TestUpgradeDrain: a PodDisruptionBudget holds no upgrade up.
func TestUpgradeDrain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planes := w.planes(2)
	w.running(planes...)
	w.held = true
	planes[1].cordoned = true // By somebody else.
	w.ask("1.37.0", "apply-2")
	w.await("the version", func() bool { return w.params[prefix+VersionParameter].value == "1.37.0" && w.settle() })
	w.quiet()
	if !strings.Contains(w.logs(), "pods have stayed on "+planes[0].name+": going on") {
		t.Errorf("nobody says that pods are left:\n%s", w.logs())
	}
	if planes[0].cordoned || !planes[1].cordoned || planes[2].cordoned {
		t.Error("want those cordoned that were before")
	}
	w.settled()
}

// TestUpgradeJoin asks for an upgrade while a control plane has yet to join: it
// joins first, with the version that it was made for.
func TestUpgradeJoin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planes := w.planes(2)
	w.running(planes[:2]...)
	w.ask("1.37.0", "apply-2")
	w.await("one waiting for it", func() bool { return strings.Contains(w.progressOf(planes[:2]), "describe-instances") })
	planes[2].boot()
	w.ends(0, planes[2])
	w.upgraded("1.37.0", planes...)
}

// progressOf machines: the calls of their upgrades.
func (w *world) progressOf(machines []*machine) string {
	b := &strings.Builder{}
	for _, c := range w.calls {
		if c.Upgrade && slices.ContainsFunc(machines, func(m *machine) bool { return m.id == c.Machine }) {
			fmt.Fprintln(b, c.Tool, c.Args)
		}
	}
	return b.String()
}

// TestUpgradeWithdrawn: what nobody wants any more does not begin.
func TestUpgradeWithdrawn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planes := w.planes(2)
	w.running(planes[:2]...) // They wait for the third one.
	w.ask("1.37.0", "apply-2")
	w.await("both waiting for it", func() bool {
		return strings.Contains(w.progressOf(planes[:1]), "describe-instances") && strings.Contains(w.progressOf(planes[1:2]), "describe-instances")
	})
	w.mu.Lock()
	delete(w.params, prefix+UpgradeWantedParameter)
	w.mu.Unlock()
	planes[2].boot()
	w.ends(0, planes[2])
	w.await("the end of all", func() bool { return w.all(planes[:2], "1.37.0 apply-2") && w.settle() })
	w.quiet()
	if got := w.count("kubeadm", "upgrade"); got != 0 || w.params[prefix+VersionParameter].value != "1.36.2" {
		t.Errorf("kubeadm upgrade ran %d times, the version is %s", got, w.params[prefix+VersionParameter].value)
	}
	w.settled()
}
