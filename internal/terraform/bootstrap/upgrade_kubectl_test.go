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
	"regexp"
	"slices"
	"strings"
)

// upgradeKubectl is what an upgrade asks of the API server.
func (w *world) upgradeKubectl(m *machine, args string) (result, bool) {
	for part, n := range w.busy {
		if n > 0 && strings.Contains(args, part) {
			w.busy[part]--
			return result{Code: 1, Err: "Error from server: etcdserver: request timed out\n"}, true
		}
	}
	switch {
	case strings.Contains(args, "get configmap kubeadm-config"):
		return result{Out: "apiServer:\n  certSANs:\n  - api.sim.example\n  - " + w.first + "\n  - 127.0.0.1\nkind: ClusterConfiguration\nkubernetesVersion: v" + w.cluster + "\nnetworking:\n  dnsDomain: cluster.local\n  podSubnet: 10.244.0.0/16\n"}, true
	case strings.Contains(args, "get nodes -l node-role.kubernetes.io/control-plane"):
		return result{Out: w.nodes(func(n *machine) string {
			if n.role == Worker {
				return ""
			}
			return n.name + " " + n.ip + " v" + n.runs + "\n"
		})}, true
	case strings.Contains(args, "get nodes --no-headers"):
		return result{Out: w.nodes(func(n *machine) string {
			if n.cordoned {
				return n.name + "   Ready,SchedulingDisabled   <none>   1d   v" + n.runs + "\n"
			}
			return n.name + "   Ready   <none>   1d   v" + n.runs + "\n"
		})}, true
	case strings.Contains(args, "get node "+m.name) && strings.Contains(args, "unschedulable"):
		if m.cordoned {
			return result{Out: "true"}, true
		}
		return result{}, true
	case strings.Contains(args, "get node "+m.name) && strings.Contains(args, "kubeletVersion"):
		return result{Out: "v" + m.runs + " True"}, true
	case strings.Contains(args, " drain "+m.name+" "):
		w.exclusive(m, "kubectl drain")
		m.cordoned = true
		if w.held {
			return result{Code: 1, Err: "error when evicting pods: Cannot evict pod as it would violate the pod's disruption budget.\n"}, true
		}
		return result{}, true
	case strings.HasSuffix(args, " uncordon "+m.name):
		w.exclusive(m, "kubectl uncordon")
		if m.slow > 0 {
			w.faultf("%s takes pods before its etcd is healthy", m.id)
		}
		m.cordoned = false
		return result{}, true
	case strings.Contains(args, "get daemonset/"):
		w.exclusive(m, "the end of an upgrade")
		return result{Out: regexp.MustCompile(`daemonset/\S+`).FindString(args) + "\n"}, true
	}
	return result{}, false
}

// nodes are the lines of all machines that are in the cluster.
func (w *world) nodes(line func(*machine) string) string {
	var lines []string
	for _, n := range w.machines {
		if n.runs != "" && n.state == "running" {
			lines = append(lines, line(n))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}
