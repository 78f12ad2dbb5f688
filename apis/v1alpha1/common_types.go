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

// A GitURL is the address of a Git repository. Its rules forbid, since the API
// server would show a value that is invalid, and a password in it.
// +kubebuilder:validation:MinLength=8
// +kubebuilder:validation:MaxLength=1024
// +kubebuilder:validation:XValidation:rule="self.matches('^(https?|ssh)://[^/\\\\s]+/\\\\S+$')",message="must be the URL of a Git repository that begins with https://, http:// or ssh:// (write ssh://git@host/owner/repository instead of git@host:owner/repository)",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="self.startsWith('ssh://') || !self.matches('^https?://[^/]*@')",message="must not hold a user name or password: put them into the credentials Secret",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!self.startsWith('ssh://') || !self.matches('^ssh://[^/@]*:[^/@]*@')",message="must not hold a password: put an SSH key into the credentials Secret",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!self.contains('?') && !self.contains('#')",message="must not have a query or a fragment: name the branch in its own field",reason=FieldValueForbidden
type GitURL string

// A GitBranch is the name of a branch.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=255
// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9_][A-Za-z0-9._/+-]*$') && !self.contains('..') && !self.contains('//') && !self.endsWith('/') && !self.endsWith('.') && !self.endsWith('.lock')",message="must be the name of a Git branch"
type GitBranch string

// A GitPath is a folder in a Git repository.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=512
// +kubebuilder:validation:XValidation:rule="!self.startsWith('/')",message="must be a relative path: leave out the leading /"
// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9._/@+=-]+$') && !self.endsWith('/') && !self.split('/').exists(s, size(s) == 0 || s == '.' || s == '..' || s == '.git')",message="must be a clean path below the root of the repository, of letters, digits and ._/@+=-, without empty, . , .. or .git segments"
type GitPath string

// A DNSName is a domain name.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=200
// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?([.][a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$')",message="must be a DNS name in lower case, for instance my-cluster.example.com"
type DNSName string

// An Email is an e-mail address.
// +kubebuilder:validation:MinLength=3
// +kubebuilder:validation:MaxLength=254
// +kubebuilder:validation:XValidation:rule="self.matches('^[^@\\\\s]+@[^@\\\\s]+$')",message="must be an e-mail address"
type Email string

// A Username is the name that somebody signs in with.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$')",message="must consist of lower-case letters, digits, . and -, and begin and end with a letter or digit"
type Username string

// Git says where a GitOps tree is kept.
type Git struct {
	// URL of the repository.
	URL GitURL `json:"url"`

	// Branch of the repository.
	// +optional
	// +kubebuilder:default=main
	Branch GitBranch `json:"branch,omitempty"`

	// CredentialsSecretRef names the Secret with the repository's credentials.
	CredentialsSecretRef SecretReference `json:"credentialsSecretRef"`
}

// A SecretReference names a Secret in the namespace of the object that refers to it.
type SecretReference struct {
	// Name of the Secret.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// A Component is a controller of Flux.
// +kubebuilder:validation:Enum=source-controller;kustomize-controller;helm-controller;notification-controller
type Component string

// The controllers of Flux that this provider can install.
const (
	ComponentSource       Component = "source-controller"
	ComponentKustomize    Component = "kustomize-controller"
	ComponentHelm         Component = "helm-controller"
	ComponentNotification Component = "notification-controller"
)
