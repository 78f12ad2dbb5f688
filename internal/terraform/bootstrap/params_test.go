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
	"strings"
	"testing"
)

func TestRefused(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*Params)
		want   string
	}{
		"Role":       {"there are three roles", func(p *Params) { p.Role = "etcd" }, `role "etcd" is none of`},
		"Name":       {"a quote would end the string that it stands in", func(p *Params) { p.CloudName = "a'; reboot; '" }, "cloud name"},
		"Region":     {"a region has a number", func(p *Params) { p.Region = "eu" }, "region"},
		"Prefix":     {"names are appended to it", func(p *Params) { p.ParameterPrefix = "/kubeopera/a" }, "parameter prefix"},
		"Minor":      {"packages are pinned to a patch", func(p *Params) { p.KubernetesVersion = "1.36" }, "Kubernetes version"},
		"Old":        {"kubeadm of before has no v1beta4 or no local kubelets", func(p *Params) { p.KubernetesVersion = "1.31.0" }, "older than 1.33"},
		"Pods":       {"it is a network", func(p *Params) { p.PodCIDR = "10.244.0.0" }, "pod CIDR"},
		"Services":   {"it is a network", func(p *Params) { p.ServiceCIDR = "" }, "service CIDR"},
		"IPv6":       {"nodes are set up for IPv4", func(p *Params) { p.PodCIDR = "fd00::/48" }, "not both IPv4"},
		"Overlap":    {"services would shadow pods", func(p *Params) { p.PodCIDR = "10.100.0.0/16" }, "overlap"},
		"Index":      {"a further one has an index", func(p *Params) { p.Role = ControlPlane }, "index 0"},
		"IndexLarge": {"the index is below the number", func(p *Params) { p.Role, p.Index = ControlPlane, 3 }, "index 3"},
		"First":      {"the first one has none", func(p *Params) { p.Index = 1 }, "index 1"},
		"None":       {"a cluster has a control plane", func(p *Params) { p.ControlPlanes = 0 }, "0 control planes"},
		"Manifest":   {"a manifest of one's own needs its digest", func(p *Params) { p.Components.CalicoManifest = "https://a.example/c.yaml" }, "Calico digest"},
		"PlainHTTP":  {"it is fetched with TLS", func(p *Params) { p.Components.CalicoManifest = "http://a.example/c.yaml" }, "Calico manifest"},
		"Image":      {"it is an image reference", func(p *Params) { p.Components.CloudControllerManager = "x y" }, "image"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := params(FirstControlPlane)
			tc.change(&p)
			if _, err := UserData(p); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want an error with %q", tc.reason, err, tc.want)
			}
		})
	}
}
