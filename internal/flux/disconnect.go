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
	"slices"
	"strings"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// finalizerGrace is how long Flux's controllers have to let go of an object that
// is being deleted. After that they do not run, and we let go for them: all that
// a finalizer of a suspended object does is nothing.
const finalizerGrace = 20 * time.Second

// Labels that kustomize-controller and helm-controller put on what they apply.
const (
	labelKustomization          = "kustomize.toolkit.fluxcd.io/name"
	labelKustomizationNamespace = "kustomize.toolkit.fluxcd.io/namespace"
)

// helmRelease is the kind of Flux's Helm releases, whose type needs a module of its own.
var helmRelease = schema.GroupVersionKind{Group: "helm.toolkit.fluxcd.io", Version: "v2", Kind: "HelmRelease"} //nolint:gochecknoglobals // A constant.

// sourceKinds are the kinds of sources that a tree may bring.
var sourceKinds = []string{"GitRepository", "HelmRepository", "OCIRepository", "Bucket", "HelmChart", "ExternalArtifact"} //nolint:gochecknoglobals // A constant.

// Brought are the Flux objects that a tree has brought to a cluster, and that
// would go on working, or wait for a source that is gone, without the tree.
type Brought struct {
	// Root of the tree.
	Root *unstructured.Unstructured

	// Kustomizations: the layers, and what is in them.
	Kustomizations []unstructured.Unstructured

	// HelmReleases in the layers.
	HelmReleases []unstructured.Unstructured

	// Sources in the layers.
	Sources []unstructured.Unstructured

	// Source of the tree itself.
	Source *unstructured.Unstructured
}

// ReadBrought lists them. They are found by the labels of the layers' names,
// which outlive the layers, so a disconnect that was interrupted goes on. As
// long as there is a root of somebody else, its tree is not ours.
func ReadBrought(ctx context.Context, c client.Client, namespace, id string) (Brought, error) {
	out := Brought{}
	ks, err := listKind(ctx, c, kustomizev1.GroupVersion.WithKind(kustomizev1.KustomizationKind))
	if err != nil {
		return Brought{}, err
	}

	names := []string{v1alpha1.SyncName}
	for i := range ks {
		switch k := &ks[i]; {
		case k.GetNamespace() == namespace && k.GetName() == v1alpha1.SyncName:
			if !Ours(k, id) {
				return Brought{}, nil
			}
			out.Root = k
		case isLayer(k, namespace):
			out.Kustomizations = append(out.Kustomizations, *k)
		}
	}
	for _, l := range []v1alpha1.Layer{v1alpha1.LayerInfrastructure, v1alpha1.LayerSecrets, v1alpha1.LayerApps} {
		names = append(names, l.KustomizationName())
	}

	// What a layer brought may itself be a Kustomization that brings more.
	for i := 0; i < len(names); i++ {
		for _, k := range ks {
			if appliedBy(&k, namespace, names[i]) && !isLayer(&k, namespace) && k.GetName() != v1alpha1.SyncName {
				out.Kustomizations = append(out.Kustomizations, k)
				if k.GetNamespace() == namespace && !slices.Contains(names, k.GetName()) {
					names = append(names, k.GetName())
				}
			}
		}
	}

	byTree := func(u unstructured.Unstructured) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return appliedBy(&u, namespace, n) })
	}
	hrs, err := listKind(ctx, c, helmRelease)
	if err != nil {
		return Brought{}, err
	}
	out.HelmReleases = slices.DeleteFunc(hrs, byTree)
	for _, kind := range sourceKinds {
		us, err := listKind(ctx, c, sourcev1.GroupVersion.WithKind(kind))
		if err != nil {
			return Brought{}, err
		}
		for i := range us {
			if u := &us[i]; u.GetKind() == sourcev1.GitRepositoryKind && u.GetNamespace() == namespace && u.GetName() == v1alpha1.SyncName && Ours(u, id) {
				out.Source = u
			}
		}
		out.Sources = append(out.Sources, slices.DeleteFunc(slices.Clone(us), byTree)...)
	}
	return out, nil
}

// Unsuspended are those that could still do something, the root first.
func (b Brought) Unsuspended() []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	if b.Root != nil && !suspended(b.Root) {
		// Alone: it would undo what is done to the others.
		return []*unstructured.Unstructured{b.Root}
	}
	for _, us := range [][]unstructured.Unstructured{b.Kustomizations, b.HelmReleases} {
		for i := range us {
			if !suspended(&us[i]) {
				out = append(out, &us[i])
			}
		}
	}
	return out
}

