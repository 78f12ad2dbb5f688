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
	"fmt"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	"github.com/crossplane/function-sdk-go/resource/composed"
	"github.com/crossplane/function-sdk-go/resource/composite"
	"github.com/crossplane/function-sdk-go/response"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/function/input/v1beta1"
	"github.com/kubeopera/provider-kubeopera/internal/plan"
)

// preview a HostCluster as its controller would go about it.
func (f *Function) preview(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, in *v1beta1.Input, xr *composite.Unstructured) error {
	hc := &v1alpha1.HostCluster{}
	if err := read(rsp, xr.Object, hc); err != nil {
		return errors.Wrap(err, "cannot read the HostCluster")
	}

	seen, names, err := observed(req, rsp, hc)
	if err != nil {
		return err
	}

	pin := plan.Input{HostCluster: hc, Observed: seen, Now: f.clock.Now()}
	if in.Now != nil {
		pin.Now = in.Now.Time
	}

	previewer := plan.Step
	if in.Preview == v1beta1.PreviewComplete {
		previewer = plan.Complete
	}

	p, err := previewer(pin)
	if err != nil {
		return err
	}

	if err := desire(rsp, p, names); err != nil {
		return err
	}

	tell(rsp, seen, p)
	tellUnknown(rsp, p)

	return setStatus(req, rsp, p.Status)
}

// read an object strictly: a field that it does not have is a warning.
func read(rsp *fnv1.RunFunctionResponse, content map[string]any, o any) error {
	err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(content, o, true)

	strict, ok := runtime.AsStrictDecodingError(err)
	if !ok {
		return err
	}

	for _, e := range strict.Errors() {
		response.Warning(rsp, errors.Wrap(e, "ignored, and refused by the API server if it is asked to validate strictly"))
	}

	return nil
}

// desire the children under the names that they have in the composition.
func desire(rsp *fnv1.RunFunctionResponse, p plan.Preview, names map[string]resource.Name) error {
	want := map[resource.Name]*resource.DesiredComposed{}
	ready := map[string]bool{}

	for _, c := range p.Children.List() {
		ready[c.Kind] = c.Ready()
	}

	for _, c := range p.Desired.List() {
		u, err := c.Manifest()
		if err != nil {
			return err
		}

		d := &resource.DesiredComposed{Resource: &composed.Unstructured{Unstructured: *u}, Ready: resource.ReadyFalse}
		if ready[c.Kind] {
			d.Ready = resource.ReadyTrue
		}

		want[names[c.Kind]] = d
	}

	return errors.Wrap(response.SetDesiredComposedResources(rsp, want), "cannot desire the HostCluster's children")
}

// tell what is new, and what is wrong.
func tell(rsp *fnv1.RunFunctionResponse, seen plan.Children, p plan.Preview) {
	there := map[string]bool{}
	for _, c := range seen.List() {
		there[c.Kind] = true
	}

	var created []string

	for _, c := range p.Desired.List() {
		if !there[c.Kind] {
			created = append(created, fmt.Sprintf("%s %s", c.Kind, c.GetName()))
		}
	}

	if len(created) > 0 {
		response.Normal(rsp, "Creates "+strings.Join(created, ", "))
	}

	if p.Status.Phase == v1alpha1.PhaseFailed {
		response.Warning(rsp, errors.New(p.Status.Message))
	}
}

// tellUnknown says what of the children a preview cannot know.
func tellUnknown(rsp *fnv1.RunFunctionResponse, p plan.Preview) {
	var unknown []string

	if fb := p.Desired.FluxBootstrap; fb != nil && fb.Spec.ForProvider.Sync != nil && fb.Spec.ForProvider.Sync.TreeHash == plan.KnownLater {
		unknown = append(unknown, "FluxBootstrap sync.treeHash")
	}

	if ge := p.Desired.GitOpsEnvironment; ge != nil && ge.Spec.ForProvider.Provider == "" {
		unknown = append(unknown, "GitOpsEnvironment provider")
	}

	if ge := p.Desired.GitOpsEnvironment; ge != nil && ge.Spec.ForProvider.Region == "" {
		unknown = append(unknown, "GitOpsEnvironment region")
	}

	if len(unknown) > 0 {
		response.Normal(rsp, "Known only once it is so: "+strings.Join(unknown, ", "))
	}
}
