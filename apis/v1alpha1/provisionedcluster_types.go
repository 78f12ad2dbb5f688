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

// A Topology is the kind of cluster that is provisioned.
// +kubebuilder:validation:Enum=vanilla_kubeadm;eks;gke
type Topology string

// The topologies.
const (
	TopologyVanilla Topology = "vanilla_kubeadm"
	TopologyEKS     Topology = "eks"
	TopologyGKE     Topology = "gke"
)

// A CapacityType says how worker machines are bought.
// +kubebuilder:validation:Enum=OnDemand;Spot
type CapacityType string

// The capacity types.
const (
	CapacityOnDemand CapacityType = "OnDemand"
	CapacitySpot     CapacityType = "Spot"
)

// Sizing says how large a provisioned cluster is and what it is built from.
// +kubebuilder:validation:XValidation:rule="!has(self.controlPlaneCount) || self.topology != 'vanilla_kubeadm' || self.controlPlaneCount in [1, 3, 5, 7]",message="controlPlaneCount must be 1, 3, 5 or 7: etcd needs an odd number of members"
// +kubebuilder:validation:XValidation:rule="!has(self.maxNodeCount) || self.maxNodeCount >= self.nodeCount",message="maxNodeCount must not be less than nodeCount"
// +kubebuilder:validation:XValidation:rule="!has(self.existingNetwork) || !has(self.networkCIDR)",message="set networkCIDR for a new network or existingNetwork for one that is there, not both"
// +kubebuilder:validation:XValidation:rule="self.topology != 'vanilla_kubeadm' || (has(self.controlPlaneCount) ? self.controlPlaneCount : 1) == (has(oldSelf.controlPlaneCount) ? oldSelf.controlPlaneCount : 1)",message="controlPlaneCount is immutable, and 1 if it is left out"
// +kubebuilder:validation:XValidation:rule="has(self.networkCIDR) == has(oldSelf.networkCIDR) && (!has(self.networkCIDR) || self.networkCIDR == oldSelf.networkCIDR)",message="networkCIDR is immutable: a cluster keeps its network"
// +kubebuilder:validation:XValidation:rule="has(self.existingNetwork) == has(oldSelf.existingNetwork) && (!has(self.existingNetwork) || self.existingNetwork == oldSelf.existingNetwork)",message="existingNetwork is immutable: a cluster keeps its network"
type Sizing struct {
	// Topology of the cluster: kubeadm on EC2 instances, EKS or GKE. Cannot be
	// changed.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="topology is immutable: create a new HostCluster instead"
	Topology Topology `json:"topology"`

	// ControlPlaneCount is the number of control-plane machines: 1, 3, 5 or 7.
	// The default is 1; more than one adds a load balancer. Topology
	// vanilla_kubeadm only. Cannot be changed.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=7
	ControlPlaneCount *int32 `json:"controlPlaneCount,omitempty"`

	// NodeCount is the number of worker machines.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	NodeCount int32 `json:"nodeCount"`

	// MaxNodeCount is the largest number of worker machines that the cluster
	// may be scaled to. The default is NodeCount.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	MaxNodeCount *int32 `json:"maxNodeCount,omitempty"`

	// InstanceType of the machines, in the provider's own words.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	InstanceType string `json:"instanceType"`

	// CapacityType says how worker machines are bought.
	// +optional
	// +kubebuilder:default=OnDemand
	CapacityType CapacityType `json:"capacityType,omitempty"`

	// KubernetesVersion of the cluster, for instance 1.36.2. EKS and GKE use
	// the minor version of it. Another one upgrades the cluster, one minor
	// version at a time and never back.
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^v?1[.][0-9]{1,3}([.][0-9]{1,3})?$')",message="must be a Kubernetes version, for instance 1.36.2"
	KubernetesVersion string `json:"kubernetesVersion"`

	// NodeVolumeSizeGiB is the size of each machine's root volume, in GiB.
	// +optional
	// +kubebuilder:validation:Minimum=20
	// +kubebuilder:validation:Maximum=16384
	NodeVolumeSizeGiB *int32 `json:"nodeVolumeSizeGiB,omitempty"`

	// NetworkCIDR of the network that is made for the cluster. It may not
	// overlap the networks of pods and services. Cannot be changed.
	// +optional
	// +kubebuilder:validation:MaxLength=18
	// +kubebuilder:validation:XValidation:rule="isCIDR(self) && cidr(self).ip().family() == 4 && cidr(self).prefixLength() <= 24 && cidr(self).prefixLength() >= 16",message="must be an IPv4 network with a prefix of 16 to 24 bits, for instance 10.0.0.0/16"
	NetworkCIDR *string `json:"networkCIDR,omitempty"`

	// ExistingNetwork is a network that is there already. It is used, and
	// left as it is. Cannot be changed.
	// +optional
	ExistingNetwork *ExistingNetwork `json:"existingNetwork,omitempty"`

	// APIServerAllowedCIDRs are the networks that may reach the API server.
	// The default is all.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	APIServerAllowedCIDRs []CIDR `json:"apiServerAllowedCIDRs,omitempty"`

	// Tags for every resource in the cloud account.
	// +optional
	// +kubebuilder:validation:MaxProperties=40
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) > 0 && size(k) <= 63 && size(self[k]) <= 63)",message="tag keys have 1 to 63 characters, and values at most 63"
	Tags map[string]TagValue `json:"tags,omitempty"`
}

// A TagValue is the value of a tag in a cloud account.
// +kubebuilder:validation:MaxLength=256
type TagValue string

