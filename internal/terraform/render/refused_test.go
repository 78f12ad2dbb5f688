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

package render

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
)

// unescape evaluates a string of a JSON configuration: Terraform takes each
// for a template. One that refers to anything fails.
func unescape(t *testing.T, s string) string {
	t.Helper()
	e, diags := hclsyntax.ParseTemplate([]byte(s), "string", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("%q is no template: %v", s, diags)
	}
	v, diags := e.Value(nil)
	if diags.HasErrors() {
		t.Fatalf("%q does more than say what it says: %v", s, diags)
	}

	return v.AsString()
}

func TestEscape(t *testing.T) {
	for _, s := range []string{"", "plain", "${HOME}", "$${HOME}", "%{ if true }x", "$$", "a${b}c%{d}", "${${", "{}", "$", "%", "100%", "#{}", "$%{${%"} {
		if got := unescape(t, escape(s)); got != s {
			t.Errorf("escape(%q) = %q, which Terraform reads as %q", s, escape(s), got)
		}
	}
}

func TestRefused(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     Input
		want   string
	}{
		"OldEKS": {
			"The sample of the documents is past its end on EKS.",
			onAWS(v1alpha1.TopologyEKS, func(in *Input) { in.Cluster.KubernetesVersion = "1.31.0" }),
			"Kubernetes 1.31 is not offered any more for eks: use one of 1.36, 1.35, 1.34, 1.33, 1.32",
		},
		"OldVanilla": {
			"User data installs what kubeadm can do by itself.",
			onAWS(v1alpha1.TopologyVanilla, func(in *Input) { in.Cluster.KubernetesVersion = "v1.31.0" }),
			"Kubernetes 1.31 is not offered any more for vanilla_kubeadm: use one of 1.37, 1.36, 1.35, 1.34, 1.33",
		},
		"NoVersion":     {"A version is a number.", onAWS(v1alpha1.TopologyEKS, func(in *Input) { in.Cluster.KubernetesVersion = "latest" }), `kubernetesVersion "latest" is not a Kubernetes version, for instance 1.36.2`},
		"OtherProvider": {"EKS is AWS's.", onAWS(v1alpha1.TopologyEKS, func(in *Input) { in.Cluster.Provider = "gcp" }), `provider is "gcp": topology eks is made on aws`},
		"Topology":      {"There are three.", onAWS("aks"), `topology "aks" is unknown: use vanilla_kubeadm, eks or gke`},
		"Region":        {"A region goes into names and commands.", onAWS(v1alpha1.TopologyEKS, func(in *Input) { in.Cluster.Region = "${x}" }), `region "${x}" is not a region's name`},
		"Instance":      {"So does a machine type.", onAWS(v1alpha1.TopologyEKS, func(in *Input) { in.Cluster.InstanceType = "t3 medium" }), `instanceType "t3 medium" is not a machine type's name`},
		"NoProject":     {"GCP has projects.", onGCP(func(in *Input) { in.Project = "" }), `project "" is not a project's id: set gcp.project`},
		"Role":          {"A role is an ARN.", onAWS(v1alpha1.TopologyEKS, func(in *Input) { in.RoleARN = "admin" }), "aws.roleARN of the ProviderConfig is not the ARN of a role"},
		"CIDR":          {"Networks are checked before a cloud does it after ten minutes.", onAWS(v1alpha1.TopologyEKS, func(in *Input) { in.Cluster.NetworkCIDR = new("10.0.0.1/16") }), `networkCIDR "10.0.0.1/16" is not an IPv4 network of 16 to 24 bits`},
		"BothNetworks":  {"A network is new or there.", onAWS(v1alpha1.TopologyEKS, existingVPC, func(in *Input) { in.Cluster.NetworkCIDR = new("10.0.0.0/16") }), "networkCIDR and existingNetwork are both set"},
		"VPC":           {"A VPC has an id.", onAWS(v1alpha1.TopologyEKS, existingVPC, func(in *Input) { in.Cluster.ExistingNetwork.ID = "main" }), `existingNetwork.id "main" is not the id of a VPC`},
		"Subnet":        {"So has a subnet.", onAWS(v1alpha1.TopologyVanilla, existingVPC, func(in *Input) { in.Cluster.ExistingNetwork.SubnetIDs[0] = "a" }), `existingNetwork.subnetIDs: "a" is not the id of a subnet`},
		"OneSubnet":     {"EKS wants two zones.", onAWS(v1alpha1.TopologyEKS, existingVPC, func(in *Input) { in.Cluster.ExistingNetwork.SubnetIDs = in.Cluster.ExistingNetwork.SubnetIDs[:1] }), "EKS needs subnets in two zones at least"},
		"IPv6":          {"EKS and GKE take IPv4 only.", onAWS(v1alpha1.TopologyEKS, func(in *Input) { in.Cluster.APIServerAllowedCIDRs = []v1alpha1.CIDR{"2001:db8::/32"} }), `apiServerAllowedCIDRs: "2001:db8::/32" is not IPv4, and eks takes no other`},
		"ManyCIDRs":     {"EKS takes 40.", onAWS(v1alpha1.TopologyEKS, func(in *Input) { in.Cluster.APIServerAllowedCIDRs = slices.Repeat([]v1alpha1.CIDR{"10.0.0.0/8"}, 41) }), "apiServerAllowedCIDRs has 41 networks: EKS takes 40"},
		"Tag":           {"The provider's own tags are not a user's.", onAWS(v1alpha1.TopologyEKS, func(in *Input) { in.Cluster.Tags = map[string]v1alpha1.TagValue{names.TagCluster: "x"} }), `tag "kubeopera.io/cluster-id" is refused: its key begins with kubeopera.io/`},
		"Labels":        {"GCP does not tell upper from lower case.", onGCP(func(in *Input) { in.Cluster.Tags = map[string]v1alpha1.TagValue{"Team": "a", "team": "b"} }), `tags "Team" and "team" are the same label "team" on GCP`},
		"Backend":       {"State is where the cluster is.", onGCP(func(in *Input) { in.State.Backend = "s3" }), `the state's backend is "s3": topology gke keeps it in gcs`},
		"Endpoint":      {"A password in a URL would be in the state.", onAWS(v1alpha1.TopologyEKS, func(in *Input) { in.State.Endpoint = "https://user:password@minio" }), "the state's endpoint has a user"},
		"NoID":          {"A cluster has an id.", onAWS(v1alpha1.TopologyEKS, func(in *Input) { in.ID = "" }), "the cluster has no id"},
		"GCPSubnets": {"GKE uses one subnet.", onGCP(func(in *Input) {
			in.Cluster.ExistingNetwork = &v1alpha1.ExistingNetwork{ID: "a", SubnetIDs: []v1alpha1.SubnetID{"a", "b"}}
		}), "GKE uses one subnet"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Render(tc.in)
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) || !fault.Is(err, fault.Refused) {
				t.Errorf("%s\nwant Refused %q, got %s %v", tc.reason, tc.want, fault.ClassOf(err), err)
			}
			if err != nil && strings.Contains(err.Error(), "password") {
				t.Errorf("%s\nthe message has a secret: %v", tc.reason, err)
			}
		})
	}
}

