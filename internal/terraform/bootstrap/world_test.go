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
	"strings"
	"sync"
	"testing"
	"time"
)

const prefix = "/kubeopera/sim/"

// manifest has the lines of calico-vxlan.yaml that a node changes.
const manifest = `kind: DaemonSet
metadata: {name: calico-node}
env:
            - name: CALICO_IPV4POOL_VXLAN
              value: "CrossSubnet"
            # - name: CALICO_IPV4POOL_CIDR
            #   value: "192.168.0.0/16"
`

// parameter of SSM.
type parameter struct {
	kind, value string
	version     int
}

// member of etcd.
type member struct {
	id, name, ip     string
	started, learner bool
}

// world is what the machines of a simulated cluster see of AWS and of each
// other: SSM, EC2, instance metadata, etcd and what kubeadm does to them. It is
// a fake: it knows the calls that parts/ makes, and fails on others.
type world struct {
	t   *testing.T
	url string
	bin string

	mu       sync.Mutex
	changed  *sync.Cond
	machines map[string]*machine
	params   map[string]*parameter
	writes   []string // of parameters, in order
	calls    []call
	faults   []string // what must never happen
	secrets  map[string]bool

	members  []member
	nextID   int
	joining  string            // the machine that joins etcd
	joined   []string          // in order
	tokens   map[string]string // bootstrap tokens, and who made them
	key      string            // certificate key of kubeadm-certs; empty when it is expired
	ccm, cni bool
	cluster  string   // the version in kubeadm-config
	first    string   // the address in its certSANs
	done     []string // kubeadm upgrade: "apply <id>" and "node <id>", in order
	addons   string   // the version of CoreDNS and kube-proxy
	images   []string // of the cloud controller manager
	probes   int      // of /readyz through the endpoint

	// How the world behaves; set before machines start, or under mu.
	failInit    bool                // kubeadm init fails
	expireKeys  int                 // so many keys expire before they are used
	hangJoin    string              // the join of this machine does not come to its end
	unreachable int                 // so many probes of the endpoint fail
	joinTime    time.Duration       // how long a join takes
	voteTime    time.Duration       // how long a member that has joined stays a learner
	version     string              // of machines that are added
	held        bool                // a PodDisruptionBudget holds all pods
	sick        string              // the member of etcd at this address is not healthy
	denied      string              // the parameter that no worker may read
	busy        map[string]int      // so many calls of kubectl fail, by a part of their arguments
	failUpgrade map[string]string   // what kubeadm upgrade says and fails with, by machine
	hangAddons  bool                // kubeadm upgrade apply does not come to its end after it has changed the version
	hangAt      int                 // the kubeadm upgrade, from 1, that does not come to its end
	killAt      func(*machine) bool // whether to kill the upgrade that has made a call
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		t: t, bin: install(t), machines: map[string]*machine{}, tokens: map[string]string{}, secrets: map[string]bool{}, failUpgrade: map[string]string{}, busy: map[string]int{}, version: "1.36.2",
		params:   map[string]*parameter{prefix + "endpoint": {kind: "String", value: "api.sim.example:6443", version: 1}},
		joinTime: 100 * time.Millisecond, voteTime: 100 * time.Millisecond,
	}
	w.changed = sync.NewCond(&w.mu)
	var stop func()
	w.url, stop = listen(t, w.do)
	t.Cleanup(func() {
		for _, m := range w.machines {
			m.kill()
			m.running.Wait()
		}
		stop()
		if t.Failed() {
			for _, m := range w.machines {
				t.Logf("%s (%s):\n%s", m.id, m.role, m.log.String())
			}
		}
	})
	return w
}

// await until cond, which is called under the lock, is true.
func (w *world) await(what string, cond func() bool) {
	w.t.Helper()
	late := false
	timer := time.AfterFunc(2*time.Minute, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		late = true
		w.changed.Broadcast()
	})
	defer timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for !cond() {
		if late {
			w.t.Fatalf("%s did not come", what)
		}
		w.changed.Wait()
	}
}

// ends waits until the service of each machine has ended with the code.
func (w *world) ends(code int, machines ...*machine) {
	w.t.Helper()
	for _, m := range machines {
		w.await("the end of "+m.id, func() bool { return m.ended && m.pid != 0 })
		if m.code != code {
			w.t.Fatalf("%s (%s) ended with %d, want %d", m.id, m.role, m.code, code)
		}
	}
}

// quiet stops the timers of all machines: nothing happens any more.
func (w *world) quiet() {
	for _, m := range w.machines {
		m.stop()
		m.running.Wait()
	}
}

// faultf remembers what must never happen. The lock is held.
func (w *world) faultf(format string, args ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

// settled checks what is true in every scenario, at its end.
func (w *world) settled() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.faults {
		w.t.Error(f)
	}
	for secret := range w.secrets {
		for _, c := range w.calls {
			if strings.Contains(strings.Join(c.Args, " "), secret) {
				w.t.Errorf("%s got a secret as an argument", c.Tool)
			}
		}
		for _, m := range w.machines {
			if strings.Contains(m.log.String(), secret) {
				w.t.Errorf("%s logged a secret", m.id)
			}
		}
		for name, p := range w.params {
			if p.kind != "SecureString" && strings.Contains(p.value, secret) {
				w.t.Errorf("parameter %s has a secret in plain text", name)
			}
		}
	}
}
