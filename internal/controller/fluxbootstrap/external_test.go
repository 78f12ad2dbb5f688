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
	"strings"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/target"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func TestBootstrap(t *testing.T) {
	w := newWorld(t)

	w.expect("installed", v1alpha1.TypeFluxInstalled, corev1.ConditionFalse, "kustomize-controller does not run: Replicas: 0/1")
	w.controllersRun()
	w.expect("running", v1alpha1.TypeFluxInstalled, corev1.ConditionTrue, "")
	if w.get(&sourcev1.GitRepository{}, "kubeopera") {
		t.Error("there is a source before there is a tree")
	}

	w.fb.Spec.ForProvider.Sync = &v1alpha1.Sync{Path: "clusters/my-cluster", TreeHash: "h1", Layers: []v1alpha1.Layer{"infrastructure"}}
	w.expect("told", v1alpha1.TypeLayersReady, corev1.ConditionFalse, "Git source: it is not reconciled yet")
	w.fetched("main@sha1:1")
	w.expect("fetched", v1alpha1.TypeLayersReady, corev1.ConditionFalse, "root: it is not reconciled yet")
	w.applied("main@sha1:1", "h1", "infrastructure")
	w.expect("applied", v1alpha1.TypeLayersReady, corev1.ConditionTrue, "")
	w.expect("ready", xpv2.TypeReady, corev1.ConditionTrue, "")
	w.unchanged()

	// Pass 2 is asked for at once, and judged anew.
	before := w.requestedAt()
	w.fb.Spec.ForProvider.Sync.TreeHash = "h2"
	w.fb.Spec.ForProvider.Sync.Layers = []v1alpha1.Layer{"apps", "infrastructure", "secrets"}
	w.expect("pass 2", v1alpha1.TypeLayersReady, corev1.ConditionFalse, "infrastructure: it is still of another tree than ours")
	if w.requestedAt() == before {
		t.Error("the source was not asked to reconcile")
	}
	w.fetched("main@sha1:2")
	w.applied("main@sha1:2", "h2", "infrastructure", "secrets", "apps")
	w.expect("pass 2 applied", xpv2.TypeReady, corev1.ConditionTrue, "")

	want := v1alpha1.FluxBootstrapObservation{
		Version:        w.fb.Status.AtProvider.Version,
		Components:     []v1alpha1.ComponentStatus{{Name: "kustomize-controller", Ready: true}, {Name: "source-controller", Ready: true}},
		SourceRevision: "main@sha1:2",
		Layers: []v1alpha1.LayerStatus{
			{Name: "infrastructure", Ready: true, Revision: "main@sha1:2", TreeHash: "h2"},
			{Name: "secrets", Ready: true, Revision: "main@sha1:2", TreeHash: "h2"},
			{Name: "apps", Ready: true, Revision: "main@sha1:2", TreeHash: "h2"},
		},
	}
	if diff := cmp.Diff(want, w.fb.Status.AtProvider); diff != "" {
		t.Errorf("atProvider (-want, +got):\n%s", diff)
	}
	w.unchanged()
}

func (w *world) requestedAt() string {
	w.Helper()
	s := &sourcev1.GitRepository{}
	w.get(s, "kubeopera")
	return s.Annotations[fluxmeta.ReconcileRequestAnnotation]
}

func (w *world) unchanged() {
	w.Helper()
	kt.Unchanged(w, w.c, 3, w.reconcile, []client.ObjectList{
		&corev1.SecretList{}, &appsv1.DeploymentList{}, &sourcev1.GitRepositoryList{}, &kustomizev1.KustomizationList{},
	}, client.InNamespace(w.fb.GetNamespace()))
}

func TestRotation(t *testing.T) {
	w := bootstrapped(t)
	before := w.requestedAt()

	s := &corev1.Secret{}
	w.get(s, "git")
	s.Data = map[string][]byte{"bearerToken": []byte("second\n")}
	w.must(w.c.Update(t.Context(), s))
	w.must(w.reconcile())

	w.get(s, "kubeopera")
	if diff := cmp.Diff(map[string][]byte{"bearerToken": []byte("second")}, s.Data); diff != "" {
		t.Errorf("credentials on the target (-want, +got):\n%s", diff)
	}
	if w.requestedAt() == before {
		t.Error("the source was not asked to reconcile with the new credentials")
	}

	w.get(s, "git")
	w.must(w.c.Delete(t.Context(), s))
	w.expect("vanished", xpv2.TypeReady, corev1.ConditionFalse, "Secret git with the Git credentials is not there yet")
}

