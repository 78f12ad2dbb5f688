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

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
)

// available is the state of what nothing uses.
const available = "available"

// volumes removes the volumes of claims that no machine uses.
func (s *Sweeper) volumes(ctx context.Context) ([]string, error) {
	var ours []string
	in := &ec2.DescribeVolumesInput{Filters: []types.Filter{
		filter("tag-key", clusterTag+s.Cluster), filter("tag-key", claimTag), filter("status", available),
	}}
	for p := ec2.NewDescribeVolumesPaginator(s.ec2, in); p.HasMorePages(); {
		page, err := p.NextPage(ctx)
		if err != nil {
			return nil, cloud.Wrap(err, "cannot list volumes")
		}
		for _, v := range page.Volumes {
			ours = append(ours, aws.ToString(v.VolumeId))
		}
	}
	for _, id := range ours {
		s.Say("volume " + id)
		_, err := s.ec2.DeleteVolume(ctx, &ec2.DeleteVolumeInput{VolumeId: aws.String(id)})
		if code := cloud.CodeOf(err); err != nil && code != "VolumeInUse" && code != "DependencyViolation" && code != "InvalidVolume.NotFound" {
			return nil, cloud.Wrap(err, "cannot delete volume "+id)
		}
	}
	return ours, nil
}

// interfaces removes the network interfaces that the VPC CNI made and no machine has.
func (s *Sweeper) interfaces(ctx context.Context) ([]string, error) {
	var ours []string
	for _, f := range []types.Filter{filter("tag:"+cniTag, s.Cluster), filter("tag-key", clusterTag+s.Cluster)} {
		in := &ec2.DescribeNetworkInterfacesInput{Filters: []types.Filter{f, filter("status", available)}}
		for p := ec2.NewDescribeNetworkInterfacesPaginator(s.ec2, in); p.HasMorePages(); {
			page, err := p.NextPage(ctx)
			if err != nil {
				return nil, cloud.Wrap(err, "cannot list network interfaces")
			}
			for _, i := range page.NetworkInterfaces {
				ours = append(ours, aws.ToString(i.NetworkInterfaceId))
			}
		}
	}
	for _, id := range ours {
		s.Say("network interface " + id)
		_, err := s.ec2.DeleteNetworkInterface(ctx, &ec2.DeleteNetworkInterfaceInput{NetworkInterfaceId: aws.String(id)})
		if code := cloud.CodeOf(err); err != nil && code != "InvalidParameterValue" && code != "DependencyViolation" && code != "InvalidNetworkInterfaceID.NotFound" {
			return nil, cloud.Wrap(err, "cannot delete network interface "+id)
		}
	}
	return ours, nil
}
