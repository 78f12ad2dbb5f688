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

package v1alpha1_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// Every managed kind is a modern, namespaced managed resource, and its list is a list of such.
var (
	_ resource.ModernManaged = &v1alpha1.ClusterAccess{}
	_ resource.ModernManaged = &v1alpha1.ProvisionedCluster{}
	_ resource.ModernManaged = &v1alpha1.FluxBootstrap{}
	_ resource.ModernManaged = &v1alpha1.GitOpsEnvironment{}
	_ resource.ModernManaged = &v1alpha1.Administrator{}

	_ resource.ManagedList = &v1alpha1.ClusterAccessList{}
	_ resource.ManagedList = &v1alpha1.ProvisionedClusterList{}
	_ resource.ManagedList = &v1alpha1.FluxBootstrapList{}
	_ resource.ManagedList = &v1alpha1.GitOpsEnvironmentList{}
	_ resource.ManagedList = &v1alpha1.AdministratorList{}

	_ resource.ProviderConfig           = &v1alpha1.ProviderConfig{}
	_ resource.ProviderConfig           = &v1alpha1.ClusterProviderConfig{}
	_ resource.TypedProviderConfigUsage = &v1alpha1.ProviderConfigUsage{}
	_ resource.Conditioned              = &v1alpha1.HostCluster{}
)

// TestSampleManifestsApply covers the samples of the product documents (testdata) and our own examples.
func TestSampleManifestsApply(t *testing.T) {
	cp := kt.Shared(t)
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kubeopera-system"}}
	if err := cp.Client.Create(t.Context(), ns); err != nil && !kerrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	for _, pattern := range []string{"testdata/*.yaml", "../../examples/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no manifests match %s (%v)", pattern, err)
		}
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) { applies(t, cp, file) })
		}
	}
}

// applies fails the test unless every object of ours in a file is accepted as it is, with no field unknown.
func applies(t *testing.T, cp *kt.ControlPlane, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := client.WithFieldValidation(cp.Client, metav1.FieldValidationStrict)
	for doc := range strings.SplitSeq(string(data), "\n---\n") {
		o := &unstructured.Unstructured{}
		if err := yaml.UnmarshalStrict([]byte(doc), o); err != nil {
			t.Fatal(err)
		}
		if o.GroupVersionKind().Group != v1alpha1.Group {
			continue
		}
		if err := c.Create(t.Context(), o.DeepCopy(), client.DryRunAll); err != nil {
			t.Errorf("kubectl create: %v", err)
		}
		err := cp.Client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(o), client.DryRunAll, client.FieldOwner("kubectl"))
		if err != nil {
			t.Errorf("kubectl apply --server-side: %v", err)
		}
	}
}

func TestDefaults(t *testing.T) {
	cp := kt.Shared(t)
	ns := cp.Namespace(t)
	hc := object(t, ns, goodHostCluster)
	if err := cp.Client.Create(t.Context(), hc, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	got := map[string]any{}
	for _, field := range []string{"gitOpsBranch", "profile", "deletionPolicy"} {
		got[field], _, _ = unstructured.NestedString(hc.Object, "spec", field)
	}
	want := map[string]any{"gitOpsBranch": "main", "profile": "full", "deletionPolicy": "Disconnect"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults of a HostCluster (-want, +got):\n%s", diff)
	}
}

// TestRoundTrip fails for a field that the Go types and the CRDs know by different names: strict validation refuses
// what is not in the CRD, and what comes back has to be what was sent.
func TestRoundTrip(t *testing.T) {
	cp := kt.Shared(t)
	ns := cp.Namespace(t)
	c := client.WithFieldValidation(cp.Client, metav1.FieldValidationStrict)
	for _, tb := range tables() {
		t.Run(tb.kind, func(t *testing.T) {
			typed, err := cp.Client.Scheme().New(v1alpha1.Kind(tb.kind))
			if err != nil {
				t.Fatal(err)
			}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object(t, ns, tb.good).Object, typed, true); err != nil {
				t.Fatal(err)
			}
			sent, ok := typed.(client.Object)
			if !ok {
				t.Fatalf("%T is no object", typed)
			}
			got, ok := sent.DeepCopyObject().(client.Object)
			if !ok {
				t.Fatalf("the copy of %T is no object", typed)
			}
			if err := c.Create(t.Context(), got, client.DryRunAll); err != nil {
				t.Fatal(err)
			}
			// Sending what came back changes nothing: no default of the CRD is lost in the Go types.
			again, ok := got.DeepCopyObject().(client.Object)
			if !ok {
				t.Fatalf("the copy of %T is no object", typed)
			}
			again.SetUID("")
			again.SetResourceVersion("")
			if err := c.Create(t.Context(), again, client.DryRunAll); err != nil {
				t.Fatal(err)
			}
			for _, o := range []client.Object{got, again} {
				o.SetUID("")
				o.SetResourceVersion("")
				o.SetCreationTimestamp(metav1.Time{})
				o.SetManagedFields(nil)
			}
			if diff := cmp.Diff(got, again); diff != "" {
				t.Errorf("Create, twice (-first, +second):\n%s", diff)
			}
		})
	}
}

