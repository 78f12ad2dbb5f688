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
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExpiredKey lets the certificate key end before it is used.
func TestExpiredKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.expireKeys = 1
	planes := w.planes(1)
	for _, m := range planes {
		m.boot()
	}
	w.ends(0, planes...)
	w.quiet()
	if got := w.count("kubeadm", "init", "phase", "upload-certs"); got < 2 {
		t.Errorf("the key was issued %d times, want a second time", got)
	}
	if diff := cmp.Diff(addresses(planes...), w.voters()); diff != "" {
		t.Errorf("voting members of etcd: -want, +got:\n%s", diff)
	}
	w.settled()
}

// TestFailedInit: all stop, and go on when a later try succeeds.
func TestFailedInit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.failInit = true
	all := append(w.planes(1), w.add(Worker, 0))
	for _, m := range all {
		m.boot()
	}
	w.ends(1, all...)
	failure := w.params[prefix+"failure"]
	if failure == nil {
		t.Fatal("no failure parameter")
	}
	want := "kubeadm init: failed\n[certs] ***\nerror execution phase wait-control-plane: the kubelet is not healthy"
	if diff := cmp.Diff(want, strings.TrimSpace(failure.value)); diff != "" {
		t.Errorf("failure: -want, +got:\n%s", diff)
	}
	if _, ok := w.params[prefix+"kubeconfig"]; ok {
		t.Error("a kubeconfig was published")
	}
	for _, m := range all[1:] {
		if !strings.Contains(m.log.String(), "the first control plane failed: kubeadm init: failed") {
			t.Errorf("%s does not say why it stops", m.id)
		}
	}

	w.failInit = false
	all[0].restart()
	w.ends(0, all[0])
	for _, m := range all[1:] {
		m.restart()
	}
	w.ends(0, all...)
	w.quiet()
	for name := range maps.Keys(w.params) {
		if strings.Contains(name, "failure") {
			t.Errorf("%s is still there", name)
		}
	}
	w.settled()
}

// TestReplacedFirst: a machine that takes the place of the first one does not
// make a second cluster.
func TestReplacedFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planes := w.planes(1)
	for _, m := range planes {
		m.boot()
	}
	w.ends(0, planes...)
	planes[0].terminate()
	again := w.add(FirstControlPlane, 0)
	again.boot()
	w.ends(1, again)
	w.quiet()
	if got := w.count("kubeadm", "init", "--config"); got != 1 {
		t.Errorf("kubeadm init ran %d times, want once", got)
	}
	if got := w.params[prefix+"failure"].value; !strings.HasPrefix(got, "there is a cluster already") {
		t.Errorf("failure is %q", got)
	}
	w.settled()
}

// TestRenewal: the timer gives the workers a new token in time.
func TestRenewal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.planes(0)[0]
	one.boot()
	w.ends(0, one)
	w.mu.Lock()
	old := w.params[prefix+"join/worker"].value
	w.params[prefix+"join/worker-expires"].value = "1"
	w.mu.Unlock()
	w.await("a new token", func() bool { return w.params[prefix+"join/worker"].value != old })
	w.mu.Lock()
	if _, ok := w.tokens[w.params[prefix+"join/worker"].value]; !ok {
		t.Error("the new token is not in the cluster")
	}
	w.mu.Unlock()
	worker := w.add(Worker, 0)
	worker.boot()
	w.ends(0, worker)
	w.settled()
}
