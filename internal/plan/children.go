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

package plan

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// Children of a HostCluster; nil for one that is not there, or not wanted yet.
// Every one has the HostCluster's name.
type Children struct {
	ProvisionedCluster *v1alpha1.ProvisionedCluster
	ClusterAccess      *v1alpha1.ClusterAccess
	FluxBootstrap      *v1alpha1.FluxBootstrap
	GitOpsEnvironment  *v1alpha1.GitOpsEnvironment
	Administrator      *v1alpha1.Administrator
}

// An Object is a child of any kind.
type Object interface {
	metav1.Object
	runtime.Object
}

// A Child is one child.
type Child struct {
	Object

	// Kind of the child.
	Kind string

	// Controlled tells whether the child carries a controller reference to its
	// HostCluster. A ProvisionedCluster does not: no cascade may ever destroy
	// a cluster that was to be disconnected.
	Controlled bool
}

// List the children that are there, in the order in which they are made.
func (c Children) List() []Child {
	l := make([]Child, 0, kinds)

	if o := c.ProvisionedCluster; o != nil {
		l = append(l, Child{Object: o, Kind: v1alpha1.ProvisionedClusterKind})
	}

	if o := c.ClusterAccess; o != nil {
		l = append(l, Child{Object: o, Kind: v1alpha1.ClusterAccessKind, Controlled: true})
	}

	if o := c.FluxBootstrap; o != nil {
		l = append(l, Child{Object: o, Kind: v1alpha1.FluxBootstrapKind, Controlled: true})
	}

	if o := c.GitOpsEnvironment; o != nil {
		l = append(l, Child{Object: o, Kind: v1alpha1.GitOpsEnvironmentKind, Controlled: true})
	}

	if o := c.Administrator; o != nil {
		l = append(l, Child{Object: o, Kind: v1alpha1.AdministratorKind, Controlled: true})
	}

	return l
}

// kinds is the number of kinds of children.
const kinds = 5

// desired children: those that are there, and those whose time has come.
func (p *planner) desired() Children {
	return Children{
		ProvisionedCluster: p.provisionedCluster(),
		ClusterAccess:      p.clusterAccess(),
		FluxBootstrap:      p.fluxBootstrap(),
		GitOpsEnvironment:  p.gitOpsEnvironment(),
		Administrator:      p.administrator(),
	}
}

func (p *planner) typeMeta(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: kind}
}

func (p *planner) objectMeta() metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:      p.hc.GetName(),
		Namespace: p.hc.GetNamespace(),
		Labels:    map[string]string{v1alpha1.LabelHostCluster: p.hc.GetName()},
	}
}

// kubeconfig is where ClusterAccess keeps the way into the cluster.
func (p *planner) kubeconfig() v1alpha1.SecretReference {
	return v1alpha1.SecretReference{Name: v1alpha1.KubeconfigSecretName(p.hc.GetName())}
}

// reference to a Secret that a spec may name.
func reference(name *string) *v1alpha1.SecretReference {
	if name == nil {
		return nil
	}

	return &v1alpha1.SecretReference{Name: *name}
}