func TestOffered(t *testing.T) {
	cases := map[string]struct {
		reason   string
		topology v1alpha1.Topology
		version  string
		want     string
		minor    string
	}{
		"Patch":    {"kubeadm takes the patch that was asked for.", v1alpha1.TopologyVanilla, "1.36.2", "1.36.2", "1.36"},
		"V":        {"A leading v is fine.", v1alpha1.TopologyVanilla, "v1.35.1", "1.35.1", "1.35"},
		"Minor":    {"The newest known patch is taken where none was asked for.", v1alpha1.TopologyVanilla, "1.35", "1.35.10", "1.35"},
		"NewPatch": {"A patch may be newer than the data.", v1alpha1.TopologyVanilla, "1.36.99", "1.36.99", "1.36"},
		"NewMinor": {"So may a minor version: the cloud's answer is better than old data.", v1alpha1.TopologyVanilla, "1.99.1", "1.99.1", "1.99"},
		"NewEKS":   {"The same for EKS.", v1alpha1.TopologyEKS, "1.99", "1.99.0", "1.99"},
		"EKS":      {"EKS takes the minor version.", v1alpha1.TopologyEKS, "1.35.3", "1.35.3", "1.35"},
		"GKE":      {"GKE takes the minor version.", v1alpha1.TopologyGKE, "1.35.3", "1.35.3", "1.35"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := offered(tc.topology, tc.version)
			if err != nil {
				t.Fatalf("%s\n%v", tc.reason, err)
			}
			if diff := cmp.Diff([]string{tc.want, tc.minor}, []string{got.String(), got.Minor()}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestVersionsData(t *testing.T) {
	for _, topology := range []v1alpha1.Topology{v1alpha1.TopologyVanilla, v1alpha1.TopologyEKS, v1alpha1.TopologyGKE} {
		known, err := knownVersions(topology)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range known {
			if i > 0 && known[i-1].minor <= v.minor {
				t.Errorf("%s: %s is not before %s: newest first", topology, v.Minor(), known[i-1].Minor())
			}
			if v.full != (topology == v1alpha1.TopologyVanilla) {
				t.Errorf("%s: %s: kubeadm has patches, EKS and GKE have none", topology, v)
			}
		}
	}
	var data struct {
		AsOf string `json:"asOf"`
	}
	if err := json.Unmarshal(versionsJSON, &data); err != nil || len(data.AsOf) != len("2026-11-29") {
		t.Errorf("versions.json says not of when it is: %q (%v)", data.AsOf, err)
	}
}

// TestNetworks checks that no network of a cluster overlaps another one, for
// networks all over the private ranges.
func TestNetworks(t *testing.T) {
	for _, network := range []string{"10.0.0.0/16", "10.64.0.0/16", "10.96.0.0/16", "10.244.0.0/16", "10.112.0.0/20", "172.16.0.0/16", "172.20.0.0/16", "172.30.0.0/24", "172.31.0.0/16", "192.168.0.0/16", "192.168.255.0/24", "100.112.0.0/16"} {
		for name, lists := range map[string][][]string{"vanilla": {vanillaPods, vanillaServices}, "gke": {gkePods, gkeServices, gkeControlPlane}} {
			got, err := choose([]string{network}, lists...)
			if err != nil {
				t.Fatalf("%s on %s: %v", name, network, err)
			}
			all := append([]string{network}, got...)
			for i := range all {
				if overlaps(all[i], slices.Delete(slices.Clone(all), i, i+1)) {
					t.Errorf("%s on %s: %s overlaps one of %v", name, network, all[i], all)
				}
			}
		}
	}
}

// FuzzRender looks for input that panics, makes no JSON, or makes Terraform do
// something: reading files is what a template can do.
func FuzzRender(f *testing.F) {
	f.Add("production", "eks", "aws", "eu-north-1", "t3.medium", "1.36.2", "team", "a", "vpc-0a", "subnet-0a", "10.0.0.0/8", int32(2), "")
	f.Add("production", "vanilla_kubeadm", "aws", "eu-north-1", "t3.medium", "1.36.2", "k", "${file(\"/etc/passwd\")}", "", "", "0.0.0.0/0", int32(0), "http://127.0.0.1")
	f.Add("a${b}", "gke", "gcp", "europe-north1-a", "e2-small", "1.35", "%{x}", "y", "net", "sub#a,b", "", int32(-1), "https://u:p@h")
	f.Fuzz(func(t *testing.T, id, topology, provider, region, instance, version, key, value, network, subnet, cidr string, nodes int32, endpoint string) {
		in := onAWS(v1alpha1.Topology(topology), tagged)
		if topology == "gke" {
			in = onGCP()
		}
		in.ID, in.CloudName, in.State.Endpoint = id, names.CloudName(id), endpoint
		p := &in.Cluster
		p.Provider, p.Region, p.InstanceType, p.KubernetesVersion, p.NodeCount = provider, region, instance, version, nodes
		if key != "" {
			p.Tags = map[string]v1alpha1.TagValue{key: v1alpha1.TagValue(value)}
		}
		if network != "" {
			p.ExistingNetwork = &v1alpha1.ExistingNetwork{ID: network, SubnetIDs: []v1alpha1.SubnetID{v1alpha1.SubnetID(subnet), v1alpha1.SubnetID(subnet)}}
		}
		if cidr != "" {
			p.APIServerAllowedCIDRs = []v1alpha1.CIDR{v1alpha1.CIDR(cidr)}
		}
		out, err := Render(in)
		if err != nil {
			if !fault.Is(err, fault.Refused) {
				t.Errorf("%v is %s", err, fault.ClassOf(err))
			}
			return
		}
		var doc map[string]any
		if err := json.Unmarshal(out.Config, &doc); err != nil {
			t.Fatalf("no JSON: %v", err)
		}
		templates(t, doc)
	})
}

// templates checks that a template refers to outputs of modules or to nothing.
func templates(t *testing.T, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			unescape(t, k)
			templates(t, inner)
		}
	case []any:
		for _, inner := range v {
			templates(t, inner)
		}
	case string:
		if strings.HasPrefix(v, "${module.") && strings.HasSuffix(v, "}") && !strings.ContainsAny(v[2:len(v)-1], "${}()\" ") {
			return
		}
		unescape(t, v)
	}
}
