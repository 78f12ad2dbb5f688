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

// Labels and annotations.
const (
	// LabelHostCluster carries the name of the HostCluster that an object belongs to.
	LabelHostCluster = "kubeopera.io/host-cluster-id"

	// LabelManagedBy marks the Secrets that this provider keeps on the management cluster.
	LabelManagedBy = "kubeopera.io/managed-by"

	// ManagedBy is the value of LabelManagedBy.
	ManagedBy = "host-cluster-controller"

	// LabelAppManagedBy marks what this provider made on a target cluster.
	LabelAppManagedBy = "app.kubernetes.io/managed-by"

	// AppManagedBy is the value of LabelAppManagedBy.
	AppManagedBy = "kubeopera"

	// LabelLayer names the layer of the GitOps tree that a Flux Kustomization applies.
	LabelLayer = "kubeopera.io/layer"

	// AnnotationTreeHash carries the hash of the whole tree that a layer was rendered with.
	AnnotationTreeHash = "kubeopera.io/tree-hash"

	// AnnotationProvisionJobID carries the id of the provisioning run of a HostCluster.
	AnnotationProvisionJobID = "kubeopera.io/provision-job-id"

	// AnnotationScaffoldJobID carries the id of the run that writes the GitOps tree of a HostCluster.
	AnnotationScaffoldJobID = "kubeopera.io/scaffold-job-id"
)

// Finalizers.
const (
	// FinalizerHostCluster keeps a HostCluster until its children are gone.
	FinalizerHostCluster = "kubeopera.io/host-cluster"

	// FinalizerInUse keeps a stored kubeconfig as long as somebody needs it.
	FinalizerInUse = "kubeopera.io/in-use"
)

// KubeconfigKey is the key of a kubeconfig in every Secret that holds one.
const KubeconfigKey = "kubeconfig"

// Names on the target cluster.
const (
	// FluxNamespace is where Flux runs unless it is told otherwise.
	FluxNamespace = "flux-system"

	// SyncName is the name of the GitRepository, the root Kustomization and
	// the Secret with the Git credentials.
	SyncName = "kubeopera"

	// PlatformNamespace is where KubeOpera itself runs.
	PlatformNamespace = "kubeopera-system"
)

// ProvisioningNamespace is where Terraform runs as Jobs unless the provider is told otherwise.
const ProvisioningNamespace = "kubeopera-provisioning"

// A Layer is one part of the GitOps tree, applied by a Flux Kustomization of its own.
// +kubebuilder:validation:Enum=infrastructure;secrets;apps
type Layer string

// The layers, each after the one before it.
const (
	LayerInfrastructure Layer = "infrastructure"
	LayerSecrets        Layer = "secrets"
	LayerApps           Layer = "apps"
)

// KustomizationName is the name of the layer's Flux Kustomization. It has a
// prefix of ours because a cluster that runs Flux already very often has a
// Kustomization that is called just like the layer.
func (l Layer) KustomizationName() string { return SyncName + "-" + string(l) }

// KubeconfigSecretName is the name of the stored kubeconfig of the cluster id.
func KubeconfigSecretName(id string) string { return "hostcluster-" + id + "-kubeconfig" }

// AdminPasswordSecretName is the name of the Secret with the first administrator's password.
func AdminPasswordSecretName(id string) string { return "hostcluster-" + id + "-admin-password" }

// SealingSecretName is the name of the Secret with the key and the generated
// values behind the sealed secrets of the cluster id.
func SealingSecretName(id string) string { return "hostcluster-" + id + "-sealing" }

// ProvisionedSecretName is the name of the connection Secret of the
// ProvisionedCluster of the cluster id.
func ProvisionedSecretName(id string) string { return "hostcluster-" + id + "-provisioned" }
