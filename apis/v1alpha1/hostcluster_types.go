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

// A Mode says how a HostCluster comes to its cluster.
// +kubebuilder:validation:Enum=connect_existing;provision_vanilla;provision_eks;provision_gke;in_cluster
type Mode string

// The modes.
const (
	ModeConnectExisting  Mode = "connect_existing"
	ModeProvisionVanilla Mode = "provision_vanilla"
	ModeProvisionEKS     Mode = "provision_eks"
	ModeProvisionGKE     Mode = "provision_gke"
	ModeInCluster        Mode = "in_cluster"
)

// Provisions tells whether the mode makes a new cluster.
func (m Mode) Provisions() bool {
	switch m {
	case ModeProvisionVanilla, ModeProvisionEKS, ModeProvisionGKE:
		return true
	case ModeConnectExisting, ModeInCluster:
	}

	return false
}

// A Phase is what a HostCluster is doing, for people to read.
// +kubebuilder:validation:Enum=Pending;ValidatingAccess;Provisioning;BootstrappingFlux;GeneratingGitOpsTree;InstallingKubeOpera;Ready;Failed;Deleting
type Phase string

// The phases.
const (
	PhasePending              Phase = "Pending"
	PhaseValidatingAccess     Phase = "ValidatingAccess"
	PhaseProvisioning         Phase = "Provisioning"
	PhaseBootstrappingFlux    Phase = "BootstrappingFlux"
	PhaseGeneratingGitOpsTree Phase = "GeneratingGitOpsTree"
	PhaseInstallingKubeOpera  Phase = "InstallingKubeOpera"
	PhaseReady                Phase = "Ready"
	PhaseFailed               Phase = "Failed"
	PhaseDeleting             Phase = "Deleting"
)

// A Profile says how much the GitOps environment of a cluster brings.
// +kubebuilder:validation:Enum=full;minimal
type Profile string

// The profiles.
const (
	// ProfileFull brings ingress, certificates, storage, database, monitoring and KubeOpera.
	ProfileFull Profile = "full"
	// ProfileMinimal brings Sealed Secrets and KubeOpera, as plain manifests.
	ProfileMinimal Profile = "minimal"
)

// A DeletionPolicy says what becomes of the cluster when its HostCluster is deleted.
// +kubebuilder:validation:Enum=Disconnect;Destroy
type DeletionPolicy string

// The deletion policies.
const (
	// DeletionDisconnect stops managing the cluster and leaves its workloads running.
	DeletionDisconnect DeletionPolicy = "Disconnect"
	// DeletionDestroy disconnects, and then destroys what was provisioned.
	DeletionDestroy DeletionPolicy = "Destroy"
)

