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
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/target"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// letGo does what Flux's controllers do with objects that are being deleted,
// and fails the test if that would uninstall or prune anything.
func (w *world) letGo(us ...*unstructured.Unstructured) {
	w.Helper()
	for _, u := range us {
		err := w.c.Get(w.Context(), client.ObjectKeyFromObject(u), u)
		if client.IgnoreNotFound(err) != nil {
			w.Fatal(err)
		}
		if err != nil || u.GetDeletionTimestamp() == nil {
			continue
		}
		if s, _, _ := unstructured.NestedBool(u.Object, "spec", "suspend"); !s && u.GetKind() != "GitRepository" && u.GetKind() != "HelmRepository" {
			w.Errorf("%s %s was deleted without being suspended: that prunes its workloads", u.GetKind(), u.GetName())
		}
		u.SetFinalizers(nil)
		w.must(client.IgnoreNotFound(w.c.Update(w.Context(), u)))
	}
}

func (w *world) flux(kind, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	gvk := map[string]schema.GroupVersionKind{
		"Kustomization":  kustomizev1.GroupVersion.WithKind("Kustomization"),
		"GitRepository":  sourcev1.GroupVersion.WithKind("GitRepository"),
		"HelmRepository": sourcev1.GroupVersion.WithKind("HelmRepository"),
		"HelmRelease":    {Group: "helm.toolkit.fluxcd.io", Version: "v2", Kind: "HelmRelease"},
	}[kind]
	u.SetGroupVersionKind(gvk)
	u.SetNamespace(w.fb.GetNamespace())
	u.SetName(name)
	return u
}

// brought makes an object that kustomize-controller applied for a layer, or,
// without one, an object of somebody else.
func (w *world) brought(kind, name, layer string, spec map[string]any) *unstructured.Unstructured {
	w.Helper()
	u := w.flux(kind, name)
	u.SetFinalizers([]string{"finalizers.fluxcd.io"})
	u.Object["spec"] = spec
	if layer != "" {
		u.SetLabels(map[string]string{
			"kustomize.toolkit.fluxcd.io/name":      layer,
			"kustomize.toolkit.fluxcd.io/namespace": w.fb.GetNamespace(),
		})
	}
	w.create(u)
	return u
}

// withRelease is a healthy world with a HelmRelease and its source in the tree,
// and the same of somebody else beside them. It returns all that has to go.
func withRelease(t *testing.T) (*world, []*unstructured.Unstructured) {
	t.Helper()
	w := newWorld(t)
	w.fb.Spec.ForProvider.Components = append(w.fb.Spec.ForProvider.Components, "helm-controller")
	w.bootstrap()
	w.brought("HelmRelease", "theirs", "", release())
	w.brought("HelmRepository", "theirs", "apps", source())
	going := w.plant()
	return w, going
}

func release() map[string]any {
	return map[string]any{"interval": "10m", "chart": map[string]any{"spec": map[string]any{
		"chart": "c", "sourceRef": map[string]any{"kind": "HelmRepository", "name": "charts"},
	}}}
}

func source() map[string]any {
	return map[string]any{"url": "https://charts.example.com", "interval": "10m"}
}

// plant what the tree brings besides its layers, and return all that has to go.
func (w *world) plant() []*unstructured.Unstructured {
	w.Helper()
	return []*unstructured.Unstructured{
		w.flux("Kustomization", "kubeopera"),
		w.flux("Kustomization", "kubeopera-infrastructure"),
		w.flux("Kustomization", "kubeopera-apps"),
		w.brought("HelmRelease", "database", "kubeopera-apps", release()),
		w.brought("HelmRepository", "charts", "kubeopera-apps", source()),
		w.flux("GitRepository", "kubeopera"),
	}
}

func (w *world) delete() {
	w.fb.SetDeletionTimestamp(&metav1.Time{Time: w.clock.Now()})
}

// disconnect reconciles until nothing of ours is left.
func (w *world) disconnect(going []*unstructured.Unstructured, flux bool) {
	w.Helper()
	w.must(wait.PollUntilContextTimeout(w.Context(), 10*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
		if w.gone() {
			return true, nil
		}
		if err := w.reconcile(); err != nil {
			return false, err
		}
		if flux {
			w.letGo(going...)
		} else {
			w.clock.Step(10 * time.Second)
		}
		return false, nil
	}))
}

// left fails the test unless all of ours is gone, and nothing else.
func (w *world) left(going []*unstructured.Unstructured) {
	w.Helper()
	for _, u := range going {
		if err := w.c.Get(w.Context(), client.ObjectKeyFromObject(u), u); client.IgnoreNotFound(err) != nil || err == nil {
			w.Errorf("%s %s is still there: %v", u.GetKind(), u.GetName(), err)
		}
	}
	if w.get(&corev1.Secret{}, "kubeopera") {
		w.Error("the Git credentials are still there")
	}
	for _, u := range []*unstructured.Unstructured{w.flux("HelmRelease", "theirs"), w.flux("HelmRepository", "theirs")} {
		if err := w.c.Get(w.Context(), client.ObjectKeyFromObject(u), u); err != nil || u.GetDeletionTimestamp() != nil {
			w.Errorf("%s of somebody else was touched: %v", u.GetKind(), err)
		}
	}
	s, err := w.w.collectInstall(w.Context(), w.fb, w.to.t)
	w.must(err)
	if !s.Installed() {
		w.Errorf("Flux itself did not stay: %+v", s)
	}
}

