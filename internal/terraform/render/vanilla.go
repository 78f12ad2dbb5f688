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
	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/bootstrap"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
)

// defaultVolumeGiB holds an operating system, the images of the platform and
// room for logs.
const defaultVolumeGiB = 50

// vanilla is a kubeadm cluster on EC2 instances.
func (c *cluster) vanilla() (object, error) {
	planes := max(value(c.Cluster.ControlPlaneCount, 1), 1)
	first, further, worker, err := c.userData(planes)
	if err != nil {
		return nil, err
	}

	prefix := names.ParameterPrefix(c.CloudName)

	return object{
		"module": object{
			"vpc": c.vpc(planes > 1),
			"security": object{
				"source":                    "./modules/security",
				"cluster_name":              c.CloudName,
				"network_id":                expr("module.vpc.network_id"),
				"nat_public_ips":            expr("module.vpc.nat_public_ips"),
				"control_plane_count":       planes,
				"api_server_allowed_cidrs":  c.allowed(),
				"parameter_prefix":          prefix,
				"control_plane_role_prefix": names.RolePrefix(c.CloudName, "control-plane"),
				"node_role_prefix":          names.RolePrefix(c.CloudName, "node"),
				"tags":                      c.tags,
			},
			"compute": c.sized(object{
				"source":                           "./modules/compute",
				"cluster_name":                     c.CloudName,
				"kubernetes_version":               c.version.String(),
				"network_id":                       expr("module.vpc.network_id"),
				"public_subnet_ids":                expr("module.vpc.public_subnet_ids"),
				"private_subnet_ids":               expr("module.vpc.private_subnet_ids"),
				"cluster_security_group_id":        expr("module.security.cluster_security_group_id"),
				"control_plane_security_group_id":  expr("module.security.control_plane_security_group_id"),
				"load_balancer_security_group_ids": expr("module.security.load_balancer_security_group_ids"),
				"control_plane_instance_profile":   expr("module.security.control_plane_instance_profile"),
				"node_instance_profile":            expr("module.security.node_instance_profile"),
				"control_plane_count":              planes,
				"parameter_prefix":                 prefix,
				"load_balancer_name":               names.LoadBalancer(c.CloudName),
				"target_group_name":                names.TargetGroup(c.CloudName),
				"first_control_plane_user_data":    first,
				"control_plane_user_data":          further,
				"worker_user_data":                 worker,
				"tags":                             c.tags,
			}),
		},
		"output": outputs("module.vpc.network_id", map[string]expr{
			"cluster_name": "module.compute.cluster_name",
			"endpoint":     "module.compute.endpoint",
		}),
	}, nil
}

// userData of the first control plane, the further ones and the workers. All
// that is known only after the apply they read from SSM parameters.
func (c *cluster) userData(planes int32) (first string, further []string, worker string, err error) {
	taken, pods, services := []string{c.network()}, vanillaPods, vanillaServices
	if c.Cluster.ExistingNetwork != nil {
		taken, pods, services = nil, existingPods, existingServices
	}
	cidrs, err := choose(taken, pods, services)
	if err != nil {
		return "", nil, "", err
	}

	params := bootstrap.Params{
		CloudName:         c.CloudName,
		Region:            c.Cluster.Region,
		ParameterPrefix:   names.ParameterPrefix(c.CloudName),
		KubernetesVersion: c.version.String(),
		ControlPlanes:     int(planes),
		PodCIDR:           cidrs[0],
		ServiceCIDR:       cidrs[1],
	}
	text := func(role bootstrap.Role, index int) string {
		if err != nil {
			return ""
		}
		p := params
		p.Role, p.Index = role, index
		var data []byte
		if data, err = bootstrap.UserData(p); err != nil {
			err = fault.Wrap(err, fault.Refused, "cannot write the user data of a "+string(role))
		}

		return string(data)
	}

	first = text(bootstrap.FirstControlPlane, 0)
	further = make([]string, planes-1)
	for i := range further {
		further[i] = text(bootstrap.ControlPlane, i+1)
	}
	worker = text(bootstrap.Worker, 0)

	return first, further, worker, err
}

// vpc is the network of a cluster on AWS.
func (c *cluster) vpc(natPerZone bool) object {
	m := object{"source": "./modules/vpc", "cluster_name": c.CloudName, "tags": c.tags}
	if c.Cluster.ExistingNetwork != nil {
		m["existing_network"] = existing(c.Cluster.ExistingNetwork)
		return m
	}
	m["network_cidr"], m["nat_per_zone"] = c.network(), natPerZone

	return m
}

// sized adds what all node groups are told of their size.
func (c *cluster) sized(m object) object {
	p := c.Cluster
	m["node_count"] = p.NodeCount
	m["max_node_count"] = max(value(p.MaxNodeCount, p.NodeCount), p.NodeCount)
	m["instance_type"] = p.InstanceType
	m["spot"] = p.CapacityType == v1alpha1.CapacitySpot
	m["node_volume_size_gib"] = value(p.NodeVolumeSizeGiB, defaultVolumeGiB)

	return m
}

// allowed are the networks that may reach the API server.
func (c *cluster) allowed() []string {
	if len(c.Cluster.APIServerAllowedCIDRs) == 0 {
		return []string{"0.0.0.0/0"}
	}
	out := make([]string, len(c.Cluster.APIServerAllowedCIDRs))
	for i, cidr := range c.Cluster.APIServerAllowedCIDRs {
		out[i] = string(cidr)
	}

	return out
}

// outputs of the configuration, which `terraform output -json` shows.
func outputs(network expr, values map[string]expr) object {
	o := object{"network_id": object{"value": network}}
	for name, e := range values {
		o[name] = object{"value": e}
	}

	return o
}

func value(p *int32, otherwise int32) int32 {
	if p == nil {
		return otherwise
	}

	return *p
}
