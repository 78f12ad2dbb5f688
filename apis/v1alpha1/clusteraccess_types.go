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

// ClusterAccessParameters say where the way into a cluster comes from.
// +kubebuilder:validation:XValidation:rule="(has(self.kubeconfigSecretRef) ? 1 : 0) + (has(self.provisionedClusterRef) ? 1 : 0) + (has(self.inCluster) ? 1 : 0) == 1",message="set exactly one of kubeconfigSecretRef, provisionedClusterRef and inCluster"
// +kubebuilder:validation:XValidation:rule="has(self.kubeconfigSecretRef) == has(oldSelf.kubeconfigSecretRef) && has(self.provisionedClusterRef) == has(oldSelf.provisionedClusterRef) && has(self.inCluster) == has(oldSelf.inCluster)",message="the kind of source is immutable"
type ClusterAccessParameters struct {
	// KubeconfigSecretRef names a Secret whose key kubeconfig leads to the cluster.
	// +optional
	KubeconfigSecretRef *SecretReference `json:"kubeconfigSecretRef,omitempty"`

	// ProvisionedClusterRef names the ProvisionedCluster that makes the
	// cluster; its connection Secret is the source.
	// +optional
	ProvisionedClusterRef *ObjectReference `json:"provisionedClusterRef,omitempty"`

	// InCluster takes the cluster that the provider itself runs on, with the
	// provider's own ServiceAccount.
	// +optional
	InCluster *InClusterSource `json:"inCluster,omitempty"`

	// ExpectedClusterUID is the UID that the cluster's namespace kube-system
	// must have. A kubeconfig that leads elsewhere is refused.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	ExpectedClusterUID *string `json:"expectedClusterUID,omitempty"`
}

// An ObjectReference names an object in the namespace of the object that refers to it.
type ObjectReference struct {
	// Name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// An InClusterSource takes the cluster that the provider runs on.
type InClusterSource struct {
	// StoreKubeconfig keeps a kubeconfig with a token of the provider's
	// ServiceAccount, renewed before it expires. It is needed to manage the
	// cluster from Git, and asks for cluster-admin rights.
	// +optional
	StoreKubeconfig bool `json:"storeKubeconfig,omitempty"`
}

// A ClusterAccessSpec says how to come into a cluster.
type ClusterAccessSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	ForProvider ClusterAccessParameters `json:"forProvider"`
}

// A ClusterAccessObservation is what was seen of a cluster.
type ClusterAccessObservation struct {
	// KubeconfigSecret names the Secret with the stored kubeconfig.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	KubeconfigSecret string `json:"kubeconfigSecret,omitempty"`

	// Server is the address of the API server.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	Server string `json:"server,omitempty"`

	// ServerVersion is the version of the API server.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	ServerVersion string `json:"serverVersion,omitempty"`

	// ClusterUID is the UID of the namespace kube-system. It is pinned once
	// seen: a kubeconfig that leads to another cluster is refused.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	ClusterUID string `json:"clusterUID,omitempty"`

	// Nodes counts the cluster's nodes.
	// +optional
	Nodes *NodeCount `json:"nodes,omitempty"`

	// Provider of the nodes as discovered, or unknown.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Provider string `json:"provider,omitempty"`

	// Region of the nodes as discovered, or unknown.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Region string `json:"region,omitempty"`

	// Identity is the name that the cluster knows the kubeconfig's user by.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Identity string `json:"identity,omitempty"`

	// ClusterAdmin tells whether the identity may do everything.
	// +optional
	ClusterAdmin bool `json:"clusterAdmin,omitempty"`

	// ExpiresAt is when the kubeconfig's certificate or token expires.
	// +optional
	ExpiresAt *metav1.Time `json:"expiresAt,omitempty"`

	// Warnings about the kubeconfig.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Warnings []Warning `json:"warnings,omitempty"`
}

// A Warning is something that works but should be mended.
// +kubebuilder:validation:MaxLength=512
type Warning string

// A ClusterAccessStatus is what was seen of a ClusterAccess.
type ClusterAccessStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`

	// +optional
	AtProvider ClusterAccessObservation `json:"atProvider,omitempty"`
}

// A ClusterAccess is a validated, stored kubeconfig and the cluster behind it.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,kubeopera}
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="VERSION",type="string",JSONPath=".status.atProvider.serverVersion"
// +kubebuilder:printcolumn:name="NODES",type="integer",JSONPath=".status.atProvider.nodes.total"
// +kubebuilder:printcolumn:name="EXPIRES",type="string",JSONPath=".status.atProvider.expiresAt"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="SERVER",type="string",priority=1,JSONPath=".status.atProvider.server"
type ClusterAccess struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ClusterAccessSpec `json:"spec"`

	// Status as it was last observed. Until then its generation is -1: tools that wait for objects, such as Flux, take
	// one without a status for well.
	// +kubebuilder:default={"observedGeneration":-1}
	Status ClusterAccessStatus `json:"status,omitempty"`
}

// ClusterAccessList is a list of ClusterAccesses.
// +kubebuilder:object:root=true
type ClusterAccessList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ClusterAccess `json:"items"`
}
