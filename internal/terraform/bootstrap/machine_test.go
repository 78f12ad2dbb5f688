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
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// journal of a machine.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}

// machine of the world.
type machine struct {
	w            *world
	id, ip, name string
	role         Role
	root         string
	state        string // of EC2
	log          *journal
	pid          int
	ended        bool // the service is not running
	code         int
	timer        bool
	stop         context.CancelFunc
	ctx          context.Context //nolint:containedctx // Of the machine's life, which is no call.
	wasDescribed int             // how often others asked EC2 about it
	userDataFile string
	running      sync.WaitGroup

	kubeadm, kubelet string // installed
	runs, serves     string // versions of its kubelet and its API server, "" for none
	cordoned         bool
	slow             int         // so many looks at the health of its etcd fail
	upgrade          *os.Process // of the unit kubeopera-upgrade
}

// add makes a machine with the user data of its role. It is not started.
func (w *world) add(role Role, index int) *machine {
	w.t.Helper()
	n := len(w.machines)
	m := &machine{
		w: w, id: fmt.Sprintf("i-%017d", n), ip: fmt.Sprintf("10.0.0.%d", 10+n), name: fmt.Sprintf("ip-10-0-0-%d.sim.internal", 10+n),
		role: role, root: w.t.TempDir(), state: "running", log: &journal{}, ended: true,
	}
	data, err := UserData(w.paramsOf(role, index))
	if err != nil {
		w.t.Fatal(err)
	}
	m.userDataFile = filepath.Join(m.root, "user-data")
	for path, text := range map[string]string{"user-data": string(data), "etc/fstab": "/dev/sda1 / xfs defaults 0 0\n/swap none swap sw 0 0\n"} {
		path = filepath.Join(m.root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			w.t.Fatal(err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	m.ctx, m.stop = context.WithCancel(context.Background())
	w.machines[m.id] = m
	return m
}

// paramsOf of a machine.
func (w *world) paramsOf(role Role, index int) Params {
	digest := sha256.Sum256([]byte(manifest))
	return Params{
		CloudName: "sim", Region: "eu-central-1", ParameterPrefix: prefix, KubernetesVersion: w.version, Role: role, Index: index, ControlPlanes: 5,
		PodCIDR: "10.244.0.0/16", ServiceCIDR: "10.96.0.0/12",
		Components: Components{CalicoManifest: "https://calico.example/calico-vxlan.yaml", CalicoSHA256: hex.EncodeToString(digest[:])},
	}
}

// command runs the user data, or what it installed, on the machine.
func (m *machine) command(args ...string) *exec.Cmd {
	c := exec.Command("/bin/bash", args...)
	c.Env = []string{
		"PATH=" + m.w.bin + ":/usr/bin:/bin:/usr/sbin:/sbin", "HOME=" + m.root, "LC_ALL=C",
		envWorld + "=" + m.w.url, envMachine + "=" + m.id, envRoot + "=" + m.root,
	}
	c.Dir = m.root
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

// boot runs the user data as cloud-init does, which starts the service.
func (m *machine) boot() {
	m.w.t.Helper()
	out, err := m.command(m.userDataFile).CombinedOutput()
	if err != nil {
		m.w.t.Fatalf("user data of %s: %v\n%s", m.id, err, out)
	}
}

// self is the program that the user data installed.
func (m *machine) self() string {
	return filepath.Join(m.root, "usr", "local", "sbin", "kubeopera-node")
}

// start the service, as systemd does. The lock of the world is held.
func (m *machine) start() {
	c := m.command(m.self(), "up")
	c.Stdout, c.Stderr = m.log, m.log
	if err := c.Start(); err != nil {
		m.w.faults = append(m.w.faults, err.Error())
		return
	}
	m.pid, m.ended = c.Process.Pid, false
	m.code = -1
	m.running.Go(func() {
		_ = c.Wait() // The code says it.
		m.w.mu.Lock()
		defer m.w.mu.Unlock()
		m.ended, m.code = true, c.ProcessState.ExitCode()
		m.w.changed.Broadcast()
	})
}

// restart the service.
func (m *machine) restart() {
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	m.start()
}

// startTimer runs keep every 30 (scaled) seconds. The lock of the world is held.
func (m *machine) startTimer() {
	if m.timer {
		return
	}
	m.timer = true
	m.running.Go(func() {
		tick := time.NewTicker(600 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-m.ctx.Done():
				return
			case <-tick.C:
				m.keep()
			}
		}
	})
}

// keep once.
func (m *machine) keep() {
	c := m.command(m.self(), "keep")
	out := &bytes.Buffer{}
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		return
	}
	stop := context.AfterFunc(m.ctx, func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	defer stop()
	_ = c.Wait() // A failed one is followed by the next.
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	fmt.Fprintf(m.log, "keep: %s\n", out)
	m.w.changed.Broadcast()
}

// kill -9 all that runs on the machine, the service and the timer.
func (m *machine) kill() {
	m.stop()
	m.crash()
}

// crash is a kill -9 of the service.
func (m *machine) crash() {
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	if m.pid != 0 && !m.ended {
		_ = syscall.Kill(-m.pid, syscall.SIGKILL)
	}
	if m.upgrade != nil {
		_ = syscall.Kill(-m.upgrade.Pid, syscall.SIGKILL)
	}
}

// terminate the machine: kill, and EC2 says so.
func (m *machine) terminate() {
	m.kill()
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	m.state = "terminated"
	m.w.changed.Broadcast()
}
