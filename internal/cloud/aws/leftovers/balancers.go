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
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
)

// tagPage is how many resources' tags one call describes.
const tagPage = 20

// loadBalancers removes network and application load balancers.
func (s *Sweeper) loadBalancers(ctx context.Context) ([]string, error) {
	var arns []string
	for p := elbv2.NewDescribeLoadBalancersPaginator(s.v2, &elbv2.DescribeLoadBalancersInput{}); p.HasMorePages(); {
		page, err := p.NextPage(ctx)
		if err != nil {
			return nil, cloud.Wrap(err, "cannot list load balancers")
		}
		for _, lb := range page.LoadBalancers {
			arns = append(arns, aws.ToString(lb.LoadBalancerArn))
		}
	}
	ours, err := s.ours(ctx, arns)
	if err != nil {
		return nil, err
	}
	for _, arn := range ours {
		s.Say("load balancer " + arn)
		// One that is gone, or going, is no error.
		if _, err := s.v2.DeleteLoadBalancer(ctx, &elbv2.DeleteLoadBalancerInput{LoadBalancerArn: aws.String(arn)}); err != nil {
			return nil, cloud.Wrap(err, "cannot delete load balancer "+arn)
		}
	}
	return ours, nil
}

// ours returns those of some resources that belong to the cluster.
func (s *Sweeper) ours(ctx context.Context, arns []string) ([]string, error) {
	var out []string
	for chunk := range slices.Chunk(arns, tagPage) {
		described, err := s.v2.DescribeTags(ctx, &elbv2.DescribeTagsInput{ResourceArns: chunk})
		if code := cloud.CodeOf(err); code == "LoadBalancerNotFound" || code == "TargetGroupNotFound" {
			// One of the page has just gone, and nothing is said of the others: one
			// by one.
			described, err = s.oneByOne(ctx, chunk)
		}
		if err != nil {
			return nil, cloud.Wrap(err, "cannot read the tags of load balancers")
		}
		for _, d := range described.TagDescriptions {
			tags := map[string]string{}
			for _, t := range d.Tags {
				tags[aws.ToString(t.Key)] = aws.ToString(t.Value)
			}
			if s.isOurs(tags) {
				out = append(out, aws.ToString(d.ResourceArn))
			}
		}
	}
	return out, nil
}

// oneByOne describes the tags of resources some of which are gone.
func (s *Sweeper) oneByOne(ctx context.Context, arns []string) (*elbv2.DescribeTagsOutput, error) {
	out := &elbv2.DescribeTagsOutput{}
	for _, arn := range arns {
		one, err := s.v2.DescribeTags(ctx, &elbv2.DescribeTagsInput{ResourceArns: []string{arn}})
		if code := cloud.CodeOf(err); code == "LoadBalancerNotFound" || code == "TargetGroupNotFound" {
			continue
		}
		if err != nil {
			return nil, err
		}
		out.TagDescriptions = append(out.TagDescriptions, one.TagDescriptions...)
	}
	return out, nil
}

// classicLoadBalancers removes load balancers of the first kind.
func (s *Sweeper) classicLoadBalancers(ctx context.Context) ([]string, error) {
	var names, ours []string
	for p := elb.NewDescribeLoadBalancersPaginator(s.v1, &elb.DescribeLoadBalancersInput{}); p.HasMorePages(); {
		page, err := p.NextPage(ctx)
		if err != nil {
			return nil, cloud.Wrap(err, "cannot list classic load balancers")
		}
		for _, lb := range page.LoadBalancerDescriptions {
			names = append(names, aws.ToString(lb.LoadBalancerName))
		}
	}
	for chunk := range slices.Chunk(names, tagPage) {
		described, err := s.v1.DescribeTags(ctx, &elb.DescribeTagsInput{LoadBalancerNames: chunk})
		if err != nil {
			return nil, cloud.Wrap(err, "cannot read the tags of classic load balancers")
		}
		for _, d := range described.TagDescriptions {
			tags := map[string]string{}
			for _, t := range d.Tags {
				tags[aws.ToString(t.Key)] = aws.ToString(t.Value)
			}
			if s.isOurs(tags) {
				ours = append(ours, aws.ToString(d.LoadBalancerName))
			}
		}
	}
	for _, name := range ours {
		s.Say("classic load balancer " + name)
		if _, err := s.v1.DeleteLoadBalancer(ctx, &elb.DeleteLoadBalancerInput{LoadBalancerName: aws.String(name)}); err != nil {
			return nil, cloud.Wrap(err, "cannot delete classic load balancer "+name)
		}
	}
	return ours, nil
}

// targetGroups removes the target groups of load balancers that are gone.
func (s *Sweeper) targetGroups(ctx context.Context) ([]string, error) {
	var arns []string
	for p := elbv2.NewDescribeTargetGroupsPaginator(s.v2, &elbv2.DescribeTargetGroupsInput{}); p.HasMorePages(); {
		page, err := p.NextPage(ctx)
		if err != nil {
			return nil, cloud.Wrap(err, "cannot list target groups")
		}
		for _, g := range page.TargetGroups {
			arns = append(arns, aws.ToString(g.TargetGroupArn))
		}
	}
	ours, err := s.ours(ctx, arns)
	if err != nil {
		return nil, err
	}
	for _, arn := range ours {
		s.Say("target group " + arn)
		_, err := s.v2.DeleteTargetGroup(ctx, &elbv2.DeleteTargetGroupInput{TargetGroupArn: aws.String(arn)})
		if code := cloud.CodeOf(err); err != nil && code != "ResourceInUse" && code != "TargetGroupNotFound" {
			return nil, cloud.Wrap(err, "cannot delete target group "+arn)
		}
	}
	return ours, nil
}
