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

package flux

import (
	"slices"

	"helm.sh/helm/v4/pkg/kube"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// requeueDependency is how often kustomize-controller looks whether what a
// layer depends on is ready, which it does not watch. Its default of 30 s would
// be most of the time that a small environment takes.
const requeueDependency = "--requeue-dependency=5s"

// cancelHealthChecks lets kustomize-controller give up waiting for the objects
// of a layer once there is a new revision: one that repairs what is broken, or
// another profile, would otherwise wait until the layer's timeout is over.
const cancelHealthChecks = "--feature-gates=CancelHealthCheckOnNewRevision=true"

// adjust an object of Flux to our needs.
func adjust(u *unstructured.Unstructured) error {
	switch {
	case u.GetKind() == "CustomResourceDefinition":
		keep(u)
	case u.GetKind() == "Deployment" && u.GetName() == string(v1alpha1.ComponentKustomize):
		if err := addArg(u, requeueDependency); err != nil {
			return err
		}
		return addArg(u, cancelHealthChecks)
	}
	return nil
}

// keep an object when its release is uninstalled.
func keep(u *unstructured.Unstructured) {
	a := u.GetAnnotations()
	if a == nil {
		a = map[string]string{}
	}
	a[kube.ResourcePolicyAnno] = kube.KeepPolicy
	u.SetAnnotations(a)
}

// addArg adds an argument to the first container of a Deployment.
func addArg(u *unstructured.Unstructured, arg string) error {
	containers, found, err := unstructured.NestedSlice(u.Object, "spec", "template", "spec", "containers")
	if err != nil || !found || len(containers) == 0 {
		return errors.New("it has no containers")
	}
	first, ok := containers[0].(map[string]any)
	if !ok {
		return errors.New("its container is not an object")
	}
	args, _, err := unstructured.NestedStringSlice(first, "args")
	if err != nil {
		return errors.Wrap(err, "cannot read its arguments")
	}
	if !slices.Contains(args, arg) {
		args = append(args, arg)
	}
	if err := unstructured.SetNestedStringSlice(first, args, "args"); err != nil {
		return errors.Wrap(err, "cannot set its arguments")
	}
	return errors.Wrap(unstructured.SetNestedSlice(u.Object, containers, "spec", "template", "spec", "containers"), "cannot set its containers")
}
