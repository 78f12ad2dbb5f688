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

package function

import (
	"maps"
	"slices"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/request"
	"github.com/crossplane/function-sdk-go/resource"
	"github.com/crossplane/function-sdk-go/resource/composed"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/plan"
)

// resourceNames are what the children are called in a composition, by kind:
// the annotation crossplane.io/composition-resource-name.
func resourceNames() map[string]resource.Name {
	return map[string]resource.Name{
		v1alpha1.ProvisionedClusterKind: "provisioned-cluster",
		v1alpha1.ClusterAccessKind:      "cluster-access",
		v1alpha1.FluxBootstrapKind:      "flux-bootstrap",
		v1alpha1.GitOpsEnvironmentKind:  "gitops-environment",
		v1alpha1.AdministratorKind:      "administrator",
	}
}

// observed children of a HostCluster, and the names of all kinds of children in
// the composition. A child is known by its kind and by the HostCluster's name,
// as the controller knows it; what it is called in the composition, it stays.
func observed(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, hc *v1alpha1.HostCluster) (plan.Children, map[string]resource.Name, error) {
	var seen plan.Children

	names := resourceNames()

	resources, err := request.GetObservedComposedResources(req)
	if err != nil {
		return seen, nil, errors.Wrap(err, "cannot read the observed resources")
	}

	found := map[string]resource.Name{}

	for _, name := range slices.Sorted(maps.Keys(resources)) {
		o := resources[name].Resource

		if why := stranger(hc, o, names); why != "" {
			response.Warning(rsp, errors.Errorf("observed resource %q is ignored: %s", name, why))

			continue
		}

		if other, ok := found[o.GetKind()]; ok {
			return seen, nil, errors.Errorf("observed resources %q and %q are both %s %s", other, name, o.GetKind(), o.GetName())
		}

		if seen, err = seen.Put(&o.Unstructured); err != nil {
			return seen, nil, errors.Wrapf(err, "observed resource %q", name)
		}

		found[o.GetKind()] = name
	}

	maps.Copy(names, found)

	return seen, names, nil
}

// stranger says why an observed resource is no child of a HostCluster; empty
// if it is one.
func stranger(hc *v1alpha1.HostCluster, o *composed.Unstructured, kinds map[string]resource.Name) string {
	_, known := kinds[o.GetKind()]

	switch {
	case o.GetAPIVersion() != v1alpha1.SchemeGroupVersion.String() || !known:
		return "a HostCluster has no child of kind " + o.GetKind() + " of " + o.GetAPIVersion()
	case o.GetName() != hc.GetName():
		return o.GetKind() + " " + o.GetName() + " does not have the name of its HostCluster, " + hc.GetName()
	case o.GetNamespace() != "" && o.GetNamespace() != hc.GetNamespace():
		return o.GetKind() + " " + o.GetName() + " is in namespace " + o.GetNamespace() + ", and its HostCluster is not"
	default:
		return ""
	}
}
