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
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// object is a pointer to a child of type T.
type object[T any] interface {
	*T
	Object
	DeepCopy() *T
}

// with the desired children applied, as the API server would do it.
func (c Children) with(want Children) Children {
	c.ProvisionedCluster = merge(c.ProvisionedCluster, want.ProvisionedCluster, func(o *v1alpha1.ProvisionedCluster) *v1alpha1.ProvisionedClusterSpec { return &o.Spec })
	c.ClusterAccess = merge(c.ClusterAccess, want.ClusterAccess, func(o *v1alpha1.ClusterAccess) *v1alpha1.ClusterAccessSpec { return &o.Spec })
	c.FluxBootstrap = merge(c.FluxBootstrap, want.FluxBootstrap, func(o *v1alpha1.FluxBootstrap) *v1alpha1.FluxBootstrapSpec { return &o.Spec })
	c.GitOpsEnvironment = merge(c.GitOpsEnvironment, want.GitOpsEnvironment, func(o *v1alpha1.GitOpsEnvironment) *v1alpha1.GitOpsEnvironmentSpec { return &o.Spec })
	c.Administrator = merge(c.Administrator, want.Administrator, func(o *v1alpha1.Administrator) *v1alpha1.AdministratorSpec { return &o.Spec })

	return c
}

// merge what is wanted of a child into it, whose generation rises if that
// changes its spec. Fields that the API server added are no change.
func merge[T, S any, P object[T]](seen, want P, spec func(P) *S) P {
	switch {
	case want == nil:
		return seen
	case seen == nil:
		made := P(want.DeepCopy())
		made.SetGeneration(1)

		return made
	case equality.Semantic.DeepDerivative(spec(want), spec(seen)):
		return seen
	}

	now := P(seen.DeepCopy())
	now.SetGeneration(seen.GetGeneration() + 1)
	*spec(now) = *spec(P(want.DeepCopy()))

	return now
}