// TestDisconnectWithoutFlux has nobody who takes finalizers away.
func TestDisconnectWithoutFlux(t *testing.T) {
	w, going := withRelease(t)
	w.delete()
	w.disconnect(going, false)
	w.left(going)
}

// TestDisconnectSurvivesCrashes kills the process after each write of a
// disconnect, and connects again after each of them.
func TestDisconnectSurvivesCrashes(t *testing.T) {
	w, going := withRelease(t)
	healthy := w.to.t
	for n := 1; ; n++ {
		w.delete()
		crash := kt.NewCrash(n)
		w.to.t = &target.Cluster{Client: crash.Client(w.c), Config: healthy.Config}
		for !crash.Crashed() && !w.gone() {
			_ = w.reconcile()
			w.letGo(going...)
		}

		w.to.t = healthy
		w.disconnect(going, true)
		w.left(going)
		if !crash.Crashed() {
			return
		}
		w.fb.SetDeletionTimestamp(nil)
		w.bootstrap()
		going = w.plant()
	}
}

// TestDisconnectIsBounded has a target that answers, and does not let us finish.
func TestDisconnectIsBounded(t *testing.T) {
	w, _ := withRelease(t)
	w.delete()
	healthy := w.to.t
	w.to.t = &target.Cluster{Client: interceptor.NewClient(w.c, interceptor.Funcs{
		Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "kustomizations"}, "kubeopera", nil)
		},
	}), Config: healthy.Config}

	if err := w.reconcile(); !fault.Is(err, fault.Denied) {
		t.Errorf("the cause is not said: %v", err)
	}
	if w.clock.Step(disconnectDeadline - time.Second); w.gone() {
		t.Error("it gave up too early")
	}
	if w.clock.Step(2 * time.Second); !w.gone() {
		t.Error("it never ends")
	}
	if len(w.events.messages) != 1 || !strings.Contains(w.events.messages[0], "Left behind: Kustomization "+w.fb.GetNamespace()+"/kubeopera,") {
		t.Errorf("what is left behind is not said: %v", w.events.messages)
	}
}

// TestDeletedInConflict deletes a FluxBootstrap that found its cluster taken.
func TestDeletedInConflict(t *testing.T) {
	w, going := withRelease(t)
	w.fb.Name = "other"
	if err := w.reconcile(); !fault.Is(err, fault.Conflict) {
		t.Fatalf("no conflict: %v", err)
	}
	w.delete()
	w.disconnect(nil, true)
	for _, u := range going {
		w.must(w.c.Get(t.Context(), client.ObjectKeyFromObject(u), u))
		if s, _, _ := unstructured.NestedBool(u.Object, "spec", "suspend"); s || u.GetDeletionTimestamp() != nil {
			t.Errorf("%s %s of another host cluster was touched", u.GetKind(), u.GetName())
		}
	}
	if !w.get(&corev1.Secret{}, "kubeopera") {
		t.Error("the Git credentials of another host cluster are gone")
	}
}

// TestReconnect takes up, under the same name and under another, what a
// disconnect has left. Neither the workloads nor Flux itself notice.
func TestReconnect(t *testing.T) {
	w, going := withRelease(t)
	w.workload()
	before := w.running()
	for _, name := range []string{"my-cluster", "other"} {
		w.delete()
		w.disconnect(going, true)
		w.left(going)
		w.same(before, "the disconnect")

		w.fb.SetDeletionTimestamp(nil)
		w.fb.Name, w.fb.Status = name, v1alpha1.FluxBootstrapStatus{}
		w.bootstrap()
		going = w.plant()
		root := w.flux("Kustomization", "kubeopera")
		w.must(w.c.Get(t.Context(), client.ObjectKeyFromObject(root), root))
		if got := root.GetLabels()[v1alpha1.LabelHostCluster]; got != name {
			t.Errorf("the root belongs to %q", got)
		}
		w.same(before, "the reconnect as "+name)
	}
}

// workload makes one that the tree has brought.
func (w *world) workload() {
	w.Helper()
	labels := map[string]string{"app": "shop"}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: w.fb.GetNamespace(), Name: "shop", Labels: map[string]string{
		"kustomize.toolkit.fluxcd.io/name": "kubeopera-apps", "kustomize.toolkit.fluxcd.io/namespace": w.fb.GetNamespace(),
		v1alpha1.LabelAppManagedBy: v1alpha1.AppManagedBy, v1alpha1.LabelHostCluster: "my-cluster",
	}}}
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	d.Spec.Template.Labels = labels
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "shop", Image: "shop"}}
	w.create(d)
	w.controllersRun()
}

// running tells what each Deployment is, and the generation of its pods.
func (w *world) running() map[string]string {
	w.Helper()
	l := &appsv1.DeploymentList{}
	w.must(w.c.List(w.Context(), l, client.InNamespace(w.fb.GetNamespace())))
	out := map[string]string{}
	for _, d := range l.Items {
		out[d.Name] = fmt.Sprintf("%s, generation %d, deleted %v", d.UID, d.Generation, d.DeletionTimestamp)
	}
	return out
}

func (w *world) same(before map[string]string, after string) {
	w.Helper()
	if diff := cmp.Diff(before, w.running()); diff != "" {
		w.Errorf("%s has touched workloads (-before, +after):\n%s", after, diff)
	}
}
