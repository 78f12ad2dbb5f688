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
	"path"
	"slices"
	"sort"
	"strings"
)

// flags of a call of the AWS CLI: each with what follows it.
func flags(args []string) map[string][]string {
	f, name := map[string][]string{}, ""
	for _, a := range args {
		if strings.HasPrefix(a, "--") {
			name = a
			f[name] = []string{}
			continue
		}
		f[name] = append(f[name], a)
	}
	return f
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// aws is SSM and EC2. The lock is held.
func (w *world) aws(m *machine, c call) result {
	f := flags(c.Args)
	name := first(f["--name"])
	w.allowed(m, c.Args[1], name)
	switch c.Args[0] + " " + c.Args[1] {
	case "ssm get-parameter":
		if m.role == Worker && w.denied != "" && name == prefix+w.denied {
			return result{Code: 254, Err: "An error occurred (AccessDeniedException) when calling the GetParameter operation: User is not authorized\n"}
		}
		p, ok := w.params[name]
		if !ok {
			return result{Code: 254, Err: "An error occurred (ParameterNotFound) when calling the GetParameter operation: \n"}
		}
		return result{Out: p.value + "\n"}
	case "ssm get-parameters":
		b := &strings.Builder{}
		for _, n := range f["--names"] {
			if p, ok := w.params[n]; ok {
				fmt.Fprintf(b, "%s\t%s\n", n, p.value)
			}
		}
		return result{Out: b.String()}
	case "ssm put-parameter":
		return w.putParameter(m, name, f)
	case "ssm delete-parameter":
		if _, ok := w.params[name]; !ok {
			return result{Code: 254, Err: "An error occurred (ParameterNotFound) when calling the DeleteParameter operation: \n"}
		}
		delete(w.params, name)
		w.writes = append(w.writes, "-"+name)
		return result{}
	case "ec2 describe-instances":
		return w.describeInstances(f)
	}
	w.faultf("aws does not know %v", c.Args)
	return result{Code: 252}
}

// allowed is the policy of the machines' roles. The lock is held.
func (w *world) allowed(m *machine, verb, name string) {
	if m.role != Worker {
		return
	}
	if verb != "get-parameter" || !slices.Contains([]string{"endpoint", "failure", "join/ca", "join/worker", "version"}, strings.TrimPrefix(name, prefix)) {
		w.faultf("worker %s may not %s %s", m.id, verb, name)
	}
}

func (w *world) putParameter(m *machine, name string, f map[string][]string) result {
	_, overwrite := f["--overwrite"]
	if p := w.params[name]; p != nil && !overwrite {
		return result{Code: 254, Err: "An error occurred (ParameterAlreadyExists) when calling the PutParameter operation: The parameter already exists.\n"}
	}
	value, err := os.ReadFile(strings.TrimPrefix(first(f["--value"]), "file://"))
	if err != nil || len(value) == 0 || len(value) > 8192 {
		w.faultf("%s put %d bytes into %s: %v", m.id, len(value), name, err)
		return result{Code: 254}
	}
	p := w.params[name]
	if p == nil {
		p = &parameter{}
		w.params[name] = p
	}
	p.kind, p.value, p.version = first(f["--type"]), string(value), p.version+1
	w.writes = append(w.writes, name)
	switch {
	case name == prefix+"kubeconfig" && w.probes <= w.unreachable:
		w.faultf("kubeconfig published before the endpoint was ready")
	case name == prefix+"join/answered" && w.expireKeys > 0:
		w.expireKeys--
		w.key = ""
	}
	return result{Out: fmt.Sprintf(`{"Version": %d}`, p.version)}
}

func (w *world) describeInstances(f map[string][]string) result {
	if id := first(f["--instance-ids"]); id != "" {
		m, ok := w.machines[id]
		if !ok {
			return result{Code: 254, Err: "An error occurred (InvalidInstanceID.NotFound) when calling the DescribeInstances operation: \n"}
		}
		m.wasDescribed++
		return result{Out: m.state + "\n"}
	}
	var ips []string
	planes := slices.Contains(f["--filters"], "Name=tag:Name,Values=sim-control-plane-*")
	further := false
	switch query := first(f["--query"]); query {
	case "Reservations[].Instances[].PrivateIpAddress":
	case "Reservations[].Instances[?!contains(Tags[].Value,'sim-control-plane-0')][].PrivateIpAddress":
		further = true
	default:
		w.faultf("aws does not know the query %s", query)
	}
	for _, m := range w.machines {
		if m.state == "running" && (!planes || m.role != Worker) && (!further || m.role != FirstControlPlane) {
			ips = append(ips, m.ip)
		}
	}
	sort.Strings(ips)
	return result{Out: strings.Join(ips, "\t") + "\n"}
}

// curl is the instance metadata, which wants its token, and Calico's manifest.
func (w *world) curl(m *machine, c call) result {
	url := c.Args[len(c.Args)-1]
	switch {
	case strings.HasSuffix(url, "/latest/api/token"):
		return result{Out: "token-of-" + m.id}
	case strings.HasPrefix(url, "http://169.254.169.254/latest/meta-data/"):
		if c.Header != "X-aws-ec2-metadata-token: token-of-"+m.id {
			w.faultf("metadata asked with the header %q", c.Header)
			return result{Code: 22}
		}
		return result{Out: map[string]string{
			"instance-id": m.id, "availability-zone": "eu-central-1a", "local-ipv4": m.ip, "local-hostname": m.name + " other.name",
		}[path.Base(url)]}
	case url == "https://calico.example/calico-vxlan.yaml":
		return w.write(c.Args[slices.Index(c.Args, "-o")+1], manifest)
	}
	w.faultf("curl does not know %s", url)
	return result{Code: 6}
}

func (w *world) write(file, text string) result {
	if err := os.MkdirAll(path.Dir(file), 0o755); err != nil {
		w.faultf("%v", err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.faultf("%v", err)
	}
	return result{}
}

// systemctl starts the service and the timer.
func (w *world) systemctl(m *machine, c call) result {
	switch strings.Join(c.Args, " ") {
	case "start --no-block kubeopera-node.service":
		m.start()
	case "enable --now kubeopera-keep.timer":
		m.startTimer()
	case "is-active -q kubeopera-upgrade":
		if m.upgrade == nil {
			return result{Code: 3}
		}
	case "restart kubelet":
		w.exclusive(m, "systemctl restart kubelet")
		m.runs, m.slow = m.kubelet, 3
		w.skew()
	case "daemon-reload", "enable kubeopera-node.service", "enable --now containerd", "enable kubelet", "try-restart systemd-networkd":
	default:
		w.faultf("systemctl does not know %v", c.Args)
	}
	return result{}
}
