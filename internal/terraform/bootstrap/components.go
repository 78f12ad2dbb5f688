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

// Components that the first control plane installs into a new cluster, and an
// upgrade brings up to date.
type Components struct {
	// CloudControllerManager is the image of AWS' cloud controller manager.
	CloudControllerManager string
	// CalicoManifest is the URL of calico-vxlan.yaml of a release.
	CalicoManifest string
	// CalicoSHA256 of that manifest, in hex. A node applies no other.
	CalicoSHA256 string
}

// newest minor of Kubernetes that cloudControllerManagers knows; newer ones get
// its image.
const newest = 37

// cloudControllerManagers are the releases of kubernetes/cloud-provider-aws by
// minor of Kubernetes, as of November 2026.
var cloudControllerManagers = map[int]string{
	33: "v1.33.4",
	34: "v1.34.4",
	35: "v1.35.3",
	36: "v1.36.2",
	37: "v1.37.1",
}

// DefaultComponents are the pinned ones for a minor of Kubernetes (36 for 1.36).
func DefaultComponents(minor int) Components {
	return Components{
		CloudControllerManager: "registry.k8s.io/provider-aws/cloud-controller-manager:" + cloudControllerManagers[min(max(minor, oldest), newest)],
		CalicoManifest:         "https://raw.githubusercontent.com/projectcalico/calico/v3.32.1/manifests/calico-vxlan.yaml",
		CalicoSHA256:           "c2ab4f9a4ecde01d66e6f040d6745cd7f174d5ded573164c809ffb9f40a9d566",
	}
}