func TestSetConditionsKeepsTheTime(t *testing.T) {
	then := metav1.NewTime(time.Date(2026, 9, 26, 0, 35, 0, 0, time.UTC))
	condition := func(status corev1.ConditionStatus, msg string, at metav1.Time) xpv2.Condition {
		return xpv2.Condition{Type: xpv2.TypeReady, Status: status, Reason: "X", Message: msg, LastTransitionTime: at}
	}
	later := metav1.NewTime(then.Add(time.Minute))
	cases := map[string]struct {
		reason string
		set    xpv2.Condition
		want   metav1.Time
		msg    string
	}{
		"NewMessage": {reason: "Deadlines count from the time at which the status changed.", set: condition(corev1.ConditionFalse, "two", later), want: then, msg: "two"},
		"NewStatus":  {reason: "A new status has a new time.", set: condition(corev1.ConditionTrue, "two", later), want: later, msg: "two"},
		"Deleting":   {reason: "Why it is not gone yet stays to be seen.", set: xpv2.Deleting(), want: then, msg: "one"},
	}
	objects := []resource.Conditioned{
		&v1alpha1.HostCluster{}, &v1alpha1.ClusterAccess{}, &v1alpha1.ProvisionedCluster{}, &v1alpha1.FluxBootstrap{},
		&v1alpha1.GitOpsEnvironment{}, &v1alpha1.Administrator{},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, like := range objects {
				o, ok := reflect.TypeAssert[resource.Conditioned](reflect.New(reflect.TypeOf(like).Elem()))
				if !ok {
					t.Fatalf("%T has no conditions", like)
				}
				o.SetConditions(condition(corev1.ConditionFalse, "one", then))
				o.SetConditions(tc.set)
				got := o.GetCondition(xpv2.TypeReady)
				if !got.LastTransitionTime.Equal(&tc.want) || got.Message != tc.msg || got.Reason != tc.set.Reason {
					t.Errorf("%s\n%T: got %s at %s, want %s at %s", tc.reason, o, got.Message, got.LastTransitionTime, tc.msg, tc.want)
				}
			}
		})
	}
}

func TestDeepCopyIsDeep(t *testing.T) {
	domain := v1alpha1.DNSName("a.b")
	hc := &v1alpha1.HostCluster{Spec: v1alpha1.HostClusterSpec{Domain: &domain}}
	hc.Status.PhaseHistory = []v1alpha1.PhaseRecord{{Phase: v1alpha1.PhaseReady, StartedAt: &metav1.Time{}}}
	other := hc.DeepCopy()
	*other.Spec.Domain = "c.d"
	other.Status.PhaseHistory[0].Phase = v1alpha1.PhaseFailed
	if *hc.Spec.Domain != "a.b" || hc.Status.PhaseHistory[0].Phase != v1alpha1.PhaseReady {
		t.Error("a change of the copy has changed the original")
	}
}
