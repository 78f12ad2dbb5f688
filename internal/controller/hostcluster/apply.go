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

package hostcluster

import (
	"context"
	"maps"
	"slices"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/plan"
)

// fieldManager of what we apply to children.
const fieldManager = client.FieldOwner("kubeopera.io/hostcluster")

// apply the desired children. It returns all children as they are now, and why
// some are not as they should be. An error with one of them does not keep the
// others from being applied.
func (r *Reconciler) apply(ctx context.Context, hc *v1alpha1.HostCluster, seen, want plan.Children) (plan.Children, map[string]error) {
	now := seen
	failed := map[string]error{}

	for _, c := range want.List() {
		u, err := r.applyChild(ctx, hc, find(seen, c.Kind), c)
		if err == nil && u != nil {
			now, err = now.Put(u)
		}

		if err != nil {
			failed[c.Kind] = errors.Wrapf(err, "cannot apply %s", c.Kind)
		}
	}

	return now, failed
}

// join errors by kind into one, in the order of the kinds' names.
func join(failed map[string]error) error {
	errs := make([]error, 0, len(failed))
	for _, kind := range slices.Sorted(maps.Keys(failed)) {
		errs = append(errs, failed[kind])
	}

	if len(errs) == 0 {
		return nil
	}

	return errors.Join(errs...)
}

// applyChild applies one child, unless it is already as it should be. It
// returns what came of it; nil if there was nothing to do.
func (r *Reconciler) applyChild(ctx context.Context, hc *v1alpha1.HostCluster, seen client.Object, want plan.Child) (*unstructured.Unstructured, error) {
	u, err := manifest(hc, want)
	if err != nil {
		return nil, err
	}

	digest, err := digestOf(u)
	if err != nil {
		return nil, err
	}

	key := keyOf(want)

	if seen != nil {
		if r.applied.holds(key, seen, digest) && carries(seen, u) {
			return nil, nil //nolint:nilnil // Nothing to do is no error.
		}

		// What was decided from an older state must not be written, and what was
		// deleted since must not be made again: a version alone does not keep
		// an apply from that.
		u.SetResourceVersion(seen.GetResourceVersion())
		u.SetUID(seen.GetUID())
	} else if err := r.missing(ctx, u); err != nil {
		return nil, err
	}

	if err := r.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), fieldManager, client.ForceOwnership); err != nil {
		return nil, err
	}

	r.applied.note(key, u, digest)

	return u, nil
}

// missing makes sure that a child that the cache does not have is not there.
func (r *Reconciler) missing(ctx context.Context, u *unstructured.Unstructured) error {
	there := &metav1.PartialObjectMetadata{}
	there.SetGroupVersionKind(u.GroupVersionKind())

	err := r.live.Get(ctx, client.ObjectKeyFromObject(u), there)
	if kerrors.IsNotFound(err) {
		return nil
	}

	if err != nil {
		return errors.Wrap(err, "cannot look for it")
	}

	return errStale
}

// manifest of a child as it is applied, with its owner.
func manifest(hc *v1alpha1.HostCluster, c plan.Child) (*unstructured.Unstructured, error) {
	u, err := c.Manifest()
	if err != nil {
		return nil, err
	}

	if c.Controlled {
		u.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(hc, v1alpha1.Kind(v1alpha1.HostClusterKind))})
	}

	return u, nil
}

// carries tells whether an object has the labels and the owner of a manifest.
// Unlike its spec they may change without its generation.
func carries(seen client.Object, u *unstructured.Unstructured) bool {
	labels := seen.GetLabels()

	for k, v := range u.GetLabels() {
		if labels[k] != v {
			return false
		}
	}

	for _, want := range u.GetOwnerReferences() {
		if owner := metav1.GetControllerOf(seen); owner == nil || owner.UID != want.UID {
			return false
		}
	}

	return true
}

// find the child of a kind; nil if it is not there.
func find(cs plan.Children, kind string) client.Object {
	for _, c := range cs.List() {
		if c.Kind == kind {
			return c.Object
		}
	}

	return nil
}
