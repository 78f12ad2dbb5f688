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
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// own divides the observed children into those that are the HostCluster's own
// and those that are in its way. One without a controller is adopted.
func own(hc *v1alpha1.HostCluster, seen Children) (Children, map[string]verdict) {
	var foreign map[string]verdict

	for _, c := range seen.List() {
		v, ok := inTheWay(hc, c)
		if !ok {
			continue
		}

		if foreign == nil {
			foreign = map[string]verdict{}
		}

		foreign[c.Kind] = v
		seen = seen.without(c.Kind)
	}

	return seen, foreign
}

// inTheWay tells whether a child is somebody else's, and what that means.
func inTheWay(hc *v1alpha1.HostCluster, c Child) (verdict, bool) {
	owner := metav1.GetControllerOf(c)

	switch {
	case owner == nil && c.Controlled, owner != nil && owner.UID == hc.GetUID():
		return verdict{}, false
	case owner == nil && c.GetLabels()[v1alpha1.LabelHostCluster] == hc.GetName():
		// A ProvisionedCluster that an earlier HostCluster left is taken up again.
		return verdict{}, false
	case owner == nil:
		return conflict(fmt.Sprintf("%s %s exists and is not ours: delete it, or label it %s=%s to hand it over",
			c.Kind, c.GetName(), v1alpha1.LabelHostCluster, hc.GetName())), true
	case owner.Kind == v1alpha1.HostClusterKind && owner.Name == hc.GetName():
		// The garbage collector is about to delete it.
		return waiting(fmt.Sprintf("%s %s of an earlier HostCluster is still being deleted", c.Kind, c.GetName())), true
	default:
		return conflict(fmt.Sprintf("%s %s belongs to %s %s: delete it, or give this HostCluster another name",
			c.Kind, c.GetName(), owner.Kind, owner.Name)), true
	}
}

// without the child of a kind.
func (c Children) without(kind string) Children {
	switch kind {
	case v1alpha1.ProvisionedClusterKind:
		c.ProvisionedCluster = nil
	case v1alpha1.ClusterAccessKind:
		c.ClusterAccess = nil
	case v1alpha1.FluxBootstrapKind:
		c.FluxBootstrap = nil
	case v1alpha1.GitOpsEnvironmentKind:
		c.GitOpsEnvironment = nil
	case v1alpha1.AdministratorKind:
		c.Administrator = nil
	}

	return c
}
