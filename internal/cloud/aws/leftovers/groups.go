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
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
)

func filter(name string, values ...string) types.Filter {
	return types.Filter{Name: aws.String(name), Values: values}
}

func tagsOf(list []types.Tag) map[string]string {
	out := map[string]string{}
	for _, t := range list {
		out[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return out
}

// securityGroups removes those that load balancers had. Rules of others that
// name them, as the nodes' own group has, are taken away first.
func (s *Sweeper) securityGroups(ctx context.Context) ([]string, error) {
	var ours []string
	for _, f := range []types.Filter{filter("tag-key", clusterTag+s.Cluster), filter("tag:"+controllerTag, s.Cluster)} {
		for p := ec2.NewDescribeSecurityGroupsPaginator(s.ec2, &ec2.DescribeSecurityGroupsInput{Filters: []types.Filter{f}}); p.HasMorePages(); {
			page, err := p.NextPage(ctx)
			if err != nil {
				return nil, cloud.Wrap(err, "cannot list security groups")
			}
			for _, g := range page.SecurityGroups {
				if s.isOurs(tagsOf(g.Tags)) || strings.HasPrefix(aws.ToString(g.Description), elbGroup) {
					ours = append(ours, aws.ToString(g.GroupId))
				}
			}
		}
	}
	for _, id := range ours {
		if err := s.revoke(ctx, id); err != nil {
			return nil, err
		}
		s.Say("security group " + id)
		_, err := s.ec2.DeleteSecurityGroup(ctx, &ec2.DeleteSecurityGroupInput{GroupId: aws.String(id)})
		// An interface that lingers holds it for a while.
		if code := cloud.CodeOf(err); err != nil && code != "DependencyViolation" && code != "InvalidGroup.NotFound" {
			return nil, cloud.Wrap(err, "cannot delete security group "+id)
		}
	}
	return ours, nil
}

// revoke takes away the rules of other groups that admit a group.
func (s *Sweeper) revoke(ctx context.Context, id string) error {
	in := &ec2.DescribeSecurityGroupsInput{Filters: []types.Filter{filter("ip-permission.group-id", id)}}
	for p := ec2.NewDescribeSecurityGroupsPaginator(s.ec2, in); p.HasMorePages(); {
		page, err := p.NextPage(ctx)
		if err != nil {
			return cloud.Wrap(err, "cannot list security groups")
		}
		for _, g := range page.SecurityGroups {
			for _, rule := range g.IpPermissions {
				for _, pair := range rule.UserIdGroupPairs {
					if aws.ToString(pair.GroupId) != id {
						continue
					}
					_, err := s.ec2.RevokeSecurityGroupIngress(ctx, &ec2.RevokeSecurityGroupIngressInput{GroupId: g.GroupId, IpPermissions: []types.IpPermission{{
						IpProtocol: rule.IpProtocol, FromPort: rule.FromPort, ToPort: rule.ToPort,
						UserIdGroupPairs: []types.UserIdGroupPair{{GroupId: pair.GroupId, UserId: pair.UserId}},
					}}})
					if err != nil && cloud.CodeOf(err) != "InvalidPermission.NotFound" {
						return cloud.Wrap(err, "cannot change security group "+aws.ToString(g.GroupId))
					}
				}
			}
		}
	}
	return nil
}
