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
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// brought is an object of Flux that the layer infrastructure has brought.
func brought(apiVersion, kind, name, status, reason, message string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": apiVersion, "kind": kind,
		"metadata": map[string]any{"namespace": "flux-system", "name": name, "labels": layerLabels()},
		"spec":     map[string]any{"targetNamespace": name},
		"status": map[string]any{"helmChart": "flux-system/flux-system-" + name, "conditions": []any{map[string]any{
			"type": "Ready", "status": status, "reason": reason, "message": message, "lastTransitionTime": "2026-01-01T12:00:00Z",
		}}},
	}}
}

func layerLabels() map[string]any {
	return map[string]any{labelKustomization: v1alpha1.LayerInfrastructure.KustomizationName(), labelKustomizationNamespace: "flux-system"}
}

func TestBlame(t *testing.T) {
	const helm, source = "helm.toolkit.fluxcd.io/v2", "source.toolkit.fluxcd.io/v1"
	good := brought(helm, "HelmRelease", "a-good", "True", "InstallSucceeded", "fine")
	working := brought(helm, "HelmRelease", "monitoring", "Unknown", "Progressing", "Running 'install' action with timeout of 10m0s")
	pulling := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "monitoring", Name: "p"},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{State: corev1.ContainerState{
			Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image"},
		}}}},
	}
	elsewhere := brought(helm, "HelmRelease", "others", "False", "InstallFailed", "not ours")
	elsewhere.SetLabels(nil)

	cases := map[string]struct {
		reason string
		there  []client.Object
		want   string
	}{
		"Nothing":   {"There may be nobody to blame", []client.Object{good, elsewhere}, ""},
		"Working":   {"A release that takes its time says what it does", []client.Object{good, working}, "HelmRelease monitoring: Running 'install' action with timeout of 10m0s"},
		"FailsOver": {"One that has failed comes before one that takes its time", []client.Object{working, brought(helm, "HelmRelease", "z", "False", "InstallFailed", "Helm install failed for release z/z with chart z@1.0.0: context deadline exceeded")}, "HelmRelease z: context deadline exceeded"},
		"Pods":      {"Its pods know why it takes its time", []client.Object{working, pulling}, "HelmRelease monitoring: ImagePullBackOff: no such image"},
		"TimedOut":  {"They also know why it took too long", []client.Object{brought(helm, "HelmRelease", "monitoring", "False", "InstallFailed", "Helm install failed for release z/z with chart z@1.0.0: context deadline exceeded"), pulling}, "HelmRelease monitoring: ImagePullBackOff: no such image"},
		"Chart": {"A release whose chart is not there says nothing of why", []client.Object{
			brought(helm, "HelmRelease", "z", "False", "SourceNotReady", "HelmChart 'flux-system/flux-system-z' is not ready"),
			brought(source, "HelmChart", "flux-system-z", "False", "ChartPullFailed", "no 'z' chart with version matching '99' found"),
		}, "HelmChart flux-system-z: no 'z' chart with version matching '99' found"},
		"Repository": {"A repository is the cause of what needs it", []client.Object{
			brought(helm, "HelmRelease", "z", "False", "SourceNotReady", "HelmChart 'flux-system/flux-system-z' is not ready"),
			brought(source, "HelmRepository", "jetstack", "False", "Failed", "failed to fetch Helm repository index: failed to cache index to temporary file: dial tcp: lookup charts.jetstack.io: no such host"),
		}, "HelmRepository jetstack: dial tcp: lookup charts.jetstack.io: no such host"},
		"Deployment": {"A layer may be of plain manifests", []client.Object{
			&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "monitoring", Name: "d", Labels: map[string]string{
				labelKustomization: v1alpha1.LayerInfrastructure.KustomizationName(), labelKustomizationNamespace: "flux-system",
			}}}, pulling,
		}, "Deployment d: ImagePullBackOff: no such image"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			calls := 0
			count := interceptor.Funcs{
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
					calls++
					return c.Get(ctx, key, o, opts...)
				},
				List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
					calls++
					return c.List(ctx, l, opts...)
				},
			}
			s := target.NewScheme()
			s.AddKnownTypeWithName(helmRelease, &unstructured.Unstructured{})
			s.AddKnownTypeWithName(helmRelease.GroupVersion().WithKind("HelmReleaseList"), &unstructured.UnstructuredList{})
			b := fake.NewClientBuilder().WithScheme(s).WithInterceptorFuncs(count)
			for _, o := range tc.there {
				copied, ok := o.DeepCopyObject().(client.Object)
				if !ok {
					t.Fatalf("%T is no object", o)
				}
				b = b.WithObjects(copied)
			}
			got, err := Blame(t.Context(), b.Build(), "flux-system", v1alpha1.LayerInfrastructure)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nBlame(...): -want, +got:\n%s", tc.reason, diff)
			}
			if calls > 5 {
				t.Errorf("%s\nBlame(...) made %d calls", tc.reason, calls)
			}
		})
	}
}

func TestWaiting(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(o *Observed)
		want   string
	}{
		"Healthy": {"Nothing waits", func(*Observed) {}, ""},
		"Waits": {"A layer that says nothing but that it waits is worth a look", func(o *Observed) {
			o.Layers["apps"].Status.Conditions = ready(metav1.ConditionUnknown, "Progressing", "Reconciliation in progress", time.Minute)
		}, "HelmRelease x: boom (apps)"},
		"TimedOut": {"So is one that has waited in vain", func(o *Observed) {
			o.Layers["apps"].Status.Conditions = ready(metav1.ConditionFalse, "HealthCheckFailed", "timeout waiting for x", 0)
		}, "HelmRelease x: boom (apps)"},
		"JustBegun": {"It has a moment first", func(o *Observed) {
			o.Layers["apps"].Status.Conditions = ready(metav1.ConditionUnknown, "Progressing", "Reconciliation in progress", time.Second)
		}, "apps: Reconciliation in progress"},
		"BuildFailed": {"One that knows the cause says it itself", func(o *Observed) {
			o.Layers["secrets"].Status.Conditions = ready(metav1.ConditionFalse, "BuildFailed", "no such file", time.Minute)
			o.Layers["apps"].Status.Conditions = ready(metav1.ConditionUnknown, "Progressing", "Reconciliation in progress", time.Minute)
		}, "secrets: no such file"},
		"Root": {"The root waits for nothing", func(o *Observed) {
			o.Root.Status.Conditions = ready(metav1.ConditionUnknown, "Progressing", "Reconciliation in progress", time.Minute)
		}, "root: Reconciliation in progress"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := healthy()
			tc.change(&o)
			h := Judge(o, Expected{TreeHash: hash, Layers: []v1alpha1.Layer{"infrastructure", "secrets", "apps"}, Now: now})
			h.Because("HelmRelease x: boom")
			if diff := cmp.Diff(tc.want, h.Message); diff != "" {
				t.Errorf("%s\nMessage: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
