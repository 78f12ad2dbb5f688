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
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// do what a program does.
func (w *world) do(ctx context.Context, c call) result {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.changed.Broadcast()
	m := w.machines[c.Machine]
	w.calls = append(w.calls, c)
	if w.killAt != nil && c.Upgrade {
		defer w.killUpgrade(m)
	}
	switch c.Tool {
	case "aws":
		return w.aws(m, c)
	case "curl":
		return w.curl(m, c)
	case "kubeadm":
		return w.kubeadm(ctx, m, c)
	case "kubectl":
		return w.kubectl(m, c)
	case "crictl":
		return w.crictl(m, c)
	case "systemctl":
		return w.systemctl(m, c)
	case "dnf":
		return w.dnf(m, c)
	case "systemd-run":
		return w.systemdRun(m, c)
	case "containerd":
		return result{Out: "SystemdCgroup = false\n"}
	}
	return result{}
}

// kube is /etc/kubernetes of the machine.
func (m *machine) kube(name string) string { return filepath.Join(m.root, "etc", "kubernetes", name) }

func (w *world) kubeadm(ctx context.Context, m *machine, c call) result {
	config := ""
	if i := slices.Index(c.Args, "--config"); i >= 0 {
		b, err := os.ReadFile(c.Args[i+1])
		if err != nil {
			w.faultf("%v", err)
		}
		config = string(b)
	}
	switch c.Args[0] {
	case "config": // images pull
		return result{}
	case "init":
		if c.Args[1] == "phase" {
			return w.uploadCerts(config)
		}
		return w.init(m, config, slices.Contains(c.Args, "--ignore-preflight-errors=all"))
	case "join":
		return w.join(ctx, m, config)
	case "upgrade":
		return w.kubeadmUpgrade(ctx, m, c.Args[1:])
	case "reset":
		w.members = slices.DeleteFunc(w.members, func(e member) bool { return e.ip == m.ip && e.started })
		for _, f := range []string{"admin.conf", "kubelet.conf", "pki", "manifests"} {
			_ = os.RemoveAll(m.kube(f)) // It may not be there.
		}
		m.runs, m.serves = "", ""
		return result{Out: "[reset] done\n"}
	}
	w.faultf("kubeadm does not know %v", c.Args)
	return result{Code: 1}
}

func (w *world) init(m *machine, config string, again bool) result {
	for _, want := range []string{
		"controlPlaneEndpoint: \"api.sim.example:6443\"", `certSANs: ["api.sim.example", "` + m.ip + `", 127.0.0.1]`,
		"aws:///eu-central-1a/" + m.id, "name: " + m.name + "\n",
	} {
		if !strings.Contains(config, want) {
			w.faultf("kubeadm init without %s in\n%s", want, config)
		}
	}
	if _, err := os.Stat(m.kube("manifests/kube-apiserver.yaml")); (err == nil) != again {
		return result{Code: 1, Err: "[ERROR FileAvailable--etc-kubernetes-manifests-kube-apiserver.yaml] already exists\n"}
	}
	w.write(m.kube("manifests/kube-apiserver.yaml"), "")
	w.secrets["k3y0ft.administratorxxx"] = true
	if w.failInit {
		return result{Code: 1, Out: "[certs] k3y0ft.administratorxxx\n", Err: "error execution phase wait-control-plane: the kubelet is not healthy\n"}
	}
	w.member(m, true, false)
	w.cluster, w.first = m.kubeadm, m.ip
	w.up(m)
	w.key = "only kubeadm knows"
	return result{Out: "Your Kubernetes control-plane has initialized successfully!\n"}
}

// up: the files of a control plane.
func (w *world) up(m *machine) {
	w.write(m.kube("manifests/kube-apiserver.yaml"), "")
	w.write(m.kube("admin.conf"), "kind: Config # k3y0ft.administratorxxx\n")
	w.write(m.kube("kubelet.conf"), "")
	w.write(m.kube("pki/ca.crt"), "CERTIFICATE\n")
	m.runs, m.serves = m.kubelet, w.cluster
}

func (w *world) member(m *machine, started, learner bool) {
	w.nextID++
	w.members = append(w.members, member{id: fmt.Sprintf("%016x", w.nextID), name: m.name, ip: m.ip, started: started, learner: learner})
}

func (w *world) uploadCerts(config string) result {
	key := regexp.MustCompile(`certificateKey: ([0-9a-f]{64})\n`).FindStringSubmatch(config)
	if key == nil {
		w.faultf("upload-certs with\n%s", config)
		return result{Code: 1}
	}
	w.key = key[1]
	w.secrets[key[1]] = true
	return result{Out: "[upload-certs] Using certificate key:\n" + key[1] + "\n"}
}

// join checks the token, and for a control plane the certificate key. The new
// member of etcd is a learner until the join ends, and begins to vote after it.
func (w *world) join(ctx context.Context, m *machine, config string) result {
	token := regexp.MustCompile(`tlsBootstrapToken: (\S+)\n`).FindStringSubmatch(config)
	if len(token) != 2 || w.tokens[token[1]] == "" {
		return result{Code: 1, Err: "error execution phase preflight: couldn't validate the identity of the API Server\n"}
	}
	if !strings.Contains(config, "controlPlane:") {
		w.joined = append(w.joined, m.id)
		w.write(m.kube("kubelet.conf"), "")
		m.runs = m.kubelet
		w.skew()
		return result{Out: "This node has joined the cluster\n"}
	}
	key := regexp.MustCompile(`\n  certificateKey: (\S+)\n`).FindStringSubmatch(config)
	if len(key) != 2 || key[1] != w.key {
		return result{Code: 1, Err: "error execution phase control-plane-prepare/download-certs: the certificate key has expired\n"}
	}
	w.exclusive(m, "kubeadm join")
	if minorOf(m.kubeadm) != minorOf(w.cluster) {
		w.faultf("%s of %s joins a cluster of %s", m.id, m.kubeadm, w.cluster)
	}
	if w.joining != "" {
		w.faultf("%s joins while %s does", m.id, w.joining)
	}
	if slices.ContainsFunc(w.members, func(e member) bool { return e.learner || !e.started }) {
		return result{Code: 1, Err: "etcdserver: too many learner members in cluster\n"}
	}
	if slices.ContainsFunc(w.members, func(e member) bool { return e.ip == m.ip }) {
		return result{Code: 1, Err: "etcdserver: Peer URLs already exists\n"}
	}
	w.joining = m.id
	w.member(m, true, true)
	took := time.After(w.joinTime)
	if w.hangJoin == m.id {
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
	if !alive {
		w.joining = ""
		return result{Code: 137}
	}
	w.up(m)
	w.joined = append(w.joined, m.id)
	m.running.Go(func() { w.promote(m) })
	return result{Out: "This node has joined the cluster and a new control plane instance was created\n"}
}

// promote makes the member of m vote, some time after its join.
func (w *world) promote(m *machine) {
	select {
	case <-m.ctx.Done():
		return
	case <-time.After(w.voteTime):
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.members {
		if w.members[i].ip == m.ip {
			w.members[i].learner = false
		}
	}
	w.joining = ""
	w.changed.Broadcast()
}
