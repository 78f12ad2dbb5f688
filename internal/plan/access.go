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
	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// accessVerdict tells whether the way into the cluster is there.
func (p *planner) accessVerdict() verdict {
	if p.seen.ClusterAccess == nil {
		return p.absent(v1alpha1.ClusterAccessKind)
	}

	v := p.ready(v1alpha1.ClusterAccessKind, p.seen.ClusterAccess).or(p.validating())
	if in := p.seen.ClusterAccess.Spec.ForProvider.InCluster; v.done && p.managed() && in != nil && !in.StoreKubeconfig {
		// It was registered only, and is now given a Git repository.
		return progress("The kubeconfig of the cluster is being stored")
	}

	return v
}

// validating says what ClusterAccess does while it says nothing itself.
func (p *planner) validating() string {
	switch {
	case p.hc.Spec.Mode == v1alpha1.ModeInCluster:
		return "Looking at the cluster that the provider runs on"
	case p.hc.Spec.Mode.Provisions():
		return "Connecting to the new cluster"
	default:
		return "Connecting with the kubeconfig of Secret " + deref(p.hc.Spec.ConnectKubeconfigSecretRef)
	}
}

// clusterAccess comes first, or once there is a cluster to come into.
func (p *planner) clusterAccess() *v1alpha1.ClusterAccess {
	seen := p.seen.ClusterAccess
	if p.foreign[v1alpha1.ClusterAccessKind].message != "" {
		return nil
	}

	if seen == nil && (p.deleting() || p.hc.Spec.Mode.Provisions() && !p.isDone(v1alpha1.TypeInfrastructureReady)) {
		return nil
	}

	ca := &v1alpha1.ClusterAccess{
		TypeMeta:   p.typeMeta(v1alpha1.ClusterAccessKind),
		ObjectMeta: p.objectMeta(),
		Spec:       v1alpha1.ClusterAccessSpec{ForProvider: p.accessParameters(seen)},
	}

	if want := p.hc.Spec.Provisioning; p.hc.Spec.Mode.Provisions() && want != nil {
		// Tokens for the new cluster are made with what it was made with.
		ca.Spec.ProviderConfigReference = providerConfig(want)
	}

	return ca
}

func (p *planner) accessParameters(seen *v1alpha1.ClusterAccess) v1alpha1.ClusterAccessParameters {
	a := v1alpha1.ClusterAccessParameters{}

	switch {
	case p.hc.Spec.Mode == v1alpha1.ModeInCluster:
		a.InCluster = &v1alpha1.InClusterSource{StoreKubeconfig: p.managed()}
	case p.hc.Spec.Mode.Provisions():
		a.ProvisionedClusterRef = &v1alpha1.ObjectReference{Name: p.hc.GetName()}
	default:
		a.KubeconfigSecretRef = reference(p.hc.Spec.ConnectKubeconfigSecretRef)
	}

	if seen == nil {
		// One that is made again must lead to the cluster that we know.
		a.ExpectedClusterUID = optional(p.hc.Status.ClusterUID)

		return a
	}

	a.ExpectedClusterUID = copied(seen.Spec.ForProvider.ExpectedClusterUID)

	if s := seen.Spec.ForProvider.InCluster; a.InCluster != nil && s != nil && s.StoreKubeconfig {
		a.InCluster.StoreKubeconfig = true
	}

	return a
}

func deref(s *string) string {
	if s == nil {
		return ""
	}

	return *s
}

func optional(s string) *string {
	if s == "" {
		return nil
	}

	return &s
}

func copied(s *string) *string {
	if s == nil {
		return nil
	}

	c := *s

	return &c
}
