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
	"context"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	rtclient "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

func TestQuietStatus(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(mg *v1alpha1.Administrator)
		want   int
	}{
		"Same":    {"A status that is there is not sent.", func(*v1alpha1.Administrator) {}, 0},
		"Changed": {"A status that differs is.", func(mg *v1alpha1.Administrator) { mg.SetConditions(xpv2.Creating()) }, 1},
		"Behind":  {"What was read from an older cache is for the API server to refuse.", func(mg *v1alpha1.Administrator) { mg.ResourceVersion = "1" }, 1},
		"Gone":    {"So is what the cache does not have.", func(mg *v1alpha1.Administrator) { mg.Name = "other" }, 1},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := runtime.NewScheme()
			if err := v1alpha1.AddToScheme(s); err != nil {
				t.Fatal(err)
			}

			there := &v1alpha1.Administrator{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "a"}}
			there.SetConditions(xpv2.Available())

			sent := 0
			c := fake.NewClientBuilder().WithScheme(s).WithObjects(there).WithStatusSubresource(there).WithInterceptorFuncs(interceptor.Funcs{
				SubResourceUpdate: func(context.Context, rtclient.Client, string, rtclient.Object, ...rtclient.SubResourceUpdateOption) error {
					sent++

					return nil
				},
			}).Build()

			mg := &v1alpha1.Administrator{}
			if err := c.Get(t.Context(), rtclient.ObjectKeyFromObject(there), mg); err != nil {
				t.Fatal(err)
			}

			tc.change(mg)

			if err := (quietClient{c}).Status().Update(t.Context(), mg); err != nil {
				t.Fatal(err)
			}

			if sent != tc.want {
				t.Errorf("%s It was sent %d times.", tc.reason, sent)
			}
		})
	}
}
