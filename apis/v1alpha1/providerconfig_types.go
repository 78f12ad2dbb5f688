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
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A CredentialsSource says where a cloud credential is kept.
// +kubebuilder:validation:Enum=Secret;Sealed;InjectedIdentity;None
type CredentialsSource string

// The sources of credentials.
const (
	// CredentialsSecret: a key of a Secret.
	CredentialsSecret CredentialsSource = "Secret"
	// CredentialsSealed: a key of a Secret, encrypted with age so that only the provider can read it.
	CredentialsSealed CredentialsSource = "Sealed"
	// CredentialsInjectedIdentity: the identity that the cloud gives to the pod.
	CredentialsInjectedIdentity CredentialsSource = "InjectedIdentity"
	// CredentialsNone: none is needed.
	CredentialsNone CredentialsSource = "None"
)

// A CredentialType is the kind of a cloud credential.
// +kubebuilder:validation:Enum=AWSAccessKey;AWSAssumeRole;GCPServiceAccount
type CredentialType string

// The types of credentials.
const (
	CredentialAWSAccessKey      CredentialType = "AWSAccessKey"
	CredentialAWSAssumeRole     CredentialType = "AWSAssumeRole"
	CredentialGCPServiceAccount CredentialType = "GCPServiceAccount"
)

// A SecretKeySelector names a key of a Secret.
type SecretKeySelector struct {
	// Name of the Secret.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// Namespace of the Secret. Only a ClusterProviderConfig sets it; a
	// ProviderConfig reads Secrets of its own namespace.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`

	// Key in the Secret.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}

// Credentials of a cloud account.
// +kubebuilder:validation:XValidation:rule="!(self.source in ['Secret', 'Sealed']) || has(self.secretRef)",message="secretRef is required for sources Secret and Sealed"
type Credentials struct {
	// Source of the credentials.
	Source CredentialsSource `json:"source"`

	// SecretRef names the key of a Secret with the credentials.
	// +optional
	SecretRef *SecretKeySelector `json:"secretRef,omitempty"`
}

// AWSSettings are the settings of an AWS account.
type AWSSettings struct {
	// RoleARN of the role to assume for each run.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$')",message="must be the ARN of an IAM role"
	RoleARN *string `json:"roleARN,omitempty"`

	// ExternalID that the role asks for.
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=1224
	ExternalID *string `json:"externalID,omitempty"`

	// SessionName of the assumed role.
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=64
	SessionName *string `json:"sessionName,omitempty"`
}

// GCPSettings are the settings of a GCP project.
type GCPSettings struct {
	// Project to make resources in.
	// +kubebuilder:validation:MinLength=6
	// +kubebuilder:validation:MaxLength=63
	Project string `json:"project"`
}

// An ExecutionMode says where Terraform runs.
// +kubebuilder:validation:Enum=Job;Local
type ExecutionMode string

// The execution modes.
const (
	// ExecutionJob runs Terraform as a Kubernetes Job.
	ExecutionJob ExecutionMode = "Job"
	// ExecutionLocal runs Terraform as a child process of the provider, to try it.
	ExecutionLocal ExecutionMode = "Local"
)

// Execution settings of Terraform runs.
type Execution struct {
	// Mode says where Terraform runs.
	// +optional
	// +kubebuilder:default=Job
	Mode ExecutionMode `json:"mode,omitempty"`

	// Image of terraform-runner. The default is the provider's own release.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Image *string `json:"image,omitempty"`

	// Namespace that Jobs run in.
	// +optional
	// +kubebuilder:default=kubeopera-provisioning
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`

	// Resources of the Job's container.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
}

// Modules says where the Terraform modules come from.
type Modules struct {
	// RepoURL of a Git repository with modules, instead of those built in.
	RepoURL GitURL `json:"repoURL"`

	// Ref to check out: a branch, tag or commit.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Ref string `json:"ref"`
}

// StateSettings are the settings of Terraform's state.
type StateSettings struct {
	// S3Endpoint instead of AWS's own.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	S3Endpoint *string `json:"s3Endpoint,omitempty"`

	// GCSEndpoint instead of Google's own.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	GCSEndpoint *string `json:"gcsEndpoint,omitempty"`
}

// A ProviderConfigSpec is a cloud account, and how Terraform runs in it.
// +kubebuilder:validation:XValidation:rule="self.type != 'AWSAssumeRole' || (has(self.aws) && has(self.aws.roleARN))",message="aws.roleARN is required for type AWSAssumeRole"
// +kubebuilder:validation:XValidation:rule="self.type != 'GCPServiceAccount' || has(self.gcp)",message="gcp.project is required for type GCPServiceAccount"
type ProviderConfigSpec struct {
	// Type of the credentials.
	Type CredentialType `json:"type"`

	// Credentials of the account.
	Credentials Credentials `json:"credentials"`

	// Label that people know the credentials by.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Label string `json:"label,omitempty"`

	// AWS settings.
	// +optional
	AWS *AWSSettings `json:"aws,omitempty"`

	// GCP settings.
	// +optional
	GCP *GCPSettings `json:"gcp,omitempty"`

	// Execution settings of Terraform runs.
	// +optional
	Execution *Execution `json:"execution,omitempty"`

	// Modules instead of those built in.
	// +optional
	Modules *Modules `json:"modules,omitempty"`

	// State settings.
	// +optional
	State *StateSettings `json:"state,omitempty"`
}

// A ProviderConfigStatus is what was seen of a ProviderConfig.
type ProviderConfigStatus struct {
	xpv2.ProviderConfigStatus `json:",inline"`
}

// A ProviderConfig is a cloud account for the managed resources of its namespace.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,provider,kubeopera}
// +kubebuilder:printcolumn:name="TYPE",type="string",JSONPath=".spec.type"
// +kubebuilder:printcolumn:name="LABEL",type="string",JSONPath=".spec.label"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.credentials.secretRef) || !has(self.spec.credentials.secretRef.namespace)",message="spec.credentials.secretRef.namespace must be left out: a ProviderConfig reads Secrets of its own namespace"
type ProviderConfig struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ProviderConfigSpec   `json:"spec"`
	Status ProviderConfigStatus `json:"status,omitempty"`
}

// ProviderConfigList is a list of ProviderConfigs.
// +kubebuilder:object:root=true
type ProviderConfigList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ProviderConfig `json:"items"`
}

// A ClusterProviderConfig is a cloud account for managed resources of any namespace.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,categories={crossplane,provider,kubeopera}
// +kubebuilder:printcolumn:name="TYPE",type="string",JSONPath=".spec.type"
// +kubebuilder:printcolumn:name="LABEL",type="string",JSONPath=".spec.label"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.credentials.secretRef) || has(self.spec.credentials.secretRef.namespace)",message="spec.credentials.secretRef.namespace is required: a ClusterProviderConfig has no namespace of its own"
type ClusterProviderConfig struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ProviderConfigSpec   `json:"spec"`
	Status ProviderConfigStatus `json:"status,omitempty"`
}

// ClusterProviderConfigList is a list of ClusterProviderConfigs.
// +kubebuilder:object:root=true
type ClusterProviderConfigList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ClusterProviderConfig `json:"items"`
}

// A ProviderConfigUsage records that a managed resource uses a ProviderConfig.
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,provider,kubeopera}
// +kubebuilder:printcolumn:name="CONFIG-KIND",type="string",JSONPath=".providerConfigRef.kind"
// +kubebuilder:printcolumn:name="CONFIG-NAME",type="string",JSONPath=".providerConfigRef.name"
// +kubebuilder:printcolumn:name="RESOURCE-KIND",type="string",JSONPath=".resourceRef.kind"
// +kubebuilder:printcolumn:name="RESOURCE-NAME",type="string",JSONPath=".resourceRef.name"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type ProviderConfigUsage struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	xpv2.TypedProviderConfigUsage `json:",inline"`
}

// ProviderConfigUsageList is a list of ProviderConfigUsages.
// +kubebuilder:object:root=true
type ProviderConfigUsageList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ProviderConfigUsage `json:"items"`
}
