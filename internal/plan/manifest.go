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
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// Manifest of a child as it is applied: metadata and spec, and nothing else.
func (c Child) Manifest() (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(c.Object)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot convert %s", c.Kind)
	}

	unstructured.RemoveNestedField(content, "status")
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")

	return &unstructured.Unstructured{Object: content}, nil
}

// Ready tells whether a child is Ready for its present spec.
func (c Child) Ready() bool {
	o, ok := c.Object.(conditioned)

	return ok && ready(c.Kind, o).done
}

// Put an object among the children, in the place of one of the same kind.
func (c Children) Put(u *unstructured.Unstructured) (Children, error) {
	var o any

	switch u.GetKind() {
	case v1alpha1.ProvisionedClusterKind:
		c.ProvisionedCluster = &v1alpha1.ProvisionedCluster{}
		o = c.ProvisionedCluster
	case v1alpha1.ClusterAccessKind:
		c.ClusterAccess = &v1alpha1.ClusterAccess{}
		o = c.ClusterAccess
	case v1alpha1.FluxBootstrapKind:
		c.FluxBootstrap = &v1alpha1.FluxBootstrap{}
		o = c.FluxBootstrap
	case v1alpha1.GitOpsEnvironmentKind:
		c.GitOpsEnvironment = &v1alpha1.GitOpsEnvironment{}
		o = c.GitOpsEnvironment
	case v1alpha1.AdministratorKind:
		c.Administrator = &v1alpha1.Administrator{}
		o = c.Administrator
	default:
		return c, errors.Errorf("%s is no kind of child", u.GetKind())
	}

	err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, o)

	return c, errors.Wrapf(err, "cannot read %s", u.GetKind())
}
