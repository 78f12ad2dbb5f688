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

package leftovers

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/sweep"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

var (
	owned   = map[string]string{"kubernetes.io/cluster/prod": "owned"}
	service = map[string]string{"kubernetes.io/cluster/prod": "owned", "kubernetes.io/service-name": "web/front"}
	ingress = map[string]string{"elbv2.k8s.aws/cluster": "prod", "ingress.k8s.aws/stack": "web/front"}
	others  = map[string]string{"kubernetes.io/cluster/prod-2": "owned", "kubernetes.io/service-name": "web/front"}
	claim   = map[string]string{"kubernetes.io/cluster/prod": "owned", "kubernetes.io/created-for/pvc/name": "data"}
	cni     = map[string]string{"cluster.k8s.amazonaws.com/name": "prod"}
)

func TestSweep(t *testing.T) {
	cases := map[string]struct {
		reason   string
		there    []cloudtest.Leftover
		network  []string
		rest     []string
		networks fault.Class
	}{
		"Nothing": {reason: "There is nothing to do.", network: []string{}, rest: []string{}},
		"Service": {
			reason: "All that a Service made goes, in the order that AWS wants.",
			there: []cloudtest.Leftover{
				{Kind: cloudtest.LoadBalancer, ID: "arn:lb", Tags: service, Lingers: 3},
				{Kind: cloudtest.TargetGroup, ID: "arn:tg", Tags: service, Needs: []string{"arn:lb"}},
				{Kind: cloudtest.ClassicLoadBalancer, ID: "classic", Tags: service},
				{Kind: cloudtest.SecurityGroup, ID: "sg-elb", Description: "Security group for Kubernetes ELB x (web/front)", Tags: owned},
				{Kind: cloudtest.SecurityGroup, ID: "sg-alb", Tags: ingress},
				{Kind: cloudtest.SecurityGroup, ID: "sg-nodes", Tags: owned, Admits: []string{"sg-elb", "sg-alb"}},
			},
			network: []string{"sg-nodes"}, rest: []string{"sg-nodes"},
		},
		"NotOurs": {
			reason: "Terraform's own and other clusters' stay.",
			there: []cloudtest.Leftover{
				{Kind: cloudtest.LoadBalancer, ID: "arn:api", Tags: owned},
				{Kind: cloudtest.LoadBalancer, ID: "arn:other", Tags: others},
				{Kind: cloudtest.TargetGroup, ID: "arn:api-tg", Tags: owned},
				{Kind: cloudtest.Volume, ID: "vol-root", Tags: owned, Status: "available"},
				{Kind: cloudtest.Volume, ID: "vol-used", Tags: claim, Status: "in-use"},
				{Kind: cloudtest.NetworkInterface, ID: "eni-used", Tags: cni, Status: "in-use"},
			},
			network: []string{"arn:api", "arn:api-tg", "arn:other", "eni-used", "vol-root", "vol-used"},
			rest:    []string{"arn:api", "arn:api-tg", "arn:other", "eni-used", "vol-root", "vol-used"},
		},
		"Rest": {
			reason: "Volumes and interfaces go once nothing uses them.",
			there: []cloudtest.Leftover{
				{Kind: cloudtest.Volume, ID: "vol-1", Tags: claim, Status: "available", Lingers: 2},
				{Kind: cloudtest.NetworkInterface, ID: "eni-1", Tags: cni, Status: "available"},
			},
			network: []string{"eni-1", "vol-1"}, rest: []string{},
		},
		"Stuck": {
			reason: "The wait is bounded, and names what is in the way.",
			there: []cloudtest.Leftover{
				{Kind: cloudtest.SecurityGroup, ID: "sg-elb", Tags: service, Needs: []string{"eni-of-somebody"}},
				{Kind: cloudtest.NetworkInterface, ID: "eni-of-somebody", Status: "in-use"},
			},
			network: []string{"eni-of-somebody", "sg-elb"}, rest: []string{"eni-of-somebody", "sg-elb"}, networks: fault.Unhealthy,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := cloudtest.Start(t)
			s.SetLeftovers(tc.there...)
			k := cloudtest.DefaultKey
			cfg := aws.Config{Region: "eu-central-1", BaseEndpoint: aws.String(s.URL), Credentials: credentials.NewStaticCredentialsProvider(k.ID, k.Secret, "")}
			sweeper := &Sweeper{Loop: sweep.Loop{Cluster: "prod", Clock: cloudtest.NewHasty()}}

			err := sweeper.Network(t.Context(), cfg)
			if tc.networks == "" && err != nil || tc.networks != "" && !fault.Is(err, tc.networks) {
				t.Errorf("%s\nNetwork(): want class %q, got %v", tc.reason, tc.networks, err)
			}
			if diff := cmp.Diff(tc.network, s.Leftovers()); diff != "" {
				t.Errorf("%s\nNetwork(): -want, +got:\n%s", tc.reason, diff)
			}
			if err := sweeper.Rest(t.Context(), cfg); err != nil {
				t.Errorf("%s\nRest(): %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.rest, s.Leftovers()); diff != "" {
				t.Errorf("%s\nRest(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestManyLoadBalancers(t *testing.T) {
	s := cloudtest.Start(t)
	l := []cloudtest.Leftover{}
	for i := range 45 { // Tags come 20 at a time.
		l = append(l, cloudtest.Leftover{Kind: cloudtest.LoadBalancer, ID: fmt.Sprintf("arn:%d", i), Tags: service})
	}
	s.SetLeftovers(l...)
	k := cloudtest.DefaultKey
	cfg := aws.Config{Region: "eu-central-1", BaseEndpoint: aws.String(s.URL), Credentials: credentials.NewStaticCredentialsProvider(k.ID, k.Secret, "")}
	removed := 0
	sweeper := &Sweeper{Loop: sweep.Loop{Cluster: "prod", Clock: cloudtest.NewHasty(), Log: func(string) { removed++ }}}
	if err := sweeper.Network(t.Context(), cfg); err != nil || len(s.Leftovers()) > 0 || removed != 45 {
		t.Errorf("Network(): removed %d, left %v, %v", removed, s.Leftovers(), err)
	}
	if err := (&Sweeper{}).Network(t.Context(), cfg); err == nil {
		t.Error("A sweep without a name must be refused")
	}
}