// TestProxy tells Flux which proxy leads to the repository. Its Secret is not
// that of the repository, whose password is not for the proxy.
func TestProxy(t *testing.T) {
	w := bootstrapped(t)
	before := w.requestedAt()

	s := &corev1.Secret{}
	w.get(s, "git")
	s.Data["proxy"] = []byte("http://me:pass@proxy:3128")
	w.must(w.c.Update(t.Context(), s))
	w.must(w.reconcile())

	if !w.get(s, "kubeopera-proxy") {
		t.Fatal("there is no Secret with the proxy")
	}
	if diff := cmp.Diff(map[string][]byte{"address": []byte("http://me:pass@proxy:3128")}, s.Data); diff != "" {
		t.Errorf("the proxy (-want, +got):\n%s", diff)
	}
	source := &sourcev1.GitRepository{}
	w.get(source, "kubeopera")
	if source.Spec.ProxySecretRef == nil || source.Spec.ProxySecretRef.Name != "kubeopera-proxy" || w.requestedAt() == before {
		t.Errorf("Flux does not fetch through it: %+v", source.Spec)
	}
	w.unchanged()

	w.delete()
	w.disconnect([]*unstructured.Unstructured{
		w.flux("Kustomization", "kubeopera"), w.flux("Kustomization", "kubeopera-infrastructure"), w.flux("Kustomization", "kubeopera-apps"), w.flux("GitRepository", "kubeopera"),
	}, true)
	if w.get(s, "kubeopera-proxy") || w.get(s, "kubeopera") {
		t.Errorf("%s is left behind", s.Name)
	}
}

func TestDriftIsCorrected(t *testing.T) {
	w := bootstrapped(t)
	root := &kustomizev1.Kustomization{}
	w.get(root, "kubeopera")
	root.Spec.Prune, root.Spec.DeletionPolicy = false, "Delete"
	w.must(w.c.Update(t.Context(), root))
	d := &appsv1.Deployment{}
	w.get(d, "source-controller")
	w.must(w.c.Delete(t.Context(), d))

	w.must(w.reconcile())
	w.get(root, "kubeopera")
	if !root.Spec.Prune || root.Spec.DeletionPolicy != "Orphan" {
		t.Errorf("the root is %+v", root.Spec)
	}
	if !w.get(d, "source-controller") {
		t.Error("source-controller did not come back")
	}
}

func TestSuspendedBySomebody(t *testing.T) {
	w := bootstrapped(t)
	root := &kustomizev1.Kustomization{}
	w.get(root, "kubeopera")
	root.Spec.Suspend = true
	w.must(w.c.Update(t.Context(), root, client.FieldOwner("flux")))
	w.expect("suspended", xpv2.TypeReady, corev1.ConditionFalse, "root: it is suspended (flux resume kustomization kubeopera)")
	w.unchanged()
}

func TestConflict(t *testing.T) {
	cases := map[string]struct {
		reason string
		labels map[string]string
		want   string
	}{
		"Stranger": {reason: "Somebody made it by hand.", want: " is there already and not ours: rename or delete it"},
		"Other": {
			reason: "Another host cluster leads to the same cluster.",
			labels: map[string]string{v1alpha1.LabelHostCluster: "other"},
			want:   " belongs to the host cluster other: disconnect that one first, or delete this object if it is gone",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.fb.GetNamespace(), Name: "kubeopera", Labels: tc.labels}})
			w.fb.Spec.ForProvider.Sync = &v1alpha1.Sync{Path: "p", TreeHash: "h", Layers: []v1alpha1.Layer{"infrastructure"}}
			err := w.reconcile()
			if !fault.Is(err, fault.Conflict) || !strings.HasSuffix(err.Error(), tc.want) {
				t.Errorf("\n%s\nerror: %v", tc.reason, err)
			}
		})
	}
}

