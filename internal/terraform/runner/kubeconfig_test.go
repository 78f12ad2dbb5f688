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

package runner

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
	"github.com/kubeopera/provider-kubeopera/internal/testing/pki"
)

// testCA is the CA of a cluster as clouds give it: PEM in base64.
func testCA(t *testing.T) string {
	t.Helper()
	a, err := pki.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(a.Certificate())
}

// TestCloudKubeconfig has the kubeconfigs of EKS and GKE read by the package that stands at the way in.
func TestCloudKubeconfig(t *testing.T) {
	const role = "arn:aws:iam::111111111111:role/team/admin"
	cases := map[string]struct {
		reason       string
		spec         run.Spec
		endpoint, ca string
		want         *kubeconfig.Helper
		server       string
	}{
		"EKS": {
			reason: "A token for each use.",
			spec:   run.Spec{Topology: v1alpha1.TopologyEKS, CloudName: "ko-prod", Region: "eu-central-1"}, endpoint: "https://ABC.gr7.eu-central-1.eks.amazonaws.com",
			want: &kubeconfig.Helper{Command: "/eks-token-helper", Cluster: "ko-prod", Region: "eu-central-1"}, server: "https://ABC.gr7.eu-central-1.eks.amazonaws.com",
		},
		"EKSRole": {
			reason: "With the role that is assumed for it.",
			spec:   run.Spec{Topology: v1alpha1.TopologyEKS, CloudName: "ko-prod", Region: "eu-central-1", RoleARN: role, ExternalID: "team-1"}, endpoint: "https://x",
			want: &kubeconfig.Helper{Command: "/eks-token-helper", Cluster: "ko-prod", Region: "eu-central-1", RoleARN: role, ExternalID: "team-1"}, server: "https://x",
		},
		"GKE": {
			reason: "GKE gives an address.",
			spec:   run.Spec{Topology: v1alpha1.TopologyGKE, CloudName: "ko-prod", Project: "team-1234"}, endpoint: "203.0.113.7",
			want: &kubeconfig.Helper{Command: "/gke-token-helper", Project: "team-1234"}, server: "https://203.0.113.7",
		},
		"GKEWithoutProject": {
			reason: "A token is good for all projects.",
			spec:   run.Spec{Topology: v1alpha1.TopologyGKE, CloudName: "ko-prod"}, endpoint: "203.0.113.7",
			want: &kubeconfig.Helper{Command: "/gke-token-helper"}, server: "https://203.0.113.7",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			data, err := cloudKubeconfig(tc.spec, tc.endpoint, testCA(t))
			if err != nil {
				t.Fatalf("%s\ncloudKubeconfig(): %v", tc.reason, err)
			}
			parsed, err := kubeconfig.Parse(data)
			if err != nil {
				t.Fatalf("%s\nkubeconfig.Parse(): %v\n%s", tc.reason, err, data)
			}
			if diff := cmp.Diff(tc.want, parsed.Helper); diff != "" {
				t.Errorf("%s\nhelper: -want, +got:\n%s", tc.reason, diff)
			}
			out, err := describe(data)
			if err != nil || string(out[run.EndpointKey]) != tc.server || !strings.HasPrefix(string(out[run.ClusterCAKey]), "-----BEGIN CERTIFICATE-----") {
				t.Errorf("%s\ndescribe(): %v, %s", tc.reason, err, out[run.EndpointKey])
			}
		})
	}
	for name, in := range map[string][2]string{"NoEndpoint": {"", "Y2E="}, "NoCA": {"https://x", ""}, "BadCA": {"https://x", "!"}} {
		t.Run(name, func(t *testing.T) {
			if _, err := cloudKubeconfig(run.Spec{Topology: v1alpha1.TopologyEKS}, in[0], in[1]); classOf(err) != run.ClassInvalid {
				t.Errorf("cloudKubeconfig(): want Invalid, got %v", err)
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	for name, text := range map[string]string{
		"Garbage":   "\x00",
		"NoContext": "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: https://x}}]\n",
		"NoServer":  "apiVersion: v1\nkind: Config\ncurrent-context: x\ncontexts: [{name: x, context: {cluster: c}}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := describe([]byte(text))
			if classOf(err) != run.ClassInvalid || strings.Contains(err.Error(), "https://x") {
				t.Errorf("describe(): want Invalid and nothing of it, got %v", err)
			}
		})
	}
}
