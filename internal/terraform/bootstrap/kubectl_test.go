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
	"os"
	"regexp"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

// kubectl is the API server of the cluster.
func (w *world) kubectl(m *machine, c call) result {
	if _, err := os.Stat(m.kube("admin.conf")); err != nil {
		return result{Code: 1, Err: "error: stat admin.conf: no such file\n"}
	}
	args := strings.Join(c.Args, " ")
	local := strings.Contains(args, "--server https://127.0.0.1:6443")
	if local && m.serves == "" {
		return result{Code: 1, Err: "The connection to the server 127.0.0.1:6443 was refused\n"}
	}
	if r, ok := w.upgradeKubectl(m, args); ok {
		return r
	}
	switch {
	case strings.HasSuffix(args, "get --raw /readyz"):
		if !local {
			w.probes++
		}
		if !local && w.probes <= w.unreachable {
			return result{Code: 1, Err: "Unable to connect to the server\n"}
		}
		return result{Out: "ok"}
	case !local:
		w.faultf("kubectl asks the endpoint %v", c.Args)
	case strings.Contains(args, "get node "+m.name) && strings.Contains(args, "taints"):
		if !w.ccm {
			return result{Out: "node.cloudprovider.kubernetes.io/uninitialized node-role.kubernetes.io/control-plane"}
		}
		return result{Out: "node-role.kubernetes.io/control-plane"}
	case strings.Contains(args, "get node "+m.name) && strings.Contains(args, "Ready"):
		if w.cni {
			return result{Out: "True"}
		}
		return result{Out: "False"}
	case strings.Contains(args, " get secret bootstrap-token-"):
		id := strings.TrimPrefix(c.Args[slices.Index(c.Args, "secret")+1], "bootstrap-token-")
		for token := range w.tokens {
			if strings.HasPrefix(token, id+".") {
				return result{Out: "secret/bootstrap-token-" + id + "\n"}
			}
		}
		return result{}
	case strings.Contains(args, " apply "):
		text := c.Stdin
		if file := c.Args[slices.Index(c.Args, "-f")+1]; file != "-" {
			b, err := os.ReadFile(file)
			if err != nil {
				w.faultf("%v", err)
			}
			text = string(b)
		}
		return w.apply(m, text)
	}
	w.faultf("kubectl does not know %v", c.Args)
	return result{Code: 1}
}

func (w *world) apply(m *machine, text string) result {
	switch {
	case strings.Contains(text, "name: aws-cloud-controller-manager"):
		w.ccm = true
		w.images = append(w.images, regexp.MustCompile(`image: (.*)\n`).FindStringSubmatch(text)[1])
		w.strict(text)
	case strings.Contains(text, "name: calico-node"):
		if !w.ccm {
			w.faultf("Calico came before the cloud controller manager")
		}
		if !strings.Contains(text, "            - name: CALICO_IPV4POOL_CIDR\n              value: \"10.244.0.0/16\"\n") || !strings.Contains(text, `value: "Always"`) {
			w.faultf("Calico applied as\n%s", text)
		}
		w.cni = true
	case strings.Contains(text, "type: bootstrap.kubernetes.io/token"):
		w.strict(text)
		id := regexp.MustCompile(`token-id: "([0-9a-f]{6})"\n`).FindStringSubmatch(text)
		secret := regexp.MustCompile(`token-secret: "([0-9a-f]{16})"\n`).FindStringSubmatch(text)
		if id == nil || secret == nil || !strings.Contains(text, "name: bootstrap-token-"+id[1]) {
			w.faultf("a token that is none: %s", text)
			return result{Code: 1}
		}
		w.tokens[id[1]+"."+secret[1]] = m.id
		w.secrets[secret[1]] = true
	default:
		w.faultf("kubectl applies\n%s", text)
	}
	return result{Out: "serverside-applied\n"}
}

// strict refuses objects with fields that their kinds do not have.
func (w *world) strict(text string) {
	kinds := map[string]any{
		"ServiceAccount": &corev1.ServiceAccount{}, "Secret": &corev1.Secret{}, "DaemonSet": &appsv1.DaemonSet{},
		"RoleBinding": &rbacv1.RoleBinding{}, "ClusterRoleBinding": &rbacv1.ClusterRoleBinding{}, "ClusterRole": &rbacv1.ClusterRole{},
	}
	for doc := range strings.SplitSeq(text, "---\n") {
		kind := regexp.MustCompile(`(?m)^kind: (.*)$`).FindStringSubmatch(doc)
		if len(kind) != 2 || kinds[kind[1]] == nil {
			w.faultf("applied what is no object that is known:\n%s", doc)
			continue
		}
		if err := yaml.UnmarshalStrict([]byte(doc), kinds[kind[1]]); err != nil {
			w.faultf("applied %s: %v", kind[1], err)
		}
	}
}
