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
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUpgradeKilled kills each upgrade with SIGKILL after one call more than
// the one before, so at every line that does something.
func TestUpgradeKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planes := w.planes(2)
	w.running(planes...)
	starts, calls, kills := map[string]int{}, map[int]int{}, 0
	w.killAt = func(m *machine) bool {
		pid := m.upgrade.Pid
		if calls[pid] == 0 {
			starts[m.id]++
		}
		calls[pid]++
		// Every other line on one machine, those between them on another.
		if calls[pid] != 2*starts[m.id]+int(m.ip[len(m.ip)-1])%2 {
			return false
		}
		kills++
		return true
	}
	w.ask("1.37.0", "apply-2")
	w.upgraded("1.37.0", planes...)
	if kills < 30 {
		t.Errorf("%d kills are too few to have met all lines", kills)
	}
}

// TestUpgradeCutOff kills kubeadm between the new version and what comes with
// it for the cluster: that is not left out.
func TestUpgradeCutOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.planes(0)
	w.running(one...)
	w.hangAddons = true
	w.ask("1.37.0", "apply-2")
	w.await("the new version", func() bool { return w.cluster == "1.37.0" })
	w.mu.Lock()
	w.hangAddons = false
	w.mu.Unlock()
	one[0].crash()
	w.upgraded("1.37.0", one...)
	if w.addons != "1.37.0" {
		t.Error("CoreDNS and kube-proxy were left behind")
	}
}

// TestUpgradeDies terminates the first or the last machine in the middle of its
// upgrade. Another one comes to the end; then a new machine takes its place.
func TestUpgradeDies(t *testing.T) {
	t.Parallel()
	for _, at := range []int{1, 3} {
		t.Run(strconv.Itoa(at), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			planes := w.planes(2)
			w.running(planes...)
			w.hangAt = at
			w.ask("1.37.0", "apply-2")
			dead := -1
			w.await("its upgrade", func() bool {
				dead = slices.IndexFunc(planes, func(m *machine) bool { return m.serves == "" })
				return dead >= 0 && len(w.done) == at-1
			})
			w.mu.Lock()
			w.hangAt = 0
			w.mu.Unlock()
			planes[dead].terminate()
			w.await("the new version", func() bool { return w.params[prefix+VersionParameter].value == "1.37.0" })
			w.version = "1.37.0"
			planes[dead] = w.add(ControlPlane, 1)
			planes[dead].boot()
			w.ends(0, planes[dead])
			w.upgraded("1.37.0", planes...)
		})
	}
}

// TestUpgradeLost: with a control plane less no other one may restart. It is
// replaced first.
func TestUpgradeLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planes := w.planes(2)
	w.running(planes...)
	planes[2].terminate()
	w.ask("1.37.0", "apply-2")
	w.await("the failure", func() bool {
		return w.params[prefix+UpgradeFailureParameter] != nil && w.all(planes[:2], "1.37.0 apply-2")
	})
	if got, want := w.params[prefix+UpgradeFailureParameter].value, "\ncontrol plane "+planes[2].ip+" is gone: set kubernetesVersion back to 1.36.2, and it is replaced"; !strings.HasSuffix(got, want) {
		t.Errorf("want %q, got %q", want, got)
	}
	replacement := w.add(ControlPlane, 2)
	replacement.boot()
	w.ends(0, replacement)
	w.ask("1.37.0", "apply-3")
	w.upgraded("1.37.0", planes[0], planes[1], replacement)
}

// TestUpgradeLostFirst: the first control plane cannot be replaced, so that the
// others are upgraded without it, and without the machine in its place.
func TestUpgradeLostFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planes := w.planes(2)
	w.running(planes...)
	planes[0].terminate()
	again := w.add(FirstControlPlane, 0)
	again.boot()
	w.ends(1, again)

	// Their own health counts all the same.
	w.mu.Lock()
	w.sick = planes[2].ip
	w.mu.Unlock()
	w.ask("1.37.0", "apply-2")
	w.await("the failure", func() bool {
		return w.params[prefix+UpgradeFailureParameter] != nil && w.settle() && w.all(planes[1:], "1.37.0 apply-2")
	})
	if got, want := w.params[prefix+UpgradeFailureParameter].value, "\nnot all members of etcd are healthy: gave up"; !strings.Contains(got, want) {
		t.Fatalf("want %q, got %q", want, got)
	}
	if n := w.count("kubeadm", "upgrade"); n != 0 {
		t.Errorf("kubeadm upgrade ran %d times", n)
	}

	w.mu.Lock()
	w.sick = ""
	w.mu.Unlock()
	w.ask("1.37.0", "apply-3")
	w.upgraded("1.37.0", planes[1:]...)
	if diff := cmp.Diff([]string{"apply", "node"}, w.ways()); diff != "" {
		t.Errorf("kubeadm upgrade: -want, +got:\n%s", diff)
	}
}

// ways in which kubeadm has upgraded, in order.
func (w *world) ways() []string {
	var ways []string
	for _, d := range w.done {
		way, _, _ := strings.Cut(d, " ")
		ways = append(ways, way)
	}
	return ways
}

// TestUpgradeLostTwo: where a further control plane is gone as well, that one
// is named, for it is replaced. The new one's join takes both out of etcd.
func TestUpgradeLostTwo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planes := w.planes(4)
	w.running(planes...)
	planes[0].terminate()
	planes[4].terminate()
	w.ask("1.37.0", "apply-2")
	w.await("the failure", func() bool {
		return w.params[prefix+UpgradeFailureParameter] != nil && w.all(planes[1:4], "1.37.0 apply-2")
	})
	if got, want := w.params[prefix+UpgradeFailureParameter].value, "\ncontrol plane "+planes[4].ip+" is gone: set kubernetesVersion back to 1.36.2, and it is replaced"; !strings.HasSuffix(got, want) {
		t.Errorf("want %q, got %q", want, got)
	}
	planes[4] = w.add(ControlPlane, 4)
	planes[4].boot()
	w.ends(0, planes[4])
	w.ask("1.37.0", "apply-3")
	w.upgraded("1.37.0", planes[1:]...)
}