// A CIDR is a network.
// +kubebuilder:validation:MaxLength=43
// +kubebuilder:validation:XValidation:rule="isCIDR(self)",message="must be a network, for instance 203.0.113.0/24"
type CIDR string

// An ExistingNetwork is a network that is there already.
type ExistingNetwork struct {
	// ID of the VPC, or name of the GCP network.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	ID string `json:"id"`

	// SubnetIDs of the subnets to use.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	SubnetIDs []SubnetID `json:"subnetIDs"`
}

// A SubnetID names a subnet of a cloud network.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=255
type SubnetID string

// Provisioning says what cluster a HostCluster makes, and with whose account.
type Provisioning struct {
	Sizing `json:",inline"`

	// CredentialRef names the ProviderConfig whose credentials are used.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	CredentialRef string `json:"credentialRef"`
}

// ProvisionedClusterParameters say what cluster to make.
type ProvisionedClusterParameters struct {
	Sizing `json:",inline"`

	// Provider of the cloud account, aws or gcp.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Provider string `json:"provider"`

	// Region to make the cluster in. Cannot be changed.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="region is immutable: a cluster can not move"
	Region string `json:"region"`
}

// A ProvisionedClusterSpec says what cluster to make.
type ProvisionedClusterSpec struct {
	xpv2.ManagedResourceSpec `json:",inline"`

	ForProvider ProvisionedClusterParameters `json:"forProvider"`
}

// A RunStatus is the state of a Terraform run.
// +kubebuilder:validation:Enum=Queued;Running;Succeeded;Failed
type RunStatus string

// The states of a run.
const (
	RunQueued    RunStatus = "Queued"
	RunRunning   RunStatus = "Running"
	RunSucceeded RunStatus = "Succeeded"
	RunFailed    RunStatus = "Failed"
)

// A RunAction is what a Terraform run does.
// +kubebuilder:validation:Enum=Apply;Destroy
type RunAction string

// The actions of a run.
const (
	RunApply   RunAction = "Apply"
	RunDestroy RunAction = "Destroy"
)

// A RunPlace is where the runs of a cluster are executed.
type RunPlace struct {
	// Mode says where Terraform runs.
	Mode ExecutionMode `json:"mode"`

	// Namespace of the runs' records, reports and Jobs.
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace"`
}

// Progress of a run.
type Progress struct {
	// Done is the number of resources that are done.
	// +optional
	Done int32 `json:"done,omitempty"`

	// Total is the number of resources that the run changes.
	// +optional
	Total int32 `json:"total,omitempty"`

	// Step says what is being done.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Step string `json:"step,omitempty"`
}

// A RunError says why a run failed.
type RunError struct {
	// Class of the error: Quota, Auth, Capacity, Conflict, Lock, Dependency, Invalid or Transient.
	// +kubebuilder:validation:MaxLength=63
	Class string `json:"class"`

	// Message of the error.
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message"`
}

// A ProvisionedClusterObservation is what was seen of a provisioned cluster.
type ProvisionedClusterObservation struct {
	// RunID of the present or last run.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	RunID string `json:"runID,omitempty"`

	// Action of the present or last run.
	// +optional
	Action RunAction `json:"action,omitempty"`

	// RunStatus of the present or last run.
	// +optional
	RunStatus RunStatus `json:"runStatus,omitempty"`

	// Place where the present or last run is executed.
	// +optional
	Place *RunPlace `json:"place,omitempty"`

	// Progress of the present run.
	// +optional
	Progress *Progress `json:"progress,omitempty"`

	// AppliedRevision is the hash of the configuration that was applied last.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	AppliedRevision string `json:"appliedRevision,omitempty"`

	// Endpoint of the cluster's API server.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	Endpoint string `json:"endpoint,omitempty"`

	// StateBucket holds the Terraform state.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	StateBucket string `json:"stateBucket,omitempty"`

	// StartedAt is when the present or last run started.
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`

	// FinishedAt is when the last run ended.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`

	// LastError says why the last run failed.
	// +optional
	LastError *RunError `json:"lastError,omitempty"`
}

// A ProvisionedClusterStatus is what was seen of a ProvisionedCluster.
type ProvisionedClusterStatus struct {
	xpv2.ManagedResourceStatus `json:",inline"`

	// +optional
	AtProvider ProvisionedClusterObservation `json:"atProvider,omitempty"`
}

// A ProvisionedCluster is a cluster that Terraform makes in a cloud account.
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 53",message="metadata.name is too long: at most 53 characters, the names of its Jobs and cloud resources are made from it"
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories={crossplane,managed,kubeopera}
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="SYNCED",type="string",JSONPath=".status.conditions[?(@.type=='Synced')].status"
// +kubebuilder:printcolumn:name="TOPOLOGY",type="string",JSONPath=".spec.forProvider.topology"
// +kubebuilder:printcolumn:name="REGION",type="string",JSONPath=".spec.forProvider.region"
// +kubebuilder:printcolumn:name="RUN",type="string",JSONPath=".status.atProvider.runStatus"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="STEP",type="string",priority=1,JSONPath=".status.atProvider.progress.step"
type ProvisionedCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ProvisionedClusterSpec `json:"spec"`

	// Status as it was last observed. Until then its generation is -1: tools that wait for objects, such as Flux, take
	// one without a status for well.
	// +kubebuilder:default={"observedGeneration":-1}
	Status ProvisionedClusterStatus `json:"status,omitempty"`
}

// ProvisionedClusterList is a list of ProvisionedClusters.
// +kubebuilder:object:root=true
type ProvisionedClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ProvisionedCluster `json:"items"`
}
