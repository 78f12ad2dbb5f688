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
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// MarkerFile says whose folder it is, and which of the files in it we wrote.
const MarkerFile = ".kubeopera.yaml"

// A Marker is the content of the marker file.
type Marker struct {
	// HostCluster that the tree was written for.
	HostCluster struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"hostCluster"`

	// ClusterUID is the UID of the cluster's namespace kube-system.
	ClusterUID string `json:"clusterUID"`

	Pass     Pass   `json:"pass"`
	TreeHash string `json:"treeHash"`

	// ExistingSealedSecrets is the namespace of the controller that was there already.
	ExistingSealedSecrets string `json:"existingSealedSecrets"`

	// Files that the tree consists of, besides the marker.
	Files []string `json:"files"`
}

// ParseMarker reads a marker file.
func ParseMarker(b []byte) (*Marker, error) {
	m := &Marker{}
	if err := yaml.Unmarshal(b, m); err != nil {
		return nil, errors.Wrap(err, "cannot read the marker file")
	}

	if m.ClusterUID == "" || m.HostCluster.Name == "" {
		return nil, errors.New("the marker file names no cluster")
	}

	return m, nil
}

// markerData is what the template of the marker file sees.
type markerData struct {
	data

	Files []string
}

// ClusterUIDAnnotation on every layer says whose it is, should the marker file get lost.
const ClusterUIDAnnotation = "kubeopera.io/cluster-uid"

// LayerOwner returns the UID of the cluster that a layer's file was written for.
func LayerOwner(b []byte) string {
	o := struct {
		Metadata struct {
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata"`
	}{}
	if err := yaml.Unmarshal(b, &o); err != nil {
		return ""
	}

	return o.Metadata.Annotations[ClusterUIDAnnotation]
}
