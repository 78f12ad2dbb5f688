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
	"encoding/json"
	"slices"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// finalizer of all of Flux's controllers.
const finalizer = "finalizers.fluxcd.io"

// Stuck is what holds a namespace of Flux that is being deleted. Its
// controllers went first, and nobody is left to take off their finalizers.
type Stuck struct {
	// Ours are the objects that we, or our tree, have brought.
	Ours []*unstructured.Unstructured

	// Others are the objects of Flux that somebody else has brought.
	Others []*unstructured.Unstructured

	// Says is what the namespace itself says about what is left; empty if it
	// says nothing.
	Says string
}

// ReadStuck lists what holds a namespace.
func ReadStuck(ctx context.Context, c client.Client, ns *corev1.Namespace, id string) (Stuck, error) {
	out := Stuck{Says: remaining(ns)}
	b, err := ReadBrought(ctx, c, ns.GetName(), id)
	if err != nil {
		return out, err
	}
	ours := b.names()

	kinds := []schema.GroupVersionKind{kustomizev1.GroupVersion.WithKind(kustomizev1.KustomizationKind), helmRelease}
	for _, k := range sourceKinds {
		kinds = append(kinds, sourcev1.GroupVersion.WithKind(k))
	}
	for _, kind := range kinds {
		l := &unstructured.UnstructuredList{}
		l.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		if err := list(ctx, c, l, client.InNamespace(ns.GetName())); err != nil {
			return out, err
		}
		for i := range l.Items {
			switch u := &l.Items[i]; {
			case u.GetDeletionTimestamp() == nil || len(u.GetFinalizers()) == 0:
			case slices.Contains(ours, nameOf(u)) && slices.Contains(u.GetFinalizers(), finalizer):
				out.Ours = append(out.Ours, u)
			default:
				out.Others = append(out.Others, u)
			}
		}
	}
	return out, nil
}

// LetGo takes Flux's finalizer off an object that is being deleted, and leaves
// those of others. Nothing that the object has brought is touched.
func LetGo(ctx context.Context, c client.Client, u *unstructured.Unstructured) error {
	rest := slices.DeleteFunc(slices.Clone(u.GetFinalizers()), func(f string) bool { return f == finalizer })
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"finalizers": rest, "resourceVersion": u.GetResourceVersion()}})
	if err != nil {
		return errors.Wrap(err, "cannot marshal finalizers")
	}
	err = c.Patch(ctx, u.DeepCopy(), client.RawPatch(types.MergePatchType, patch), client.FieldOwner(FieldManager))
	return errors.Wrapf(target.Classify(client.IgnoreNotFound(err)), "cannot let go of %s %s", u.GetKind(), u.GetName())
}

// names of everything that a tree has brought, with the charts of its releases.
func (b Brought) names() []string {
	var out []string
	for _, us := range [][]unstructured.Unstructured{b.Kustomizations, b.HelmReleases, b.Sources} {
		for i := range us {
			out = append(out, nameOf(&us[i]))
			if chart := chartOf(&us[i]); chart != nil {
				out = append(out, nameOf(chart))
			}
		}
	}
	for _, u := range []*unstructured.Unstructured{b.Root, b.Source} {
		if u != nil {
			out = append(out, nameOf(u))
		}
	}
	return out
}

func nameOf(u *unstructured.Unstructured) string {
	return u.GetKind() + " " + u.GetNamespace() + "/" + u.GetName()
}

// remaining is what a namespace says about what keeps it.
func remaining(ns *corev1.Namespace) string {
	for _, t := range []corev1.NamespaceConditionType{
		corev1.NamespaceFinalizersRemaining, corev1.NamespaceContentRemaining, corev1.NamespaceDeletionContentFailure, corev1.NamespaceDeletionDiscoveryFailure,
	} {
		for _, cond := range ns.Status.Conditions {
			if cond.Type == t && cond.Status == corev1.ConditionTrue {
				return clip(cond.Message)
			}
		}
	}
	return ""
}
