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
	"strings"
	"testing"
)

// TestUpgradeStopped: with a member of etcd that is not healthy no other one
// restarts, be it the first control plane or the last.
func TestUpgradeStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planes := w.planes(2)
	w.running(planes...)
	w.mu.Lock()
	w.sick = planes[2].ip
	w.mu.Unlock()
	w.ask("1.37.0", "apply-2")
	w.await("the failure", func() bool {
		return w.params[prefix+UpgradeFailureParameter] != nil && w.settle() && w.all(planes, "1.37.0 apply-2")
	})
	if got, want := w.params[prefix+UpgradeFailureParameter].value, "Dependency"; !strings.Contains(got, want) || !strings.Contains(got, "\nnot all members of etcd are healthy: gave up") {
		t.Errorf("want %s, got %q", want, got)
	}
	if n := w.count("kubeadm", "upgrade"); n != 0 || w.params[prefix+VersionParameter].value != "1.36.2" {
		t.Errorf("kubeadm upgrade ran %d times, the version is %s", n, w.params[prefix+VersionParameter].value)
	}
	w.mu.Lock()
	w.sick = ""
	w.mu.Unlock()
	w.ask("1.37.0", "apply-3")
	w.upgraded("1.37.0", planes...)
}

// TestUpgradeBusy: an API server that does not answer is asked again. It does
// not mean that somebody has taken a component away.
func TestUpgradeBusy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.planes(0)
	w.running(one...)
	before := len(w.images)
	w.mu.Lock()
	for _, part := range []string{"get daemonset/aws-cloud", "get daemonset/calico", "get nodes -l"} {
		w.busy[part] = 2
	}
	w.mu.Unlock()
	w.ask("1.37.0", "apply-2")
	w.upgraded("1.37.0", one...)
	if len(w.images) != before+1 {
		t.Errorf("the cloud controller manager is left as it was: %v", w.images)
	}
}

// TestUpgradeAbandoned: a machine that is cut off while it holds the lock lets
// go of it, and takes pods again, when nobody wants the upgrade any more.
func TestUpgradeAbandoned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planes := w.planes(1)
	w.running(planes...)
	var dead *machine
	w.killAt = func(m *machine) bool {
		if !m.cordoned || dead != nil {
			return false
		}
		dead = m
		w.killAt = nil // It is not started again by itself.
		delete(w.params, prefix+UpgradeWantedParameter)
		return true
	}
	w.ask("1.37.0", "apply-2")
	w.await("the lock being free", func() bool { return dead != nil && w.settle() && w.all([]*machine{dead}, "1.37.0 apply-2") })
	w.quiet()
	if slices.ContainsFunc(planes, func(m *machine) bool { return m.cordoned }) {
		t.Error("a node is still cordoned")
	}
	w.settled()
}

// TestUpgradeLate: who waits for a control plane in vain names it.
func TestUpgradeLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planes := w.planes(1)
	w.running(planes[0])
	w.ask("1.37.0", "apply-2")
	w.await("the failure", func() bool { return w.params[prefix+UpgradeFailureParameter] != nil && w.settle() })
	if got, want := w.params[prefix+UpgradeFailureParameter].value, "\ncontrol plane "+planes[1].ip+" has not joined the cluster"; !strings.Contains(got, want) {
		t.Errorf("want %q, got %q", want, got)
	}
	planes[1].boot()
	w.ends(0, planes[1])
	w.ask("1.37.0", "apply-3")
	w.upgraded("1.37.0", planes...)
}

// TestEarlier: machines join a cluster whose control planes, of an earlier
// release, have written no version, and one whose workers may not read it.
func TestEarlier(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.running(w.planes(0)...)
	w.mu.Lock()
	delete(w.params, prefix+VersionParameter)
	w.mu.Unlock()
	w.running(w.add(ControlPlane, 1), w.add(Worker, 0))
	w.mu.Lock()
	w.params[prefix+VersionParameter] = &parameter{kind: "String", value: "1.35.0"}
	w.denied = VersionParameter
	w.mu.Unlock()
	w.running(w.add(Worker, 0))
	w.settled()
}
