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
	"context"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// Get an object. It reports whether it is there.
func Get(ctx context.Context, c client.Client, o client.Object) (bool, error) {
	err := c.Get(ctx, client.ObjectKeyFromObject(o), o)
	if missingKind(err) {
		return false, nil
	}
	return err == nil, target.Classify(err)
}

// missingKind tells whether the error of a list means that the CRD is not there,
// by what the client knows or by what the server says.
func missingKind(err error) bool { return meta.IsNoMatchError(err) || apierrors.IsNotFound(err) }

// Apply an object on the server's side.
func Apply(ctx context.Context, c client.Client, o client.Object) error {
	u, err := toUnstructured(c, o)
	if err != nil {
		return err
	}
	err = c.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(FieldManager), client.ForceOwnership)
	return errors.Wrapf(target.Classify(err), "cannot apply %s %s", u.GetKind(), u.GetName())
}

// Ours tells whether an object was made for the cluster id. One that was not
// is never changed.
func Ours(o client.Object, id string) bool {
	l := o.GetLabels()
	return l[v1alpha1.LabelAppManagedBy] == v1alpha1.AppManagedBy && l[v1alpha1.LabelHostCluster] == id
}

// checkOurs returns a Conflict if an object belongs to somebody else.
func checkOurs(o client.Object, kind, id string) error {
	if Ours(o, id) {
		return nil
	}
	if other := o.GetLabels()[v1alpha1.LabelHostCluster]; other != "" {
		return fault.Newf(fault.Conflict, "%s %s/%s belongs to the host cluster %s: disconnect that one first, or delete this object if it is gone", kind, o.GetNamespace(), o.GetName(), other)
	}
	return fault.Newf(fault.Conflict, "%s %s/%s is there already and not ours: rename or delete it", kind, o.GetNamespace(), o.GetName())
}

// covers tells whether have says all that want says. What want leaves out may
// be anything: defaults, and what other people manage.
func covers(have, want any) bool {
	w, ok := want.(map[string]any)
	if !ok {
		return reflect.DeepEqual(have, want)
	}
	h, ok := have.(map[string]any)
	if !ok {
		return false
	}
	for k, v := range w {
		if !covers(h[k], v) {
			return false
		}
	}
	return true
}

// toUnstructured leaves out what is not ours to say.
func toUnstructured(c client.Client, o client.Object) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, errors.Wrap(err, "cannot convert an object")
	}
	u := &unstructured.Unstructured{Object: content}
	gvk, err := c.GroupVersionKindFor(o)
	if err != nil {
		return nil, errors.Wrap(err, "cannot tell the kind of an object")
	}
	u.SetGroupVersionKind(gvk)
	unstructured.RemoveNestedField(u.Object, "status")
	unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
	return u, nil
}
