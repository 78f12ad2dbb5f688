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

// Package function is the composition function that runs the plan. For a
// composite resource that is a HostCluster it desires the children that the
// controller would create, and sets the status that it would set: that is what
// crank render shows offline. For one of any other kind it composes the
// HostCluster that its input describes.
package function

import (
	"context"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/request"
	"github.com/crossplane/function-sdk-go/resource/composite"
	"github.com/crossplane/function-sdk-go/response"
	"k8s.io/utils/clock"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/function/input/v1beta1"
)

// A Function runs the plan for composite resources.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log   logging.Logger
	clock clock.PassiveClock
}

// New returns a Function that tells the time by a clock, unless its input
// tells the time.
func New(log logging.Logger, c clock.PassiveClock) *Function { return &Function{log: log, clock: c} }

// RunFunction for one composite resource. Whatever is wrong with a request is
// a fatal result, after which Crossplane leaves everything as it is.
func (f *Function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp := response.To(req, response.DefaultTTL)
	log := f.log.WithValues("tag", req.GetMeta().GetTag())

	if err := f.run(req, rsp); err != nil {
		log.Info("Cannot run", "error", err)
		response.Fatal(rsp, err)

		return rsp, nil
	}

	log.Debug("Has run", "results", len(rsp.GetResults()))

	return rsp, nil
}

func (f *Function) run(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) error {
	in, err := inputOf(req)
	if err != nil {
		return err
	}

	xr, err := request.GetObservedCompositeResource(req)
	if err != nil {
		return errors.Wrap(err, "cannot read the composite resource")
	}

	isHostCluster := xr.Resource.GetAPIVersion() == v1alpha1.SchemeGroupVersion.String() && xr.Resource.GetKind() == v1alpha1.HostClusterKind

	switch {
	case xr.Resource.GetKind() == "":
		return errors.New("the request has no composite resource")
	case xr.Resource.GetName() == "":
		return errors.Errorf("the composite resource, a %s, has no metadata.name: everything is named after it", kindOf(xr.Resource))
	case isHostCluster && in.HostCluster != nil:
		return errors.New("the input's hostCluster is for composite resources of other kinds: leave it out for a HostCluster")
	case isHostCluster:
		return f.preview(req, rsp, in, xr.Resource)
	case in.HostCluster != nil:
		return compose(req, rsp, in.HostCluster, xr.Resource)
	default:
		return errors.Errorf("the composite resource is a %s: function-kubeopera takes a HostCluster of %s, or with hostCluster in its input one of any kind",
			kindOf(xr.Resource), v1alpha1.SchemeGroupVersion)
	}
}

// inputOf a request; without one, that is all defaults.
func inputOf(req *fnv1.RunFunctionRequest) (*v1beta1.Input, error) {
	in := &v1beta1.Input{}

	if req.GetInput() != nil {
		if err := request.GetInput(req, in); err != nil {
			return nil, errors.Wrap(err, "cannot read the input")
		}

		if in.APIVersion != v1beta1.APIVersion || in.Kind != v1beta1.Kind {
			return nil, errors.Errorf("the input must be a %s of %s, and is a %q of %q", v1beta1.Kind, v1beta1.APIVersion, in.Kind, in.APIVersion)
		}
	}

	switch in.Preview {
	case "":
		in.Preview = v1beta1.PreviewStep
	case v1beta1.PreviewStep, v1beta1.PreviewComplete:
	default:
		return nil, errors.Errorf("the input's preview must be %s or %s, and is %q", v1beta1.PreviewStep, v1beta1.PreviewComplete, in.Preview)
	}

	return in, nil
}

func kindOf(xr *composite.Unstructured) string { return xr.GetKind() + " of " + xr.GetAPIVersion() }
