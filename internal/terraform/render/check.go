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
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
)

// Backends of the state.
const (
	backendS3  = "s3"
	backendGCS = "gcs"
)

// maxEKSCIDRs may reach the public endpoint of an EKS cluster
// (docs.aws.amazon.com/eks/latest/userguide/service-quotas.html).
const maxEKSCIDRs = 40

// Forms of what goes into names and addresses.
var (
	regionForm   = regexp.MustCompile(`^[a-z]{2,}(-[a-z0-9]+)+$`)
	instanceForm = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)
	projectForm  = regexp.MustCompile(`^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$`)
	roleForm     = regexp.MustCompile(`^arn:aws[a-z-]*:iam::[0-9]{12}:role/[\w+=,.@/-]+$`)
	bucketForm   = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	keyForm      = regexp.MustCompile(`^[\w./-]+$`)
	vpcForm      = regexp.MustCompile(`^vpc-[0-9a-f]+$`)
	subnetForm   = regexp.MustCompile(`^subnet-[0-9a-f]+$`)
	// gcpNetworkForm is a network's or subnet's name, or its path with the project (a shared VPC's).
	gcpNetworkForm = regexp.MustCompile(`^[a-z][a-z0-9-]*$|^projects/[a-z0-9.:-]+/(global/networks|regions/[a-z0-9-]+/subnetworks)/[a-z][a-z0-9-]*$`)
)

// check refuses what no cluster can be made of, and resolves the version.
func (c *cluster) check() error {
	p := c.Cluster
	provider := "aws"
	if c.onGCP() {
		provider = "gcp"
	}
	switch {
	case c.ID == "" || c.CloudName == "":
		return fault.New(fault.Refused, "the cluster has no id")
	case p.Provider != provider:
		return fault.Newf(fault.Refused, "provider is %q: topology %s is made on %s", p.Provider, p.Topology, provider)
	case !regionForm.MatchString(p.Region):
		return fault.Newf(fault.Refused, "region %q is not a region's name, for instance eu-north-1 or europe-north1", p.Region)
	case !instanceForm.MatchString(p.InstanceType):
		return fault.Newf(fault.Refused, "instanceType %q is not a machine type's name, for instance t3.medium or e2-standard-4", p.InstanceType)
	case p.NodeCount < 0:
		return fault.New(fault.Refused, "nodeCount is less than 0")
	case c.onGCP() && !projectForm.MatchString(c.Project):
		return fault.Newf(fault.Refused, "project %q is not a project's id: set gcp.project in the ProviderConfig", c.Project)
	case c.RoleARN != "" && !roleForm.MatchString(c.RoleARN):
		return fault.New(fault.Refused, "aws.roleARN of the ProviderConfig is not the ARN of a role")
	}

	for _, check := range []func() error{c.checkState, c.checkNetwork, c.checkCIDRs, c.checkTags} {
		if err := check(); err != nil {
			return err
		}
	}

	var err error
	c.version, err = offered(p.Topology, p.KubernetesVersion)

	return err
}

func (c *cluster) checkState() error {
	s := c.State
	want := backendS3
	if c.onGCP() {
		want = backendGCS
	}
	u, err := url.Parse(s.Endpoint)
	switch {
	case s.Backend != want:
		return fault.Newf(fault.Refused, "the state's backend is %q: topology %s keeps it in %s", s.Backend, c.Cluster.Topology, want)
	case !bucketForm.MatchString(s.Bucket) || !keyForm.MatchString(s.Key):
		return fault.New(fault.Refused, "the state has no usable bucket and key")
	case s.Backend == backendS3 && !regionForm.MatchString(s.Region):
		return fault.Newf(fault.Refused, "the state's region %q is not a region's name", s.Region)
	case s.Endpoint != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(s.Endpoint, "${}%")):
		return fault.New(fault.Refused, "the state's endpoint is not an http or https URL")
	case u != nil && u.User != nil:
		// The URL would show in the configuration and in the state.
		return fault.New(fault.Refused, "the state's endpoint has a user: the credentials belong into the Secret")
	default:
		return nil
	}
}