// Next are those to remove next: who applies before what is applied, and who
// needs a source before the source.
func (b Brought) Next() []*unstructured.Unstructured {
	if b.Root != nil {
		return []*unstructured.Unstructured{b.Root}
	}
	for _, us := range [][]unstructured.Unstructured{b.Kustomizations, b.HelmReleases, b.Sources} {
		if len(us) > 0 {
			return pointers(us)
		}
	}
	if b.Source != nil {
		return []*unstructured.Unstructured{b.Source}
	}
	return nil
}

// Removable are those of the next ones that Remove has something to do for. The
// others only need some time, until their controllers let go of them.
func (b Brought) Removable(now time.Time) []*unstructured.Unstructured {
	return slices.DeleteFunc(b.Next(), func(u *unstructured.Unstructured) bool {
		t := u.GetDeletionTimestamp()
		return t != nil && now.Sub(t.Time) < finalizerGrace
	})
}

// Suspend an object, so that neither it nor its deletion changes anything.
func Suspend(ctx context.Context, c client.Client, u *unstructured.Unstructured) error {
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"suspend":true}}`))
	err := c.Patch(ctx, u.DeepCopy(), patch, client.FieldOwner(FieldManager))
	return errors.Wrapf(target.Classify(client.IgnoreNotFound(err)), "cannot suspend %s %s", u.GetKind(), u.GetName())
}

// Remove a removable object, which is suspended or a source: delete it, or let go
// of it if its controller has not done so.
func Remove(ctx context.Context, c client.Client, u *unstructured.Unstructured) error {
	if u.GetDeletionTimestamp() != nil {
		patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
		err := c.Patch(ctx, u.DeepCopy(), patch, client.FieldOwner(FieldManager))
		return errors.Wrapf(target.Classify(client.IgnoreNotFound(err)), "cannot release %s %s", u.GetKind(), u.GetName())
	}

	if chart := chartOf(u); chart != nil {
		// helm-controller leaves the chart of a suspended release behind.
		if err := c.Delete(ctx, chart); err != nil && !missingKind(err) {
			return errors.Wrapf(target.Classify(err), "cannot delete HelmChart %s", chart.GetName())
		}
	}
	uid := u.GetUID()
	err := c.Delete(ctx, u.DeepCopy(), client.Preconditions{UID: &uid})
	return errors.Wrapf(target.Classify(client.IgnoreNotFound(err)), "cannot delete %s %s", u.GetKind(), u.GetName())
}

// chartOf a HelmRelease, which helm-controller made for it.
func chartOf(u *unstructured.Unstructured) *unstructured.Unstructured {
	if u.GetKind() != helmRelease.Kind {
		return nil
	}
	name, _, _ := unstructured.NestedString(u.Object, "status", "helmChart")
	ns, name, found := strings.Cut(name, "/")
	if !found {
		return nil
	}
	chart := &unstructured.Unstructured{}
	chart.SetGroupVersionKind(sourcev1.GroupVersion.WithKind("HelmChart"))
	chart.SetNamespace(ns)
	chart.SetName(name)
	return chart
}

func suspended(u *unstructured.Unstructured) bool {
	s, _, _ := unstructured.NestedBool(u.Object, "spec", "suspend")
	return s
}

func isLayer(u *unstructured.Unstructured, namespace string) bool {
	l := v1alpha1.Layer(u.GetLabels()[v1alpha1.LabelLayer])
	return l != "" && u.GetNamespace() == namespace && u.GetName() == l.KustomizationName()
}

func appliedBy(u *unstructured.Unstructured, namespace, name string) bool {
	l := u.GetLabels()
	return l[labelKustomizationNamespace] == namespace && l[labelKustomization] == name
}

func pointers(us []unstructured.Unstructured) []*unstructured.Unstructured {
	out := make([]*unstructured.Unstructured, 0, len(us))
	for i := range us {
		out = append(out, &us[i])
	}
	return out
}

// listKind lists a kind in all namespaces; a kind that is not there has none.
func listKind(ctx context.Context, c client.Client, gvk schema.GroupVersionKind) ([]unstructured.Unstructured, error) {
	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := c.List(ctx, l); err != nil && !missingKind(err) {
		return nil, target.Classify(err)
	}
	return l.Items, nil
}
