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
	"cmp"
	"context"
	"slices"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// Labels that every way of installing Flux puts on its controllers.
const (
	labelPartOf    = "app.kubernetes.io/part-of"
	labelComponent = "app.kubernetes.io/component"
	labelVersion   = "app.kubernetes.io/version"
	partOfFlux     = "flux"
)

// A Component is a controller of Flux that is there.
type Component struct {
	// Name, for instance source-controller.
	Name string

	// Namespace that it runs in.
	Namespace string

	// Version of the Flux release that it belongs to.
	Version string

	// Release is the Helm release that it is part of, as namespace/name.
	Release string

	// Args of its container.
	Args []string

	// Ready tells whether it runs.
	Ready bool

	// Message says why not.
	Message string
}

// ReadComponents lists the controllers of Flux in all namespaces.
func ReadComponents(ctx context.Context, c client.Client) ([]Component, error) {
	l := &appsv1.DeploymentList{}
	if err := c.List(ctx, l, client.MatchingLabels{labelPartOf: partOfFlux}); err != nil {
		return nil, target.Classify(err)
	}

	out := make([]Component, 0, len(l.Items))
	for i := range l.Items {
		out = append(out, component(&l.Items[i]))
	}
	slices.SortFunc(out, func(a, b Component) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}

func component(d *appsv1.Deployment) Component {
	out := Component{
		Name:      cmp.Or(d.Labels[labelComponent], d.Name),
		Namespace: d.Namespace,
		Version:   d.Labels[labelVersion],
	}
	if name := d.Annotations["meta.helm.sh/release-name"]; name != "" {
		out.Release = d.Annotations["meta.helm.sh/release-namespace"] + "/" + name
	}
	if cs := d.Spec.Template.Spec.Containers; len(cs) > 0 {
		out.Args = cs[0].Args
	}
	out.Ready, out.Message = current(d)
	return out
}

// current applies kstatus' rules.
func current(d *appsv1.Deployment) (bool, string) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(d)
	if err != nil {
		return false, err.Error()
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))

	res, err := status.Compute(u)
	if err != nil {
		return false, err.Error()
	}
	return res.Status == status.CurrentStatus, res.Message
}
