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

package fluxbootstrap

import (
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/flux"
)

// TestExisting uses a Flux that somebody else has installed into another namespace.
func TestExisting(t *testing.T) {
	w := newWorld(t)
	theirs := w.cp.Namespace(t)
	h, err := flux.NewHelm(w.cp.Config, theirs)
	w.must(err)
	p, err := w.w.charts.Package(flux.Options{Namespace: theirs, Components: w.fb.Spec.ForProvider.Components}, nil)
	w.must(err)
	w.must(h.Install(t.Context(), p))

	w.expect("theirs starts", v1alpha1.TypeFluxInstalled, corev1.ConditionFalse, "kustomize-controller does not run: Replicas: 0/1")
	w.controllersRunIn(theirs)
	w.fb.Spec.ForProvider.Sync = &v1alpha1.Sync{Path: "p", TreeHash: "h", Layers: []v1alpha1.Layer{"infrastructure"}}
	w.expect("theirs runs", v1alpha1.TypeFluxInstalled, corev1.ConditionTrue, "")
	if at := w.fb.Status.AtProvider; !at.Existing || at.Version == "" {
		t.Errorf("atProvider is %+v", at)
	}
	if !w.get(&sourcev1.GitRepository{}, "kubeopera") {
		t.Error("it is not used")
	}
	if w.get(&appsv1.Deployment{}, "source-controller") {
		t.Error("another Flux was installed beside it")
	}

	// Once a part of it is gone it is of no use, and it is not for us to repair it.
	l := &appsv1.DeploymentList{}
	w.must(w.c.List(t.Context(), l, client.InNamespace(theirs)))
	for i := range l.Items {
		if l.Items[i].Name == "kustomize-controller" {
			w.must(w.c.Delete(t.Context(), &l.Items[i]))
		}
	}
	err = w.reconcile()
	want := "Existing Flux " + w.fb.Status.AtProvider.Version + " in " + theirs + " cannot be used: it has no kustomize-controller"
	if !fault.Is(err, fault.Refused) || err.Error() != want {
		t.Errorf("error: %v; want %s", err, want)
	}
	if c := w.fb.GetCondition(xpv2.TypeReady); c.Reason != v1alpha1.ReasonRefused {
		t.Errorf("Ready is %+v", c)
	}
}
