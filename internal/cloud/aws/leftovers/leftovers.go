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

// Package leftovers removes what a cluster's own controllers made in its AWS
// account and Terraform knows nothing of: load balancers of Services and
// Ingresses with their target groups and security groups, volumes of claims,
// and network interfaces. Left alone they cost money and keep the network from
// being destroyed.
package leftovers

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/sweep"
)

// Tags by which leftovers are known. A cluster's tag alone does not make one:
// Terraform's own resources have it, too.
const (
	// clusterTag and the name of the cluster: on everything that AWS's own
	// cloud provider, its load balancer controller and the EBS driver make.
	clusterTag = "kubernetes.io/cluster/"
	// controllerTag has the name of the cluster: the AWS Load Balancer Controller's.
	controllerTag = "elbv2.k8s.aws/cluster"
	// serviceTag names the Service that a load balancer is for.
	serviceTag = "kubernetes.io/service-name"
	// claimTag names the claim that a volume is for.
	claimTag = "kubernetes.io/created-for/pvc/name"
	// cniTag has the name of the cluster: the VPC CNI's.
	cniTag = "cluster.k8s.amazonaws.com/name"
)

// elbGroup begins the descriptions of security groups that AWS's cloud provider makes.
const elbGroup = "Security group for Kubernetes ELB"

// A Sweeper removes the leftovers of one cluster.
type Sweeper struct {
	sweep.Loop

	ec2 *ec2.Client
	v1  *elb.Client
	v2  *elbv2.Client
}

// Network removes load balancers, target groups and their security groups, and
// waits until they are gone. It is for the time before Terraform destroys the
// network, and again whenever that fails on a dependency: for as long as the
// cluster lives its controllers may make new ones.
func (s *Sweeper) Network(ctx context.Context, cfg aws.Config) error {
	s.open(cfg)
	return s.Until(ctx, s.loadBalancers, s.classicLoadBalancers, s.targetGroups, s.securityGroups)
}

// Rest removes volumes and network interfaces that nothing uses any more, and
// waits until they are gone. It is for the time after Terraform has destroyed
// the nodes; interfaces keep a network from going, so it may be needed before
// that, too: what is still in use is left alone.
func (s *Sweeper) Rest(ctx context.Context, cfg aws.Config) error {
	s.open(cfg)
	return s.Until(ctx, s.volumes, s.interfaces)
}

func (s *Sweeper) open(cfg aws.Config) {
	s.ec2, s.v1, s.v2 = ec2.NewFromConfig(cfg), elb.NewFromConfig(cfg), elbv2.NewFromConfig(cfg)
}

// isOurs tells whether a controller of this cluster made something for a
// Service or an Ingress.
func (s *Sweeper) isOurs(tags map[string]string) bool {
	_, inCluster := tags[clusterTag+s.Cluster]
	_, forService := tags[serviceTag]
	return tags[controllerTag] == s.Cluster || (inCluster && forService)
}
