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
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// minorOf a version, 36 of 1.36.2; 0 of none.
func minorOf(version string) int {
	parts := strings.Split(version, ".")
	if len(parts) != 3 {
		return 0
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil {
		return 0
	}
	return n
}

// ask for an upgrade, as a run does.
func (w *world) ask(version, id string) {
	w.t.Helper()
	p := w.paramsOf(ControlPlane, 1)
	p.KubernetesVersion = version
	script, err := Upgrade(p)
	if err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.params, prefix+UpgradeFailureParameter)
	w.params[prefix+UpgradeScriptParameter] = &parameter{kind: "String", value: script}
	w.params[prefix+UpgradeWantedParameter] = &parameter{kind: "String", value: version + " " + id}
}

// exclusive: only who holds the lock may do this. The lock of the world is held.
func (w *world) exclusive(m *machine, what string) {
	links := w.links()
	if len(links) == 0 || links[len(links)-1] != m.id {
		w.faultf("%s does %s without the lock: %v", m.id, what, links)
	}
}

// skew: no kubelet is newer than an API server that it may ask: its own, or any
// for a worker. The lock of the world is held.
func (w *world) skew() {
	for _, m := range w.machines {
		for _, api := range w.machines {
			if m.runs == "" || api.serves == "" || m.state != "running" || api.state != "running" || m.role != Worker && m != api {
				continue
			}
			if minorOf(m.runs) > minorOf(api.serves) {
				w.faultf("kubelet %s of %s is newer than the API server %s of %s", m.runs, m.id, api.serves, api.id)
			}
		}
	}
}

// available: so many control planes serve that etcd has a majority, unless a
// machine was lost. The lock of the world is held.
func (w *world) available() {
	all, up := 0, 0
	for _, m := range w.machines {
		if m.state != "running" {
			return
		}
		if m.runs != "" && m.role != Worker {
			all++
			if m.serves != "" {
				up++
			}
		}
	}
	if all > 2 && up <= all/2 {
		w.faultf("%d of %d control planes serve", up, all)
	}
}

// dnf installs packages of the repository that the machine has.
func (w *world) dnf(m *machine, c call) result {
	repo, err := os.ReadFile(m.root + "/etc/yum.repos.d/kubernetes.repo")
	if err != nil || !slices.Contains(c.Args, "--disableexcludes=kubernetes") {
		w.faultf("dnf %v: %v", c.Args, err)
	}
	if !c.Upgrade {
		for _, p := range []string{"kubelet-" + w.version, "kubeadm-" + w.version, "kubectl-" + w.version, "containerd"} {
			if !slices.Contains(c.Args, p) && m.kubelet == "" {
				w.faultf("dnf does not install %s", p)
			}
		}
	}
	for _, arg := range c.Args {
		name, version, _ := strings.Cut(arg, "-")
		if name != "kubeadm" && name != "kubelet" {
			continue
		}
		if !strings.Contains(string(repo), fmt.Sprintf("/v1.%d/", minorOf(version))) || !strings.Contains(string(repo), "\nmetadata_expire=1m\nskip_if_unavailable=0\n") {
			w.faultf("%s is not in the repository\n%s", arg, repo)
		}
		if strings.HasSuffix(version, ".99") {
			return result{Code: 1, Err: "No match for argument: " + arg + "\nError: Unable to find a match: " + arg + "\n"}
		}
		if name == "kubeadm" {
			m.kubeadm = version
		} else {
			if c.Upgrade {
				w.exclusive(m, "dnf install kubelet")
			}
			m.kubelet = version
		}
	}
	return result{}
}

// systemdRun starts the unit of an upgrade.
func (w *world) systemdRun(m *machine, c call) result {
	i := slices.Index(c.Args, m.self()+"-upgrade")
	if i < 0 || m.upgrade != nil {
		w.faultf("systemd-run %v", c.Args)
	}
	if i < 0 || m.upgrade != nil || m.ctx.Err() != nil {
		return result{Code: 1}
	}
	w.startUpgrade(m, c.Args[i:])
	return result{}
}

// startUpgrade runs the unit, and once more when it was killed, as the timer
// would half a minute later. The lock of the world is held.
func (w *world) startUpgrade(m *machine, args []string) {
	cmd := m.command(args...)
	cmd.Env = append(cmd.Env, envUnit+"=upgrade")
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		w.faultf("%v", err)
		return
	}
	m.upgrade = cmd.Process
	m.running.Go(func() {
		_ = cmd.Wait() // What it leaves says it.
		w.mu.Lock()
		defer w.mu.Unlock()
		defer w.changed.Broadcast()
		m.upgrade = nil
		fmt.Fprintf(m.log, "upgrade: %s\n", out)
		if w.killAt != nil && cmd.ProcessState.ExitCode() < 0 && m.ctx.Err() == nil {
			w.startUpgrade(m, args)
		}
	})
}

// killUpgrade kills the unit of a machine after a call of it, if it is time.
func (w *world) killUpgrade(m *machine) {
	if m.upgrade != nil && w.killAt != nil && w.killAt(m) {
		_ = syscall.Kill(-m.upgrade.Pid, syscall.SIGKILL)
	}
}

// kubeadmUpgrade replaces the API server of a machine, which takes its time.
// What kubeadm has begun the kubelet finishes, also when kubeadm is killed.
func (w *world) kubeadmUpgrade(ctx context.Context, m *machine, args []string) result {
	w.exclusive(m, "kubeadm upgrade")
	to := m.kubeadm
	switch {
	case args[0] == "apply" && !slices.Equal(args[1:], []string{"--yes", "v" + to}),
		args[0] == "apply" && (minorOf(to) < minorOf(w.cluster) || minorOf(to) > minorOf(w.cluster)+1),
		args[0] == "node" && w.cluster != to:
		w.faultf("kubeadm %s of %s upgrades a cluster of %s: %v", to, m.id, w.cluster, args)
	}
	for _, e := range w.members {
		if !slices.ContainsFunc(slices.Collect(maps.Values(w.machines)), func(n *machine) bool { return n.ip == e.ip && n.state == "running" }) {
			return result{Code: 1, Out: "error execution phase preflight: etcd cluster is not healthy: " + e.ip + "\n"}
		}
	}
	if w.sick != "" {
		w.faultf("kubeadm upgrade %s restarts the etcd of %s while that at %s is not healthy", args[0], m.id, w.sick)
	}
	if text := w.failUpgrade[m.id]; text != "" {
		return result{Code: 1, Out: text}
	}
	m.serves = ""
	w.available()
	took := time.After(w.joinTime)
	if w.hangAt == len(w.done)+1 {
		took = nil
	}
	w.changed.Broadcast()
	w.mu.Unlock()
	alive := false
	select {
	case <-ctx.Done():
	case <-took:
		alive = true
	}
	w.mu.Lock()
	m.serves = to
	w.skew()
	if !alive {
		return result{Code: 137}
	}
	w.cluster = to
	if args[0] == "apply" {
		w.changed.Broadcast()
		if w.hangAddons {
			w.mu.Unlock()
			<-ctx.Done()
			w.mu.Lock()
			return result{Code: 137}
		}
		w.addons = to
	}
	w.done = append(w.done, args[0]+" "+m.id)
	return result{Out: "[upgrade] SUCCESS!\n"}
}