func (c *cluster) checkNetwork() error {
	p := c.Cluster
	if p.NetworkCIDR != nil {
		if n, err := netip.ParsePrefix(*p.NetworkCIDR); err != nil || !n.Addr().Is4() || n.Bits() < 16 || n.Bits() > 24 || n != n.Masked() {
			return fault.Newf(fault.Refused, "networkCIDR %q is not an IPv4 network of 16 to 24 bits, for instance %s", *p.NetworkCIDR, defaultNetwork)
		}
	}

	e := p.ExistingNetwork
	switch {
	case e == nil:
		return nil
	case p.NetworkCIDR != nil:
		return fault.New(fault.Refused, "networkCIDR and existingNetwork are both set: a network that is there has its own")
	case len(e.SubnetIDs) == 0:
		return fault.New(fault.Refused, "existingNetwork has no subnetIDs")
	case c.onGCP():
		return c.checkGCPNetwork(e)
	case !vpcForm.MatchString(e.ID):
		return fault.Newf(fault.Refused, "existingNetwork.id %q is not the id of a VPC, for instance vpc-0123456789abcdef0", e.ID)
	case c.Cluster.Topology == v1alpha1.TopologyEKS && len(e.SubnetIDs) < 2:
		return fault.New(fault.Refused, "EKS needs subnets in two zones at least: existingNetwork.subnetIDs has one")
	}
	for _, s := range e.SubnetIDs {
		if !subnetForm.MatchString(string(s)) {
			return fault.Newf(fault.Refused, "existingNetwork.subnetIDs: %q is not the id of a subnet, for instance subnet-0123456789abcdef0", s)
		}
	}

	return nil
}

// checkGCPNetwork takes one subnet with the names of its secondary ranges.
func (c *cluster) checkGCPNetwork(e *v1alpha1.ExistingNetwork) error {
	subnet, _, _ := gcpSubnet(string(e.SubnetIDs[0]))
	switch {
	case len(e.SubnetIDs) > 1:
		return fault.New(fault.Refused, "GKE uses one subnet: existingNetwork.subnetIDs has more")
	case !gcpNetworkForm.MatchString(e.ID):
		return fault.Newf(fault.Refused, "existingNetwork.id %q is not the name of a network, or projects/<project>/global/networks/<name>", e.ID)
	case !gcpNetworkForm.MatchString(subnet) || strings.Count(string(e.SubnetIDs[0]), "#") > 1:
		return fault.Newf(fault.Refused, "existingNetwork.subnetIDs: %q is not <subnet> or <subnet>#<pods range>,<services range>", e.SubnetIDs[0])
	default:
		return nil
	}
}

func (c *cluster) checkCIDRs() error {
	cidrs := c.Cluster.APIServerAllowedCIDRs
	if c.Cluster.Topology == v1alpha1.TopologyEKS && len(cidrs) > maxEKSCIDRs {
		return fault.Newf(fault.Refused, "apiServerAllowedCIDRs has %d networks: EKS takes %d", len(cidrs), maxEKSCIDRs)
	}
	for _, cidr := range cidrs {
		n, err := netip.ParsePrefix(string(cidr))
		switch {
		case err != nil || n != n.Masked():
			return fault.Newf(fault.Refused, "apiServerAllowedCIDRs: %q is not a network, for instance 203.0.113.0/24", cidr)
		case c.Cluster.Topology != v1alpha1.TopologyVanilla && !n.Addr().Is4():
			return fault.Newf(fault.Refused, "apiServerAllowedCIDRs: %q is not IPv4, and %s takes no other", cidr, c.Cluster.Topology)
		}
	}

	return nil
}

func (c *cluster) checkTags() error {
	keys := make([]string, 0, len(c.Cluster.Tags))
	for k := range c.Cluster.Tags {
		keys = append(keys, k)
	}
	slices.Sort(keys)

	labels := map[string]string{}
	for _, k := range keys {
		if bad := names.CheckTag(k, string(c.Cluster.Tags[k])); bad != "" {
			return fault.Newf(fault.Refused, "tag %q is refused: %s", k, bad)
		}
		l := names.Label(k)
		if other, ok := labels[l]; ok && c.onGCP() {
			return fault.Newf(fault.Refused, "tags %q and %q are the same label %q on GCP: leave one out", other, k, l)
		}
		labels[l] = k
	}

	return nil
}

// tags are what every resource gets, as the cloud spells it.
func tags(in Input) map[string]string {
	t := make(map[string]string, len(in.Cluster.Tags)+2)
	if in.Cluster.Topology == v1alpha1.TopologyGKE {
		for k, v := range in.Cluster.Tags {
			t[names.Label(k)] = names.LabelValue(string(v))
		}
		t[names.LabelCluster], t[names.LabelManagedBy] = names.LabelValue(in.ID), names.ManagedBy

		return t
	}
	for k, v := range in.Cluster.Tags {
		t[k] = string(v)
	}
	t[names.TagCluster], t[names.TagManagedBy] = in.ID[:min(len(in.ID), names.MaxTagValue)], names.ManagedBy

	return t
}