// A HostClusterSpec says what cluster is wanted and where it is managed from.
// +kubebuilder:validation:XValidation:rule="self.mode != 'connect_existing' || has(self.connectKubeconfigSecretRef)",message="connectKubeconfigSecretRef is required for mode connect_existing: name a Secret that has the key kubeconfig"
// +kubebuilder:validation:XValidation:rule="!self.mode.startsWith('provision_') || has(self.provisioning)",message="provisioning is required for modes provision_vanilla, provision_eks and provision_gke"
// +kubebuilder:validation:XValidation:rule="!has(self.provisioning) || !self.mode.startsWith('provision_') || self.provisioning.topology == {'provision_vanilla': 'vanilla_kubeadm', 'provision_eks': 'eks', 'provision_gke': 'gke'}[self.mode]",message="provisioning.topology must match mode: vanilla_kubeadm for provision_vanilla, eks for provision_eks, gke for provision_gke"
// +kubebuilder:validation:XValidation:rule="!self.mode.startsWith('provision_') || (has(self.region) && size(self.region) > 0)",message="region is required for modes provision_vanilla, provision_eks and provision_gke"
// +kubebuilder:validation:XValidation:rule="!self.mode.startsWith('provision_') || !has(oldSelf.region) || (has(self.region) && self.region == oldSelf.region)",message="region is immutable: a cluster can not move"
// +kubebuilder:validation:XValidation:rule="self.mode == 'in_cluster' || (has(self.gitOpsRepoURL) && has(self.gitOpsPath) && has(self.gitCredentialsSecretRef))",message="gitOpsRepoURL, gitOpsPath and gitCredentialsSecretRef are required unless mode is in_cluster"
// +kubebuilder:validation:XValidation:rule="!has(self.gitOpsRepoURL) || (has(self.gitOpsPath) && has(self.gitCredentialsSecretRef))",message="gitOpsRepoURL needs gitOpsPath and gitCredentialsSecretRef too"
// +kubebuilder:validation:XValidation:rule="has(self.gitOpsRepoURL) || !has(self.gitOpsPath)",message="gitOpsPath needs gitOpsRepoURL too"
// +kubebuilder:validation:XValidation:rule="!has(self.gitOpsRepoURL) || has(self.domain)",message="domain is required with a Git repository: the base domain of every service's hostname"
// +kubebuilder:validation:XValidation:rule="has(self.adminEmail) == has(self.adminUsername)",message="set both adminEmail and adminUsername, or neither"
// +kubebuilder:validation:XValidation:rule="has(self.gitOpsRepoURL) || !has(self.adminEmail)",message="adminEmail needs a Git repository: the administrator signs in to the platform that it installs"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.gitOpsRepoURL) || (has(self.gitOpsRepoURL) && self.gitOpsRepoURL == oldSelf.gitOpsRepoURL)",message="gitOpsRepoURL is immutable: delete the HostCluster (its workloads keep running) and create it again with the new URL"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.gitOpsPath) || (has(self.gitOpsPath) && self.gitOpsPath == oldSelf.gitOpsPath)",message="gitOpsPath is immutable: delete the HostCluster (its workloads keep running) and create it again with the new path"
type HostClusterSpec struct {
	// ClusterID is the cluster's ID. If given, it equals metadata.name.
	// +optional
	// +kubebuilder:validation:MaxLength=53
	ClusterID *string `json:"clusterID,omitempty"`

	// Mode says how the HostCluster comes to its cluster: connect_existing
	// takes a kubeconfig, provision_vanilla (kubeadm on EC2), provision_eks and
	// provision_gke make a new cluster with Terraform, and in_cluster registers
	// the cluster that the provider itself runs on. Cannot be changed.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="mode is immutable: create a new HostCluster instead"
	Mode Mode `json:"mode"`

	// Provider of the cluster's machines, for instance aws or gcp. Free-form,
	// so that new providers need no new API.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Provider string `json:"provider,omitempty"`

	// Region of the cluster, in the provider's own words. Modes provision_*
	// require it, and it cannot be changed in them.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Region string `json:"region,omitempty"`

	// ConnectKubeconfigSecretRef names the Secret whose key kubeconfig leads
	// to the cluster. The Secret may arrive after the HostCluster. Mode
	// connect_existing requires it, and it is for that mode only.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ConnectKubeconfigSecretRef *string `json:"connectKubeconfigSecretRef,omitempty"`

	// Provisioning says what cluster to make. Modes provision_* require it,
	// and it is for them only.
	// +optional
	Provisioning *Provisioning `json:"provisioning,omitempty"`

	// GitOpsRepoURL is the Git repository that the cluster is managed from.
	// Required unless mode is in_cluster. Cannot be changed.
	// +optional
	GitOpsRepoURL *GitURL `json:"gitOpsRepoURL,omitempty"`

	// GitOpsBranch is the branch of the repository.
	// +optional
	// +kubebuilder:default=main
	GitOpsBranch GitBranch `json:"gitOpsBranch,omitempty"`

	// GitOpsPath is the folder of the cluster in the repository. Nothing
	// outside it is ever touched. Required with GitOpsRepoURL. Cannot be
	// changed.
	// +optional
	GitOpsPath *GitPath `json:"gitOpsPath,omitempty"`

	// GitCredentialsSecretRef names the Secret with the credentials of the
	// repository, in the keys that Flux uses: username and password,
	// bearerToken, identity and known_hosts, githubAppID and its companions,
	// and ca.crt for a private certificate authority. Required with
	// GitOpsRepoURL.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	GitCredentialsSecretRef *string `json:"gitCredentialsSecretRef,omitempty"`

	// Domain is the base domain of every service's hostname. Required with
	// GitOpsRepoURL.
	// +optional
	Domain *DNSName `json:"domain,omitempty"`

	// Profile says how much the environment brings: full is everything that
	// KubeOpera needs in production, minimal is Sealed Secrets and KubeOpera.
	// +optional
	// +kubebuilder:default=full
	Profile Profile `json:"profile,omitempty"`

	// RegistryPullSecretRef names a Secret of type
	// kubernetes.io/dockerconfigjson to pull images on the cluster with.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	RegistryPullSecretRef *string `json:"registryPullSecretRef,omitempty"`

	// AdminEmail is the e-mail address of the first administrator, who is
	// created once, with a generated password. Goes with AdminUsername.
	// +optional
	AdminEmail *Email `json:"adminEmail,omitempty"`

	// AdminUsername is the name that the first administrator signs in with.
	// Goes with AdminEmail.
	// +optional
	AdminUsername *Username `json:"adminUsername,omitempty"`

	// DeletionPolicy says what becomes of the cluster when this object is
	// deleted: Disconnect leaves it and its workloads running, Destroy also
	// destroys the infrastructure that was provisioned for it.
	// +optional
	// +kubebuilder:default=Disconnect
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
}

