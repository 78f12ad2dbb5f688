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

package bootstrap

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Role of a machine.
type Role string

// Roles.
const (
	// FirstControlPlane runs kubeadm init and publishes the kubeconfig.
	FirstControlPlane Role = "first-control-plane"
	// ControlPlane joins as a further control plane, one at a time.
	ControlPlane Role = "control-plane"
	// Worker joins as a worker.
	Worker Role = "worker"
)

// Params of one machine's user data. None of it is secret.
type Params struct {
	// CloudName is the cluster's name in the cloud: instances carry the tag
	// kubernetes.io/cluster/<CloudName>.
	CloudName string
	// Region of AWS.
	Region string
	// ParameterPrefix is where the cluster's SSM parameters are; it begins and
	// ends with a slash.
	ParameterPrefix string
	// KubernetesVersion with its patch, 1.36.2; a leading v is taken off.
	KubernetesVersion string
	// Role of the machine.
	Role Role
	// Index of a further control plane, from 1. The first one is 0.
	Index int
	// ControlPlanes is how many there are.
	ControlPlanes int
	// PodCIDR and ServiceCIDR of the cluster. They do not overlap.
	PodCIDR, ServiceCIDR string
	// Components that a node installs into the cluster. Empty fields are those
	// of DefaultComponents.
	Components Components
}

// What Params are made of. All of it stands between single quotes in the head.
var (
	names    = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,98}[a-z0-9])?$`)
	regions  = regexp.MustCompile(`^[a-z]+(-[a-z]+)+-[0-9]+$`)
	prefixes = regexp.MustCompile(`^(/[A-Za-z0-9._-]+)+/$`)
	versions = regexp.MustCompile(`^1\.([0-9]{1,3})\.[0-9]{1,3}$`)
	images   = regexp.MustCompile(`^[a-z0-9.:-]+(/[a-z0-9._-]+)+(:[A-Za-z0-9._-]+)?(@sha256:[0-9a-f]{64})?$`)
	urls     = regexp.MustCompile(`^https://[A-Za-z0-9._~:/@%+=?&-]+$`)
	digests  = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// oldest minor of Kubernetes that is taken: its kubeadm has v1beta4 and lets
// the kubelet of a control plane talk to its own API server (kubeadm feature
// gate ControlPlaneKubeletLocalMode, on since 1.33).
const oldest = 33

// minor of the version, or 0.
func (p Params) minor() int {
	m := versions.FindStringSubmatch(p.KubernetesVersion)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return n
}

func (p Params) withDefaults() Params {
	p.KubernetesVersion = strings.TrimPrefix(p.KubernetesVersion, "v")
	d := DefaultComponents(p.minor())
	if p.Components.CloudControllerManager == "" {
		p.Components.CloudControllerManager = d.CloudControllerManager
	}
	if p.Components.CalicoManifest == "" {
		p.Components.CalicoManifest, p.Components.CalicoSHA256 = d.CalicoManifest, d.CalicoSHA256
	}
	return p
}

func (p Params) validate() error {
	if _, ok := partsOf[p.Role]; !ok {
		return errors.Errorf("role %q is none of %s, %s, %s", p.Role, FirstControlPlane, ControlPlane, Worker)
	}
	if err := p.validateForms(); err != nil {
		return err
	}
	if err := p.validateIndex(); err != nil {
		return err
	}
	return p.validateNetwork()
}

// validateForms of what all programs of a cluster have in common.
func (p Params) validateForms() error {
	for _, f := range []struct {
		what, value string
		like        *regexp.Regexp
		want        string
	}{
		{"cloud name", p.CloudName, names, "lower-case letters, digits and dashes, at most 100"},
		{"region", p.Region, regions, "a region of AWS such as eu-central-1"},
		{"parameter prefix", p.ParameterPrefix, prefixes, "a path that begins and ends with a slash"},
		{"Kubernetes version", p.KubernetesVersion, versions, "a version with its patch such as 1.36.2"},
		{"image of the cloud controller manager", p.Components.CloudControllerManager, images, "an image reference"},
		{"Calico manifest", p.Components.CalicoManifest, urls, "an https URL"},
		{"Calico digest", p.Components.CalicoSHA256, digests, "the SHA-256 of the manifest in hex"},
	} {
		if !f.like.MatchString(f.value) {
			return errors.Errorf("%s %q is not %s", f.what, f.value, f.want)
		}
	}
	if p.minor() < oldest {
		return errors.Errorf("Kubernetes version %s is older than 1.%d", p.KubernetesVersion, oldest)
	}
	return nil
}

func (p Params) validateIndex() error {
	if p.ControlPlanes < 1 {
		return errors.Errorf("a cluster of %d control planes is none", p.ControlPlanes)
	}
	if further := p.Role == ControlPlane; further && (p.Index < 1 || p.Index >= p.ControlPlanes) || !further && p.Index != 0 {
		return errors.Errorf("index %d is not one of a %s of %d control planes", p.Index, p.Role, p.ControlPlanes)
	}
	return nil
}

func (p Params) validateNetwork() error {
	pods, err := netip.ParsePrefix(p.PodCIDR)
	if err != nil {
		return errors.Wrapf(err, "pod CIDR %q is not a network", p.PodCIDR)
	}
	services, err := netip.ParsePrefix(p.ServiceCIDR)
	if err != nil {
		return errors.Wrapf(err, "service CIDR %q is not a network", p.ServiceCIDR)
	}
	if !pods.Addr().Is4() || !services.Addr().Is4() {
		return errors.Errorf("pod CIDR %s and service CIDR %s are not both IPv4", pods, services)
	}
	if pods.Overlaps(services) {
		return errors.Errorf("pod CIDR %s and service CIDR %s overlap", pods, services)
	}
	return nil
}

// assignments at the head of the text: what its role uses, no more.
func (p Params) assignments() [][2]string {
	a := [][2]string{
		{"ROLE", string(p.Role)},
		{"CLOUD_NAME", p.CloudName},
		{"REGION", p.Region},
		{"PREFIX", p.ParameterPrefix},
		{"VERSION", p.KubernetesVersion},
		{"PAUSE", strconv.Itoa(pause(p.Role))},
	}
	switch p.Role {
	case FirstControlPlane:
		a = append(a, [2]string{"POD_CIDR", p.PodCIDR}, [2]string{"SERVICE_CIDR", p.ServiceCIDR})
		a = append(a, p.Components.assignments()...)
	case ControlPlane:
		a = append(a, [2]string{"INDEX", strconv.Itoa(p.Index)})
	case Worker:
	}
	return a
}

func (c Components) assignments() [][2]string {
	return [][2]string{
		{"CCM_IMAGE", c.CloudControllerManager},
		{"CALICO_URL", c.CalicoManifest},
		{"CALICO_SHA256", c.CalicoSHA256},
	}
}

// pause in seconds before a machine tries again what failed, eight times a day
// at most. Others give the first one the time for its own tries.
func pause(r Role) int {
	if r == FirstControlPlane {
		return 120
	}
	return 300
}
