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

// AdministratorParameters say who the first administrator is. They cannot be
// changed.
// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="an administrator is immutable: it is created once; delete this object and create another one"
type AdministratorParameters struct {
	// KubeconfigSecretRef names the Secret whose key kubeconfig leads to the target.
	KubeconfigSecretRef SecretReference `json:"kubeconfigSecretRef"`

	// Email is the administrator's e-mail address.
	Email Email `json:"email"`

	// Username is the name that the administrator signs in with.
	Username Username `json:"username"`
}

// An AdministratorSpec says who the first administrator is.
type AdministratorSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	ForProvider AdministratorParameters `json:"forProvider"`
}

// An AdministratorObservation is what was seen of an administrator.
type AdministratorObservation struct {
	// PasswordSecret names the Secret with the generated password. It is empty
	// if an earlier object made the administrator.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	PasswordSecret string `json:"passwordSecret,omitempty"`

	// CreatedAt is when the record was made on the target.
	// +optional
	CreatedAt *metav1.Time `json:"createdAt,omitempty"`
}

// An AdministratorStatus is what was seen of an Administrator.
type AdministratorStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`

	// +optional
	AtProvider AdministratorObservation `json:"atProvider,omitempty"`
}

// An Administrator is the first administrator of the platform on a target,
// created exactly once.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,kubeopera}
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="USERNAME",type="string",JSONPath=".spec.forProvider.username"
// +kubebuilder:printcolumn:name="EMAIL",type="string",JSONPath=".spec.forProvider.email"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.writeConnectionSecretToRef) || self.spec.writeConnectionSecretToRef.name != 'hostcluster-' + self.metadata.name + '-admin-password'",message="spec.writeConnectionSecretToRef must name another Secret: the password is kept in this one anyhow"
type Administrator struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec AdministratorSpec `json:"spec"`

	// Status as it was last observed. Until then its generation is -1: tools that wait for objects, such as Flux, take
	// one without a status for well.
	// +kubebuilder:default={"observedGeneration":-1}
	Status AdministratorStatus `json:"status,omitempty"`
}

// AdministratorList is a list of Administrators.
// +kubebuilder:object:root=true
type AdministratorList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Administrator `json:"items"`
}
