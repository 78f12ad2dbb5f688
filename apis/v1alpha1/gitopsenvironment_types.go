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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An OnDelete says what becomes of the tree when its GitOpsEnvironment is deleted.
// +kubebuilder:validation:Enum=Keep;Remove
type OnDelete string

// What becomes of a tree.
const (
	// OnDeleteKeep leaves the tree in Git.
	OnDeleteKeep OnDelete = "Keep"
	// OnDeleteRemove removes the tree in one commit, after Flux has let go of it.
	OnDeleteRemove OnDelete = "Remove"
)

// GitOpsEnvironmentParameters say what tree to write, and where.
type GitOpsEnvironmentParameters struct {
	// KubeconfigSecretRef names the Secret whose key kubeconfig leads to the
	// target, whose own Sealed Secrets controller the secrets are sealed for.
	KubeconfigSecretRef SecretReference `json:"kubeconfigSecretRef"`

	// Git is the repository and the folder that the tree is written to. Its
	// URL and path cannot be changed.
	Git GitTree `json:"git"`

	// ClusterName is what the tree calls the cluster. Cannot be changed.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="clusterName is immutable"
	ClusterName string `json:"clusterName"`

	// Domain is the base domain of every service's hostname.
	Domain DNSName `json:"domain"`

	// Provider of the cluster's machines.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Provider string `json:"provider,omitempty"`

	// Region of the cluster.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Region string `json:"region,omitempty"`

	// Profile says how much the tree brings.
	// +optional
	// +kubebuilder:default=full
	Profile Profile `json:"profile,omitempty"`

	// Components of the profile to bring; the default is all of them.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	Components []EnvironmentComponent `json:"components,omitempty"`

	// RegistryPullSecretRef names a Secret of type
	// kubernetes.io/dockerconfigjson that the tree brings, sealed.
	// +optional
	RegistryPullSecretRef *SecretReference `json:"registryPullSecretRef,omitempty"`

	// FluxNamespace is the namespace that Flux runs in on the target. Cannot be
	// changed.
	// +optional
	// +kubebuilder:default=flux-system
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="fluxNamespace is immutable"
	FluxNamespace string `json:"fluxNamespace,omitempty"`

	// OnDelete says what becomes of the tree when this object is deleted.
	// +optional
	// +kubebuilder:default=Keep
	OnDelete OnDelete `json:"onDelete,omitempty"`
}

// An EnvironmentComponent is a part of a profile.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=63
type EnvironmentComponent string

// A GitTree is a folder of a repository, and who writes to it.
// +kubebuilder:validation:XValidation:rule="self.url == oldSelf.url && self.path == oldSelf.path",message="git.url and git.path are immutable"
type GitTree struct {
	Git `json:",inline"`

	// Path of the folder in the repository.
	Path GitPath `json:"path"`

	// Author of the commits.
	// +optional
	Author *Author `json:"author,omitempty"`
}

// An Author of commits.
type Author struct {
	// Name of the author.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Name string `json:"name"`

	// Email of the author.
	Email Email `json:"email"`
}

// A GitOpsEnvironmentSpec says what tree to write.
type GitOpsEnvironmentSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	ForProvider GitOpsEnvironmentParameters `json:"forProvider"`
}

// A Pass is a push of the tree.
type Pass struct {
	// Commit that brought the tree.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Commit string `json:"commit,omitempty"`

	// Time of the commit.
	// +optional
	Time *metav1.Time `json:"time,omitempty"`

	// TreeHash of the tree.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	TreeHash string `json:"treeHash,omitempty"`
}

// A GitOpsEnvironmentObservation is what was seen of a tree.
type GitOpsEnvironmentObservation struct {
	// RunID of the run that wrote or writes the tree.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	RunID string `json:"runID,omitempty"`

	// Infrastructure is pass 1: what the cluster needs before it can unseal secrets.
	// +optional
	Infrastructure *Pass `json:"infrastructure,omitempty"`

	// Environment is pass 2: everything.
	// +optional
	Environment *Pass `json:"environment,omitempty"`

	// SealingKeyFingerprint identifies the certificate that the secrets are sealed with.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	SealingKeyFingerprint string `json:"sealingKeyFingerprint,omitempty"`

	// Files is the number of files of the tree.
	// +optional
	Files int32 `json:"files,omitempty"`
}

// A GitOpsEnvironmentStatus is what was seen of a GitOpsEnvironment.
type GitOpsEnvironmentStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`

	// +optional
	AtProvider GitOpsEnvironmentObservation `json:"atProvider,omitempty"`
}

// A GitOpsEnvironment is the tree in Git that a cluster is managed from.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,kubeopera}
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="PROFILE",type="string",JSONPath=".spec.forProvider.profile"
// +kubebuilder:printcolumn:name="PATH",type="string",JSONPath=".spec.forProvider.git.path"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="COMMIT",type="string",priority=1,JSONPath=".status.atProvider.environment.commit"
type GitOpsEnvironment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec GitOpsEnvironmentSpec `json:"spec"`

	// Status as it was last observed. Until then its generation is -1: tools that wait for objects, such as Flux, take
	// one without a status for well.
	// +kubebuilder:default={"observedGeneration":-1}
	Status GitOpsEnvironmentStatus `json:"status,omitempty"`
}

// GitOpsEnvironmentList is a list of GitOpsEnvironments.
// +kubebuilder:object:root=true
type GitOpsEnvironmentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []GitOpsEnvironment `json:"items"`
}
