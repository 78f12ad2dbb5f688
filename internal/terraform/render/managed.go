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
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
)

// eks is a cluster whose control plane AWS operates.
func (c *cluster) eks() object {
	return object{
		"module": object{
			// One NAT gateway, as eksctl does it: three cost more than the control plane.
			"vpc": c.vpc(false),
			"eks": c.sized(object{
				"source":                   "./modules/eks",
				"cluster_name":             c.CloudName,
				"kubernetes_version":       c.version.Minor(),
				"public_subnet_ids":        expr("module.vpc.public_subnet_ids"),
				"private_subnet_ids":       expr("module.vpc.private_subnet_ids"),
				"api_server_allowed_cidrs": c.allowed(),
				"admin_role_arn":           c.RoleARN,
				"cluster_role_prefix":      names.RolePrefix(c.CloudName, "cluster"),
				"node_role_prefix":         names.RolePrefix(c.CloudName, "node"),
				"storage_role_prefix":      names.RolePrefix(c.CloudName, "storage"),
				"tags":                     c.tags,
			}),
		},
		"output": outputs("module.vpc.network_id", managed("eks")),
	}
}

// gke is a cluster whose control plane Google operates.
func (c *cluster) gke() (object, error) {
	region, zone := gcpLocation(c.Cluster.Region)
	network := object{"source": "./modules/gcp-network", "cluster_name": c.CloudName, "project": c.Project, "region": region, "labels": c.tags}
	taken := []string{"10.0.0.0/16"}
	if e := c.Cluster.ExistingNetwork; e != nil {
		subnet, pods, services := gcpSubnet(string(e.SubnetIDs[0]))
		network["existing_network"] = object{"id": e.ID, "subnet_id": subnet, "pods_range": pods, "services_range": services}
	} else {
		taken = []string{c.network()}
	}
	cidrs, err := choose(taken, gkePods, gkeServices, gkeControlPlane)
	if err != nil {
		return nil, err
	}
	if c.Cluster.ExistingNetwork == nil {
		network["network_cidr"], network["pods_cidr"], network["services_cidr"] = c.network(), cidrs[0], cidrs[1]
	}

	gke := c.sized(object{
		"source":                   "./modules/gke",
		"cluster_name":             c.CloudName,
		"project":                  c.Project,
		"region":                   region,
		"kubernetes_version":       c.version.Minor(),
		"network_id":               expr("module.gcp-network.network_id"),
		"subnet_id":                expr("module.gcp-network.subnet_id"),
		"pods_range":               expr("module.gcp-network.pods_range"),
		"services_range":           expr("module.gcp-network.services_range"),
		"control_plane_cidr":       cidrs[2],
		"service_account_id":       names.ServiceAccount(c.CloudName),
		"api_server_allowed_cidrs": c.allowedOnGCP(),
		"labels":                   c.tags,
	})
	if zone != "" {
		gke["zone"] = zone
	}

	return object{
		"module": object{"gcp-network": network, "gke": gke},
		"output": outputs("module.gcp-network.network_id", managed("gke")),
	}, nil
}

// allowedOnGCP is empty where everybody may reach the API server: GKE then has
// no authorized networks at all.
func (c *cluster) allowedOnGCP() []string {
	if len(c.Cluster.APIServerAllowedCIDRs) == 0 {
		return []string{}
	}

	return c.allowed()
}

// managed are the outputs of a cluster with an operated control plane.
func managed(module string) map[string]expr {
	m := expr("module." + module + ".")
	return map[string]expr{
		"cluster_name": m + "cluster_name",
		"endpoint":     m + "endpoint",
		"cluster_ca":   m + "cluster_ca",
	}
}
