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

package v1alpha1

import (
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FluxBootstrapParameters say what Flux to install, and what it reconciles.
type FluxBootstrapParameters struct {
	// KubeconfigSecretRef names the Secret whose key kubeconfig leads to the target.
	KubeconfigSecretRef SecretReference `json:"kubeconfigSecretRef"`

	// Namespace that Flux runs in. Cannot be changed.
	// +optional
	// +kubebuilder:default=flux-system
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="namespace is immutable"
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([a-z0-9-]*[a-z0-9])?$')",message="must be the name of a namespace"
	Namespace string `json:"namespace,omitempty"`

	// Version of Flux. The default is the version built into the provider,
	// which is the only one that can be had without a chart repository.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^v[0-9]+[.][0-9]+[.][0-9]+([-+].*)?$')",message="must be a version of Flux, for instance v2.9.5"
	Version *string `json:"version,omitempty"`

	// Components of Flux to install.
	// +optional
	// +listType=set
	// +kubebuilder:default={"source-controller","kustomize-controller","helm-controller"}
	// +kubebuilder:validation:MinItems=2
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:XValidation:rule="'source-controller' in self && 'kustomize-controller' in self",message="source-controller and kustomize-controller are always needed"
	Components []Component `json:"components,omitempty"`

	// Chart to install Flux from, instead of the one built into the provider.
	// +optional
	Chart *Chart `json:"chart,omitempty"`

	// RegistryPullSecretRef names a Secret of type
	// kubernetes.io/dockerconfigjson to pull Flux's images with.
	// +optional
	RegistryPullSecretRef *SecretReference `json:"registryPullSecretRef,omitempty"`

	// Git is the repository that Flux reconciles.
	// +optional
	Git *FluxGit `json:"git,omitempty"`

	// Sync is what Flux reconciles. Until it is set, Flux is only installed.
	// +optional
	Sync *Sync `json:"sync,omitempty"`
}

// FluxGit is the repository that Flux reconciles.
type FluxGit struct {
	Git `json:",inline"`

	// Interval at which Flux looks for new commits.
	// +optional
	// +kubebuilder:default="1m0s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+([.][0-9]+)?(ms|s|m|h))+$') && duration(self) >= duration('5s')",message="must be a duration of at least 5s, for instance 1m0s"
	Interval *metav1.Duration `json:"interval,omitempty"`
}

// A Chart is a Helm chart.
type Chart struct {
	// Repository of the chart: the URL of a Helm repository, or oci:// and the
	// chart's own address without its version.
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^(https?|oci)://[^\\\\s@]+$')",message="must be an https:// or oci:// address without credentials",reason=FieldValueForbidden
	Repository string `json:"repository"`

	// Name of the chart in an https repository.
	// +optional
	// +kubebuilder:default=flux2
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`

	// Version of the chart.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Version string `json:"version"`

	// Values for the chart.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Values *apiextensionsv1.JSON `json:"values,omitempty"`
}

// Sync is the tree that Flux reconciles.
type Sync struct {
	// Path of the tree in the repository.
	Path GitPath `json:"path"`

	// TreeHash of the tree that is expected. Readiness is judged by it, and a
	// new one asks Flux to look at the repository at once.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	TreeHash string `json:"treeHash"`

	// Layers of that tree; readiness needs every one of them.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Layers []Layer `json:"layers"`
}

// A FluxBootstrapSpec says what Flux to install.
// +kubebuilder:validation:XValidation:rule="!has(self.forProvider.sync) || has(self.forProvider.git)",message="forProvider.sync needs forProvider.git"
type FluxBootstrapSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	ForProvider FluxBootstrapParameters `json:"forProvider"`
}

// A ComponentStatus is what was seen of a controller of Flux.
type ComponentStatus struct {
	// Name of the controller.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// Ready tells whether it runs.
	Ready bool `json:"ready"`
}

// A LayerStatus is what was seen of a layer.
type LayerStatus struct {
	// Name of the layer.
	// +kubebuilder:validation:MaxLength=63
	Name Layer `json:"name"`

	// Ready tells whether it is applied and healthy.
	Ready bool `json:"ready"`

	// Revision that was applied last.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Revision string `json:"revision,omitempty"`

	// TreeHash of the tree that the layer was rendered with.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	TreeHash string `json:"treeHash,omitempty"`

	// Message of Flux about the layer, while it is not ready.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	Message string `json:"message,omitempty"`
}

// A FluxBootstrapObservation is what was seen of Flux on the target.
type FluxBootstrapObservation struct {
	// Version of Flux that is installed.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Version string `json:"version,omitempty"`

	// Existing tells whether the target had this Flux already, so that it is
	// used and never changed.
	// +optional
	Existing bool `json:"existing,omitempty"`

	// Components of Flux.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Components []ComponentStatus `json:"components,omitempty"`

	// SourceRevision is the revision that Flux fetched last.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	SourceRevision string `json:"sourceRevision,omitempty"`

	// Layers of the tree.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Layers []LayerStatus `json:"layers,omitempty"`
}

// A FluxBootstrapStatus is what was seen of a FluxBootstrap.
type FluxBootstrapStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`

	// +optional
	AtProvider FluxBootstrapObservation `json:"atProvider,omitempty"`
}

// A FluxBootstrap is Flux on a target, its Git credentials and what it reconciles.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,kubeopera}
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="VERSION",type="string",JSONPath=".status.atProvider.version"
// +kubebuilder:printcolumn:name="PATH",type="string",JSONPath=".spec.forProvider.sync.path"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="REVISION",type="string",priority=1,JSONPath=".status.atProvider.sourceRevision"
type FluxBootstrap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec FluxBootstrapSpec `json:"spec"`

	// Status as it was last observed. Until then its generation is -1: tools that wait for objects, such as Flux, take
	// one without a status for well.
	// +kubebuilder:default={"observedGeneration":-1}
	Status FluxBootstrapStatus `json:"status,omitempty"`
}

// FluxBootstrapList is a list of FluxBootstraps.
// +kubebuilder:object:root=true
type FluxBootstrapList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []FluxBootstrap `json:"items"`
}
