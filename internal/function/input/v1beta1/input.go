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

// Package v1beta1 holds the input of function-kubeopera.
// +kubebuilder:object:generate=true
// +groupName=function.kubeopera.io
// +versionName=v1beta1
package v1beta1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// What an Input calls itself.
const (
	APIVersion = "function.kubeopera.io/v1beta1"
	Kind       = "Input"
)

// A Preview says how far a preview goes.
// +kubebuilder:validation:Enum=Step;Complete
type Preview string

// The previews.
const (
	// PreviewStep shows what would be created now, given the observed resources.
	PreviewStep Preview = "Step"
	// PreviewComplete shows all that there will be once all goes well.
	PreviewComplete Preview = "Complete"
)

// Input of function-kubeopera. For a composite resource that is a HostCluster
// it says what to preview; for one of any other kind, what HostCluster to
// compose from it.
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:resource:categories=crossplane
type Input struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Preview of a HostCluster: Step shows what would be created now, given
	// the observed resources, and Complete all that there will be once all
	// goes well.
	// +optional
	// +kubebuilder:default=Step
	Preview Preview `json:"preview,omitempty"`

	// Now is the time of the preview, by which deadlines are measured. The
	// default is the present time; with a fixed one the output is always the
	// same.
	// +optional
	Now *metav1.Time `json:"now,omitempty"`

	// HostCluster to compose, if the composite resource is of another kind.
	// +optional
	HostCluster *HostClusterTemplate `json:"hostCluster,omitempty"`
}

// A HostClusterTemplate says what HostCluster to compose. It has the name of
// the composite resource, and its namespace if that has one, unless the
// template says otherwise.
type HostClusterTemplate struct {
	// Base is the HostCluster before anything is patched into it.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	Base *runtime.RawExtension `json:"base,omitempty"`

	// Patches from the composite resource into the HostCluster, in order.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	Patches []Patch `json:"patches,omitempty"`

	// StatusPatches are patches from the HostCluster, once there is one, into
	// the status of the composite resource, in order.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	StatusPatches []Patch `json:"statusPatches,omitempty"`
}

// A Patch copies one field.
type Patch struct {
	// FromFieldPath is the field that is read, for instance spec.domain.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	FromFieldPath string `json:"fromFieldPath"`

	// ToFieldPath is the field that is written; the default is FromFieldPath.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	ToFieldPath string `json:"toFieldPath,omitempty"`

	// Required makes it an error that there is nothing to read. Otherwise
	// there is nothing to do then.
	// +optional
	Required bool `json:"required,omitempty"`

	// Map says what to write for what is read, for instance {small: t3.medium}.
	// A value that it does not have is an error.
	// +optional
	// +kubebuilder:validation:MaxProperties=128
	Map map[string]apiextensionsv1.JSON `json:"map,omitempty"`

	// Format is the text to write, with %s in the place of the value.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Format string `json:"format,omitempty"`
}