// A HostClusterStatus is what was seen of a HostCluster.
type HostClusterStatus struct {
	xpv2.ConditionedStatus `json:",inline"`

	// ObservedGeneration is the generation of the spec that this status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Phase is what the HostCluster is doing, for people to read. Programs
	// read the conditions.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// Message explains the phase; its cause comes first.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`

	// KubeconfigSecret names the Secret with the stored kubeconfig.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	KubeconfigSecret string `json:"kubeconfigSecret,omitempty"`

	// FluxHealthy tells whether Flux is healthy and reconciles the cluster's tree.
	// +optional
	FluxHealthy bool `json:"fluxHealthy,omitempty"`

	// KubeOperaInstalled tells whether the platform was installed. Once true
	// it stays true.
	// +optional
	KubeOperaInstalled bool `json:"kubeOperaInstalled,omitempty"`

	// AdminPasswordSecretRef names the Secret with the first administrator's password.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	AdminPasswordSecretRef string `json:"adminPasswordSecretRef,omitempty"`

	// LastReconciledAt is when this status changed last.
	// +optional
	LastReconciledAt *metav1.Time `json:"lastReconciledAt,omitempty"`

	// ClusterUID is the UID of the cluster's namespace kube-system, which identifies it.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	ClusterUID string `json:"clusterUID,omitempty"`

	// KubernetesVersion of the cluster's API server.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`

	// Provider of the cluster's machines: the one of the spec, or else the one
	// discovered.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Provider string `json:"provider,omitempty"`

	// Region of the cluster: the one of the spec, or else the one discovered.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Region string `json:"region,omitempty"`

	// Nodes counts the cluster's nodes.
	// +optional
	Nodes *NodeCount `json:"nodes,omitempty"`

	// Warnings about the way into the cluster: what works, but should be mended,
	// for instance credentials that expire soon.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Warnings []Warning `json:"warnings,omitempty"`

	// PhaseHistory lists every phase of the mode in order, with the times when
	// it began and ended.
	// +optional
	// +listType=map
	// +listMapKey=phase
	// +kubebuilder:validation:MaxItems=16
	PhaseHistory []PhaseRecord `json:"phaseHistory,omitempty"`
}

// A PhaseRecord says when a phase began and ended.
type PhaseRecord struct {
	// Phase that this record is about.
	Phase Phase `json:"phase"`

	// StartedAt is when the phase began first.
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`

	// FinishedAt is when the phase was left for the next one.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
}

// A NodeCount counts the nodes of a cluster.
type NodeCount struct {
	// Total number of nodes.
	Total int32 `json:"total"`

	// Ready is the number of nodes that are ready.
	Ready int32 `json:"ready"`
}

// A HostCluster becomes a Kubernetes cluster that is managed from Git.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=hc,categories={crossplane,composite,kubeopera}
// +kubebuilder:printcolumn:name="PHASE",type="string",JSONPath=".status.phase"
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="PROVIDER",type="string",JSONPath=".status.provider"
// +kubebuilder:printcolumn:name="REGION",type="string",JSONPath=".status.region"
// +kubebuilder:printcolumn:name="VERSION",type="string",JSONPath=".status.kubernetesVersion"
// +kubebuilder:printcolumn:name="NODES",type="integer",JSONPath=".status.nodes.total"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="MESSAGE",type="string",priority=1,JSONPath=".status.message"
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 53",message="metadata.name is too long: at most 53 characters, the names of its Secrets and cloud resources are made from it"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.clusterID) || self.spec.clusterID == self.metadata.name",message="spec.clusterID must equal metadata.name, or be left out"
// +kubebuilder:validation:XValidation:rule="!self.spec.mode.startsWith('provision_') || !has(self.spec.provisioning) || !has(oldSelf.spec.provisioning) || self.spec.provisioning.kubernetesVersion == oldSelf.spec.provisioning.kubernetesVersion || !has(self.status) || !has(self.status.kubernetesVersion) || !self.status.kubernetesVersion.matches('^v1[.][0-9]{1,3}[.]') || !self.spec.provisioning.kubernetesVersion.matches('^v?1[.][0-9]{1,3}([.]|$)') || (int(self.spec.provisioning.kubernetesVersion.split('.')[1]) - int(self.status.kubernetesVersion.split('.')[1])) in [0, 1]",message="spec.provisioning.kubernetesVersion must be of the minor version that the cluster has (status.kubernetesVersion) or of the next one: upgrade one minor version at a time, never back"
type HostCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec HostClusterSpec `json:"spec"`

	// Status as it was last observed. Until then its generation is -1: tools that wait for objects, such as Flux, take
	// one without a status for well.
	// +kubebuilder:default={"observedGeneration":-1}
	Status HostClusterStatus `json:"status,omitempty"`
}

// SetConditions sets conditions; the time of the last transition stays while a status stays.
func (hc *HostCluster) SetConditions(c ...xpv2.Condition) {
	setConditions(&hc.Status.ConditionedStatus, c...)
}

// GetCondition returns the condition of a type.
func (hc *HostCluster) GetCondition(t xpv2.ConditionType) xpv2.Condition {
	return hc.Status.GetCondition(t)
}

// HostClusterList is a list of HostClusters.
// +kubebuilder:object:root=true
type HostClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []HostCluster `json:"items"`
}
