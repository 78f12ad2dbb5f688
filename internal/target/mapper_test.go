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

package target

import (
	"os"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func TestMain(m *testing.M) { os.Exit(kt.Main(m)) }

// builtIn are the groups that every cluster has.
var builtIn = map[string]bool{
	"": true, "apps": true, "batch": true, "authentication.k8s.io": true, "authorization.k8s.io": true,
	"rbac.authorization.k8s.io": true, "apiextensions.k8s.io": true,
}

// TestKnownKinds holds what we know beforehand against what a cluster says.
func TestKnownKinds(t *testing.T) {
	cp := kt.Shared(t)
	hc, err := rest.HTTPClientFor(cp.Config)
	if err != nil {
		t.Fatal(err)
	}
	dynamic, err := apiutil.NewDynamicRESTMapper(cp.Config, hc)
	if err != nil {
		t.Fatal(err)
	}
	s := NewScheme()
	found := 0
	for gvk := range s.AllKnownTypes() {
		ours, err := known.RESTMapping(gvk.GroupKind(), gvk.Version)
		if err != nil || !builtIn[gvk.Group] {
			continue
		}
		found++
		theirs, err := dynamic.RESTMapping(gvk.GroupKind(), gvk.Version)
		if err != nil {
			t.Errorf("%s: %v", gvk, err)
			continue
		}
		if diff := cmp.Diff(theirs.Resource, ours.Resource); diff != "" {
			t.Errorf("%s: -cluster's resource, +ours:\n%s", gvk, diff)
		}
		if theirs.Scope.Name() != ours.Scope.Name() {
			t.Errorf("%s: cluster's scope %s, ours %s", gvk, theirs.Scope.Name(), ours.Scope.Name())
		}
	}
	if found < 20 {
		t.Errorf("want 20 kinds compared at least, got %d", found)
	}
	for kind, want := range map[schema.GroupVersionKind]string{
		{Group: "source.toolkit.fluxcd.io", Version: "v1", Kind: "GitRepository"}:    "gitrepositories",
		{Group: "source.toolkit.fluxcd.io", Version: "v1", Kind: "HelmRepository"}:   "helmrepositories",
		{Group: "kustomize.toolkit.fluxcd.io", Version: "v1", Kind: "Kustomization"}: "kustomizations",
		{Group: "helm.toolkit.fluxcd.io", Version: "v2", Kind: "HelmRelease"}:        "helmreleases",
		{Group: "bitnami.com", Version: "v1alpha1", Kind: "SealedSecret"}:            "sealedsecrets",
	} {
		m, err := known.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil || m.Resource.Resource != want {
			t.Errorf("%s: want %s, got %v, %v", kind, want, m, err)
		}
	}
}

// TestKindMissing makes sure that a cluster without a known kind says the same
// as if it had been asked first.
func TestKindMissing(t *testing.T) {
	cp := kt.Shared(t)
	ns := cp.Namespace(t)
	c, err := Local(cp.Config, Options{})
	if err != nil {
		t.Fatal(err)
	}
	helm := &unstructured.Unstructured{}
	helm.SetAPIVersion("helm.toolkit.fluxcd.io/v2")
	helm.SetKind("HelmRelease")
	helm.SetName("a")
	helm.SetNamespace(ns)
	repo := &sourcev1.GitRepository{}
	repo.SetName("a")
	repo.SetNamespace(ns)
	key := client.ObjectKeyFromObject(repo)
	ctx := t.Context()
	for what, err := range map[string]error{
		"get":    c.Client.Get(ctx, key, &sourcev1.GitRepository{}),
		"list":   c.Client.List(ctx, &kustomizev1.KustomizationList{}, client.InNamespace(ns)),
		"create": c.Client.Create(ctx, repo.DeepCopy()),
		"delete": c.Client.Delete(ctx, repo.DeepCopy()),
		"apply":  c.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(helm.DeepCopy()), client.FieldOwner("test")),
	} {
		if !meta.IsNoMatchError(err) || kerrors.IsNotFound(err) {
			t.Errorf("%s: want no match, got %v", what, err)
		}
	}
	if err := c.Client.Get(ctx, key, &corev1.Secret{}); !kerrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		t.Errorf("an object that is not there: want not found, got %v", err)
	}
}
