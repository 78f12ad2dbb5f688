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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Group and Version of this API.
const (
	Group   = "kubeopera.io"
	Version = "v1alpha1"
)

var (
	// SchemeGroupVersion is the group and version of every kind in this package.
	SchemeGroupVersion = schema.GroupVersion{Group: Group, Version: Version}

	// SchemeBuilder collects the functions that add this package's kinds to a scheme.
	SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

	// AddToScheme adds every kind of this package to a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)

// Kinds of this API.
const (
	HostClusterKind           = "HostCluster"
	ClusterAccessKind         = "ClusterAccess"
	ProvisionedClusterKind    = "ProvisionedCluster"
	FluxBootstrapKind         = "FluxBootstrap"
	GitOpsEnvironmentKind     = "GitOpsEnvironment"
	AdministratorKind         = "Administrator"
	ProviderConfigKind        = "ProviderConfig"
	ClusterProviderConfigKind = "ClusterProviderConfig"
	ProviderConfigUsageKind   = "ProviderConfigUsage"
)

func addKnownTypes(s *runtime.Scheme) error {
	s.AddKnownTypes(SchemeGroupVersion,
		&HostCluster{}, &HostClusterList{},
		&ClusterAccess{}, &ClusterAccessList{},
		&ProvisionedCluster{}, &ProvisionedClusterList{},
		&FluxBootstrap{}, &FluxBootstrapList{},
		&GitOpsEnvironment{}, &GitOpsEnvironmentList{},
		&Administrator{}, &AdministratorList{},
		&ProviderConfig{}, &ProviderConfigList{},
		&ClusterProviderConfig{}, &ClusterProviderConfigList{},
		&ProviderConfigUsage{}, &ProviderConfigUsageList{},
	)
	metav1.AddToGroupVersion(s, SchemeGroupVersion)

	return nil
}

// Kind returns the group, version and kind of a kind of this package.
func Kind(kind string) schema.GroupVersionKind {
	return SchemeGroupVersion.WithKind(kind)
}
