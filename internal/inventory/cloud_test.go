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

package inventory

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestParseProviderID(t *testing.T) {
	cases := map[string]struct {
		reason string
		id     string
		want   Cloud
	}{
		"None":            {"No cloud integration", "", Cloud{Provider: Unknown}},
		"AWS":             {"The usual zone", "aws:///eu-north-1a/i-0abc", Cloud{"aws", "eu-north-1"}},
		"AWSLocalZone":    {"A local zone belongs to its parent region", "aws:///us-west-2-lax-1a/i-0abc", Cloud{"aws", "us-west-2"}},
		"AWSWavelength":   {"So does a wavelength zone", "aws:///us-east-1-wl1-bos-wlz-1/i-0abc", Cloud{"aws", "us-east-1"}},
		"AWSGov":          {"A region of four parts", "aws:///us-gov-west-1b/i-0abc", Cloud{"aws", "us-gov-west-1"}},
		"AWSFargate":      {"A node that is no instance", "aws:///eu-west-1b/0a1b-2c/fargate-ip-10-0-0-1", Cloud{"aws", "eu-west-1"}},
		"AWSShort":        {"Only the instance", "aws:///i-0abc", Cloud{"aws", ""}},
		"GCP":             {"The region is the zone without its letter", "gce://my-project/europe-west1-b/node-1", Cloud{"gcp", "europe-west1"}},
		"Azure":           {"There is no region inside", "azure:///subscriptions/x/resourceGroups/y/providers/Microsoft.Compute/virtualMachines/z", Cloud{"azure", ""}},
		"OpenStackRegion": {"With a region", "openstack://RegionOne/7d8f", Cloud{"openstack", "RegionOne"}},
		"OpenStack":       {"Without one", "openstack:///7d8f", Cloud{"openstack", ""}},
		"Hetzner":         {"Known by another name", "hcloud://12345", Cloud{"hetzner", ""}},
		"DigitalOcean":    {"The label has the region", "digitalocean://12345", Cloud{"digitalocean", ""}},
		"Linode":          {"The label has the region", "linode://12345", Cloud{"linode", ""}},
		"VSphere":         {"No regions", "vsphere://4211-aa", Cloud{"vsphere", ""}},
		"Exoscale":        {"The label has the region", "exoscale://7d8f", Cloud{"exoscale", ""}},
		"Vultr":           {"The label has the region", "vultr://7d8f", Cloud{"vultr", ""}},
		"Scaleway":        {"The region is the zone without its number", "scaleway://instance/fr-par-1/7d8f", Cloud{"scaleway", "fr-par"}},
		"IBM":             {"The label has the region", "ibm://abc///cluster/worker", Cloud{"ibm", ""}},
		"OCI":             {"The OCID has the region", "oci://ocid1.instance.oc1.eu-frankfurt-1.abc", Cloud{"oracle", "eu-frankfurt-1"}},
		"OCIBare":         {"Without a scheme", "ocid1.instance.oc1.phx.abc", Cloud{"oracle", "phx"}},
		"OCIShort":        {"Not a whole OCID", "ocid1.instance", Cloud{"oracle", ""}},
		"Equinix":         {"The label has the region", "equinixmetal://7d8f", Cloud{"equinixmetal", ""}},
		"Kind":            {"A cluster on a laptop", "kind://docker/kind/kind-control-plane", Cloud{"kind", ""}},
		"K3s":             {"No cloud", "k3s://node-1", Cloud{"k3s", ""}},
		"Proxmox":         {"With a region", "proxmox://dc1/100", Cloud{"proxmox", "dc1"}},
		"ProxmoxShort":    {"Without one", "proxmox://100", Cloud{"proxmox", ""}},
		"New":             {"Providers that we have never heard of are free-form", "acme-cloud://x", Cloud{"acme-cloud", ""}},
		"Nonsense":        {"No scheme", "whatever", Cloud{Provider: Unknown}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, parseProviderID(tc.id)); diff != "" {
				t.Errorf("\n%s\nparseProviderID(%q): -want, +got:\n%s", tc.reason, tc.id, diff)
			}
		})
	}
}

func TestCloudOf(t *testing.T) {
	node := func(id string, labels ...string) corev1.Node {
		n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{}}, Spec: corev1.NodeSpec{ProviderID: id}}
		for i := 0; i < len(labels); i += 2 {
			n.Labels[labels[i]] = labels[i+1]
		}
		return n
	}
	const region = corev1.LabelTopologyRegion
	aws, gcp := node("aws:///eu-north-1a/i-1"), node("gce://p/europe-west1-b/n")
	cases := map[string]struct {
		reason string
		nodes  []corev1.Node
		want   Cloud
	}{
		"NoNodes":      {"Nothing to go by", nil, Cloud{Unknown, Unknown}},
		"Silent":       {"No cloud integration", []corev1.Node{node("")}, Cloud{Unknown, Unknown}},
		"One":          {"One node is enough", []corev1.Node{aws}, Cloud{"aws", "eu-north-1"}},
		"Label":        {"The label knows better than the zone", []corev1.Node{node("aws:///x/i-1", region, "eu-north-1", oldRegionLabel, "old")}, Cloud{"aws", "eu-north-1"}},
		"OldLabel":     {"Old nodes carry the old label", []corev1.Node{node("azure:///s", oldRegionLabel, "westeurope")}, Cloud{"azure", "westeurope"}},
		"LabelOnly":    {"A region without a provider", []corev1.Node{node("", region, "dc1")}, Cloud{Unknown, "dc1"}},
		"OddNode":      {"One odd node decides nothing", []corev1.Node{aws, aws, gcp}, Cloud{"aws", "eu-north-1"}},
		"OddAmong":     {"Nor does one that is the only one to tell", []corev1.Node{node(""), node(""), aws}, Cloud{Unknown, Unknown}},
		"TieUnknown":   {"Who does not tell loses a tie", []corev1.Node{node(""), aws}, Cloud{"aws", "eu-north-1"}},
		"TieByName":    {"A tie has the same winner each time", []corev1.Node{gcp, aws}, Cloud{"aws", "eu-north-1"}},
		"HostileID":    {"What a server tells has to fit into a status", []corev1.Node{node("openstack://" + strings.Repeat("x", 99) + "/a")}, Cloud{"openstack", Unknown}},
		"HostileLabel": {"An API server takes no such label, but not every server is one", []corev1.Node{node("aws:///eu-north-1a/i", region, strings.Repeat("x", 99))}, Cloud{"aws", Unknown}},
		"RegionOfWin":  {"The region is one of the winner's nodes", []corev1.Node{gcp, gcp, node("aws:///eu-north-1a/i", region, "eu"), node("aws:///eu-north-1a/i", region, "eu"), node("aws:///eu-north-1a/i", region, "eu")}, Cloud{"aws", "eu"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for range 20 { // The order of a map is another one each time.
				if diff := cmp.Diff(tc.want, CloudOf(tc.nodes)); diff != "" {
					t.Fatalf("\n%s\nCloudOf(...): -want, +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}

func TestCountReady(t *testing.T) {
	with := func(s corev1.ConditionStatus) corev1.Node {
		return corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
			{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionTrue},
			{Type: corev1.NodeReady, Status: s},
		}}}
	}
	got := CountReady([]corev1.Node{with(corev1.ConditionTrue), with(corev1.ConditionFalse), with(corev1.ConditionUnknown), {}})
	if got != 1 {
		t.Errorf("CountReady(...): want 1, got %d", got)
	}
}
