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
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/bootstrap"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

var update = flag.Bool("update", false, "write the golden files anew")

// onAWS is a cluster on AWS, as the documents have it.
func onAWS(t v1alpha1.Topology, change ...func(*Input)) Input {
	in := Input{
		ID:        "production",
		CloudName: names.CloudName("production"),
		Cluster: v1alpha1.ProvisionedClusterParameters{
			Sizing: v1alpha1.Sizing{
				Topology: t, ControlPlaneCount: ptr.To[int32](1), NodeCount: 2, InstanceType: "t3.medium",
				CapacityType: v1alpha1.CapacityOnDemand, KubernetesVersion: "1.36.2",
			},
			Provider: "aws",
			Region:   "eu-north-1",
		},
		State: run.State{Backend: "s3", Bucket: names.StateBucket("production"), Region: "eu-north-1", Key: "terraform.tfstate"},
	}
	for _, c := range change {
		c(&in)
	}

	return in
}

// onGCP is a cluster on GCP.
func onGCP(change ...func(*Input)) Input {
	in := onAWS(v1alpha1.TopologyGKE)
	in.Cluster.Provider, in.Cluster.Region, in.Cluster.InstanceType, in.Project = "gcp", "europe-north1", "e2-standard-4", "acme-platform"
	in.State.Backend, in.State.Region, in.State.Key = "gcs", "europe-north1", "terraform"
	for _, c := range change {
		c(&in)
	}

	return in
}

func existingVPC(in *Input) {
	in.Cluster.ExistingNetwork = &v1alpha1.ExistingNetwork{ID: "vpc-0a1b2c3d", SubnetIDs: []v1alpha1.SubnetID{"subnet-0a", "subnet-0b"}}
}

func tagged(in *Input) {
	in.Cluster.Tags = map[string]v1alpha1.TagValue{"CostCenter": "0815", "acme.com/team": "platform"}
}

func spot(in *Input) {
	in.Cluster.CapacityType, in.Cluster.MaxNodeCount = v1alpha1.CapacitySpot, ptr.To[int32](10)
}

func restricted(in *Input) {
	in.Cluster.APIServerAllowedCIDRs = []v1alpha1.CIDR{"203.0.113.0/24", "198.51.100.7/32"}
}

// golden are the configurations that are kept in testdata.
var golden = map[string]Input{
	"vanilla":          onAWS(v1alpha1.TopologyVanilla),
	"vanilla-ha":       onAWS(v1alpha1.TopologyVanilla, func(in *Input) { in.Cluster.ControlPlaneCount = ptr.To[int32](3) }, tagged, restricted),
	"vanilla-existing": onAWS(v1alpha1.TopologyVanilla, existingVPC),
	"vanilla-spot":     onAWS(v1alpha1.TopologyVanilla, spot, func(in *Input) { in.Cluster.NetworkCIDR = new("192.168.0.0/20") }),
	"vanilla-endpoint": onAWS(v1alpha1.TopologyVanilla, func(in *Input) { in.State.Endpoint = "http://127.0.0.1:9000" }),
	"vanilla-external": onAWS(v1alpha1.TopologyVanilla, func(in *Input) { in.External = true }, tagged),
	"eks":              onAWS(v1alpha1.TopologyEKS),
	"eks-existing":     onAWS(v1alpha1.TopologyEKS, existingVPC, tagged),
	"eks-spot":         onAWS(v1alpha1.TopologyEKS, spot, restricted, func(in *Input) { in.RoleARN = "arn:aws:iam::123456789012:role/kubeopera" }),
	"gke":              onGCP(),
	"gke-zone":         onGCP(func(in *Input) { in.Cluster.Region = "europe-north1-a" }, spot, restricted),
	"gke-existing": onGCP(tagged, func(in *Input) {
		in.Cluster.ExistingNetwork = &v1alpha1.ExistingNetwork{ID: "shared", SubnetIDs: []v1alpha1.SubnetID{"nodes#pods-a,services-a"}}
		in.State.Endpoint = "http://127.0.0.1:4443"
	}),
}

// script is a user data's text, which has tests of its own.
var script = regexp.MustCompile(`"#!/bin/bash[^\n]*"`)

func TestGolden(t *testing.T) {
	for name, in := range golden {
		t.Run(name, func(t *testing.T) {
			got, err := Render(in)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Render(in)
			if err != nil || !bytes.Equal(again.Config, got.Config) || again.Revision != got.Revision || len(got.Revision) != 64 {
				t.Errorf("the same input gives other bytes (%v)", err)
			}
			text := script.ReplaceAll(got.Config, []byte(`"#!/bin/bash (user data)"`))
			file := filepath.Join("testdata", name+".tf.json")
			if *update {
				if err := os.WriteFile(file, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(text)); diff != "" {
				t.Errorf("%s: -want, +got:\n%s\nIf this is meant: go test ./internal/terraform/render -update", file, diff)
			}
		})
	}
}

// TestUserData reads the machines' user data out of a configuration, as
// Terraform does it.
func TestUserData(t *testing.T) {
	in := golden["vanilla-ha"]
	out, err := Render(in)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Module struct {
			Compute struct {
				First   string   `json:"first_control_plane_user_data"`
				Further []string `json:"control_plane_user_data"`
				Worker  string   `json:"worker_user_data"`
			} `json:"compute"`
		} `json:"module"`
	}
	if err := json.Unmarshal(out.Config, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Module.Compute.Further) != 2 {
		t.Fatalf("want 2 further control planes, got %d", len(got.Module.Compute.Further))
	}
	params := bootstrap.Params{
		CloudName: in.CloudName, Region: in.Cluster.Region, ParameterPrefix: "/kubeopera/ko-production/", KubernetesVersion: "1.36.2",
		ControlPlanes: 3, PodCIDR: "192.168.0.0/16", ServiceCIDR: "10.96.0.0/16",
	}
	for name, tc := range map[string]struct {
		role  bootstrap.Role
		index int
		got   string
	}{
		"First":  {bootstrap.FirstControlPlane, 0, got.Module.Compute.First},
		"Second": {bootstrap.ControlPlane, 1, got.Module.Compute.Further[0]},
		"Third":  {bootstrap.ControlPlane, 2, got.Module.Compute.Further[1]},
		"Worker": {bootstrap.Worker, 0, got.Module.Compute.Worker},
	} {
		p := params
		p.Role, p.Index = tc.role, tc.index
		want, err := bootstrap.UserData(p)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), unescape(t, tc.got)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}
	}
}
