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

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/request"
	"github.com/crossplane/function-sdk-go/resource"
	"github.com/crossplane/function-sdk-go/response"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/plan"
)

// setStatus of a HostCluster. Conditions go another way than all else, and
// Ready and Synced are Crossplane's to set.
func setStatus(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, s v1alpha1.HostClusterStatus) error {
	status, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&s)
	if err != nil {
		return errors.Wrap(err, "cannot convert the HostCluster's status")
	}

	delete(status, "conditions")

	ready := resource.ReadyFalse
	if s.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue {
		ready = resource.ReadyTrue
	}

	if err := desireStatus(req, rsp, status, ready); err != nil {
		return err
	}

	for _, c := range s.Conditions {
		if plan.Ours(c.Type) && !xpv2.IsSystemConditionType(c.Type) {
			setCondition(rsp, c)
		}
	}

	return nil
}

// desireStatus of the composite resource, beside what earlier functions desire.
func desireStatus(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, status map[string]any, ready resource.Ready) error {
	seen, err := request.GetObservedCompositeResource(req)
	if err != nil {
		return errors.Wrap(err, "cannot read the composite resource")
	}

	xr, err := request.GetDesiredCompositeResource(req)
	if err != nil {
		return errors.Wrap(err, "cannot read the desired composite resource")
	}

	xr.Resource.SetAPIVersion(seen.Resource.GetAPIVersion())
	xr.Resource.SetKind(seen.Resource.GetKind())
	xr.Ready = ready

	if old, ok := xr.Resource.Object["status"].(map[string]any); ok {
		maps.Copy(old, status)
		status = old
	}

	xr.Resource.Object["status"] = status

	return errors.Wrap(response.SetDesiredCompositeResource(rsp, xr), "cannot set the status")
}

// setCondition of the composite resource.
func setCondition(rsp *fnv1.RunFunctionResponse, c xpv2.Condition) {
	set := response.ConditionUnknown

	switch c.Status {
	case corev1.ConditionTrue:
		set = response.ConditionTrue
	case corev1.ConditionFalse:
		set = response.ConditionFalse
	case corev1.ConditionUnknown:
	}

	set(rsp, string(c.Type), string(c.Reason)).WithMessage(c.Message).TargetComposite()
}
