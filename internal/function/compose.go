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
	"encoding/json"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/request"
	"github.com/crossplane/function-sdk-go/resource"
	"github.com/crossplane/function-sdk-go/resource/composed"
	"github.com/crossplane/function-sdk-go/resource/composite"
	"github.com/crossplane/function-sdk-go/response"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/function/input/v1beta1"
	"github.com/kubeopera/provider-kubeopera/internal/plan"
)

const (
	// hostCluster is what a composed HostCluster is called in the composition.
	hostCluster resource.Name = "host-cluster"

	// typeHostClusterReady is the condition of the composite resource that
	// says how its HostCluster is.
	typeHostClusterReady xpv2.ConditionType = "HostClusterReady"
)

// compose the HostCluster that a template makes of a composite resource. One
// that the API server would refuse is refused here, with the reason.
func compose(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, t *v1beta1.HostClusterTemplate, xr *composite.Unstructured) error {
	u, err := fill(t, xr)
	if err != nil {
		return err
	}

	hc := &v1alpha1.HostCluster{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(u.Object, hc, true); err != nil {
		return errors.Wrap(err, "the template does not make a HostCluster")
	}

	if _, err := plan.Plan(plan.Input{HostCluster: hc}); err != nil {
		return errors.Wrap(err, "the template does not make a HostCluster that works")
	}

	seen, err := composedHostCluster(req)
	if err != nil {
		return err
	}

	d := &resource.DesiredComposed{Resource: &composed.Unstructured{Unstructured: *u}, Ready: resource.ReadyFalse}
	if c := seen.GetCondition(xpv2.TypeReady); c.Status == corev1.ConditionTrue && c.ObservedGeneration >= seen.GetGeneration() {
		d.Ready = resource.ReadyTrue
	}

	if err := response.SetDesiredComposedResources(rsp, map[resource.Name]*resource.DesiredComposed{hostCluster: d}); err != nil {
		return errors.Wrap(err, "cannot desire the HostCluster")
	}

	return tellComposite(req, rsp, t.StatusPatches, seen, d.Ready)
}

// fill a template.
func fill(t *v1beta1.HostClusterTemplate, xr *composite.Unstructured) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{Object: map[string]any{}}

	if t.Base != nil {
		if err := json.Unmarshal(t.Base.Raw, &u.Object); err != nil || u.Object == nil {
			return nil, errors.New("cannot read hostCluster.base of the input: it must be an object")
		}
	}

	u.SetAPIVersion(v1alpha1.SchemeGroupVersion.String())
	u.SetKind(v1alpha1.HostClusterKind)

	if u.GetName() == "" {
		u.SetName(xr.GetName())
	}

	if u.GetNamespace() == "" {
		u.SetNamespace(xr.GetNamespace())
	}

	return u, errors.Wrap(patch(t.Patches, "hostCluster.patches", xr.Object, u.Object), "cannot fill the template")
}

// composedHostCluster is the HostCluster as it is; empty if it is not there yet.
func composedHostCluster(req *fnv1.RunFunctionRequest) (*v1alpha1.HostCluster, error) {
	hc := &v1alpha1.HostCluster{}

	resources, err := request.GetObservedComposedResources(req)
	if err != nil {
		return hc, errors.Wrap(err, "cannot read the observed resources")
	}

	o, ok := resources[hostCluster]
	if !ok {
		return hc, nil
	}

	err = runtime.DefaultUnstructuredConverter.FromUnstructured(o.Resource.Object, hc)

	return hc, errors.Wrapf(err, "cannot read observed resource %q", hostCluster)
}

// tellComposite how its HostCluster is.
func tellComposite(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, patches []v1beta1.Patch, hc *v1alpha1.HostCluster, ready resource.Ready) error {
	from, err := runtime.DefaultUnstructuredConverter.ToUnstructured(hc)
	if err != nil {
		return errors.Wrap(err, "cannot convert the HostCluster")
	}

	to := map[string]any{}
	if err := patch(patches, "hostCluster.statusPatches", from, to); err != nil {
		return errors.Wrap(err, "cannot set the status")
	}

	status, _ := to["status"].(map[string]any)
	delete(to, "status")
	delete(status, "conditions")

	if len(to) > 0 {
		return errors.New("cannot set the status: hostCluster.statusPatches may write to status only, and not to its conditions")
	}

	if err := desireStatus(req, rsp, status, resource.ReadyUnspecified); err != nil {
		return err
	}

	c := hc.GetCondition(xpv2.TypeReady)
	c.Type = typeHostClusterReady

	switch {
	case hc.GetName() == "":
		c.Status, c.Reason, c.Message = corev1.ConditionFalse, xpv2.ReasonCreating, "The HostCluster is being created"
	case c.Reason == "", c.Status == corev1.ConditionTrue && ready != resource.ReadyTrue:
		c.Status, c.Reason, c.Message = corev1.ConditionFalse, xpv2.ReasonCreating, "The HostCluster does not know its present spec yet"
	case c.Message == "":
		c.Message = hc.Status.Message
	}

	setCondition(rsp, c)

	return nil
}