// TestPullSecret follows its source, and takes nothing that is somebody else's.
func TestPullSecret(t *testing.T) {
	w := newWorld(t)
	s := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.fb.GetNamespace(), Name: "registry"},
		Data:       map[string][]byte{corev1.DockerConfigJsonKey: []byte(`{"auths":{}}`)},
	}
	w.fb.Spec.ForProvider.RegistryPullSecretRef = &v1alpha1.SecretReference{Name: "registry"}
	w.expect("missing", xpv2.TypeReady, corev1.ConditionFalse, "Secret registry with the registry's credentials is not there yet")

	theirs := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.fb.GetNamespace(), Name: pullSecretName}}
	w.create(theirs)
	w.create(s)
	if err := w.reconcile(); !fault.Is(err, fault.Conflict) {
		t.Errorf("somebody else's Secret is taken: %v", err)
	}
	w.must(w.c.Delete(t.Context(), theirs))

	w.must(w.reconcile())
	d := &appsv1.Deployment{}
	w.get(d, "source-controller")
	if diff := cmp.Diff([]corev1.LocalObjectReference{{Name: pullSecretName}}, d.Spec.Template.Spec.ImagePullSecrets); diff != "" {
		t.Errorf("source-controller does not pull with it (-want, +got):\n%s", diff)
	}

	s.Data[corev1.DockerConfigJsonKey] = []byte(`{"auths":{"r":{}}}`)
	w.must(w.c.Update(t.Context(), s))
	w.must(w.reconcile())
	got := &corev1.Secret{}
	w.get(got, pullSecretName)
	if diff := cmp.Diff(s.Data, got.Data); diff != "" {
		t.Errorf("a new one is not taken over (-want, +got):\n%s", diff)
	}
}

// TestCrashes kills the process after each write but those of Helm, for which
// package flux has a test.
func TestCrashes(t *testing.T) {
	w := newWorld(t)
	w.create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.fb.GetNamespace(), Name: "registry"},
		Data:       map[string][]byte{corev1.DockerConfigJsonKey: []byte(`{"auths":{}}`)},
	})
	w.fb.Spec.ForProvider.RegistryPullSecretRef = &v1alpha1.SecretReference{Name: "registry"}
	w.fb.Spec.ForProvider.Sync = &v1alpha1.Sync{Path: "p", TreeHash: "h", Layers: []v1alpha1.Layer{"infrastructure"}}
	w.must(w.reconcile())
	w.controllersRun()

	healthy := w.to.t
	for n := 1; ; n++ {
		for _, o := range []client.Object{&corev1.Secret{}, &sourcev1.GitRepository{}, &kustomizev1.Kustomization{}} {
			w.forget(o, "kubeopera")
		}
		w.forget(&corev1.Secret{}, pullSecretName)
		crash := kt.NewCrash(n)
		w.to.t = &target.Cluster{Client: crash.Client(w.c), Config: healthy.Config}
		_ = w.reconcile()

		w.to.t = healthy
		w.must(w.reconcile())
		w.fetched("main@sha1:1")
		w.applied("main@sha1:1", "h", "infrastructure")
		w.expect("after the crash", xpv2.TypeReady, corev1.ConditionTrue, "")
		w.unchanged()
		if !w.get(&corev1.Secret{}, pullSecretName) {
			t.Error("the pull secret is not there")
		}
		if !crash.Crashed() {
			return
		}
	}
}

func (w *world) forget(o client.Object, name string) {
	w.Helper()
	o.SetNamespace(w.fb.GetNamespace())
	o.SetName(name)
	w.must(client.IgnoreNotFound(w.c.Delete(w.Context(), o)))
}

func TestLostTarget(t *testing.T) {
	cases := map[string]struct {
		reason  string
		touched bool
		after   time.Duration
		gone    bool
		events  int
	}{
		"Untouched": {reason: "Nothing was ever done there.", gone: true},
		"InTime":    {reason: "It may come back.", touched: true, after: time.Minute},
		"TooLate":   {reason: "It did not; what was left is said.", touched: true, after: 3 * time.Minute, gone: true, events: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.to.t, w.to.err = nil, fault.New(fault.Unreachable, "Timeout: no answer")
			w.fb.SetDeletionTimestamp(&metav1.Time{Time: w.clock.Now()})
			w.clock.Step(tc.after)
			if tc.touched {
				w.fb.Status.AtProvider.Version = "v2.9.5"
			}
			if got := w.gone(); got != tc.gone {
				t.Errorf("\n%s\ngone: %t", tc.reason, got)
			}
			if len(w.events.messages) != tc.events {
				t.Errorf("\n%s\nevents: %v", tc.reason, w.events.messages)
			}
		})
	}
}
