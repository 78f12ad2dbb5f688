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

package external

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	rtclient "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

func TestInitialize(t *testing.T) {
	named := map[string]string{meta.AnnotationKeyExternalName: "other"}
	held := []string{managed.FinalizerName}

	type want struct {
		Name       string
		Finalizers []string
		Written    bool
	}

	cases := map[string]struct {
		reason string
		meta   metav1.ObjectMeta
		want   want
	}{
		"New":        {reason: "An object gets its name and finalizer in one write.", want: want{Name: "a", Finalizers: held, Written: true}},
		"Named":      {reason: "A name that was given stays.", meta: metav1.ObjectMeta{Annotations: named}, want: want{Name: "other", Finalizers: held, Written: true}},
		"Registered": {reason: "Nothing is written twice.", meta: metav1.ObjectMeta{Annotations: named, Finalizers: held}, want: want{Name: "other", Finalizers: held}},
		"Deleted": {
			reason: "An object that is being deleted takes no finalizer.",
			meta:   metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: time.Unix(1, 0)}, Finalizers: []string{"foregroundDeletion"}},
			want:   want{Finalizers: []string{"foregroundDeletion"}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := runtime.NewScheme()
			if err := v1alpha1.AddToScheme(s); err != nil {
				t.Fatal(err)
			}

			mg := &v1alpha1.Administrator{ObjectMeta: tc.meta}
			mg.Name = "a"

			c := fake.NewClientBuilder().WithScheme(s).WithObjects(mg).Build()
			if err := c.Get(t.Context(), rtclient.ObjectKeyFromObject(mg), mg); err != nil {
				t.Fatal(err)
			}

			before := mg.GetResourceVersion()
			if err := (registrar{client: c}).Initialize(t.Context(), mg); err != nil {
				t.Fatal(err)
			}

			got := want{Name: meta.GetExternalName(mg), Finalizers: mg.GetFinalizers(), Written: mg.GetResourceVersion() != before}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nInitialize(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
