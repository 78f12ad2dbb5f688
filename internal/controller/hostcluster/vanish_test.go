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

package hostcluster

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// TestVanishes: a ProvisionedCluster that is gone at the moment when a deletion
// writes to it is not made again, which might begin another cluster.
func TestVanishes(t *testing.T) {
	for _, policy := range []v1alpha1.DeletionPolicy{v1alpha1.DeletionDisconnect, v1alpha1.DeletionDestroy} {
		t.Run(string(policy), func(t *testing.T) {
			RegisterTestingT(t)

			cp, ctx := kt.Shared(t), t.Context()
			w := newWorld(cp.Client, cp.Namespace(t), v1alpha1.ModeProvisionEKS)
			w.create(ctx)

			free := kt.NewCrash(0)
			Expect(w.reconcileAll(ctx, newReconciler(t, free.Client(cp.Client)), free.Writes)).To(Succeed())

			hc, err := w.get(ctx)
			Expect(err).NotTo(HaveOccurred())

			before := hc.DeepCopy()
			hc.Spec.DeletionPolicy = policy
			Expect(cp.Client.Patch(ctx, hc, client.MergeFrom(before))).To(Succeed())
			Expect(cp.Client.Delete(ctx, hc)).To(Succeed())

			pc := &v1alpha1.ProvisionedCluster{}
			w.child(ctx, pc, nil)

			applies := 0
			late := interceptor.NewClient(cp.Client, interceptor.Funcs{
				Apply: func(ctx context.Context, c client.WithWatch, o runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
					if applies++; applies == 1 {
						Expect(cp.Client.Delete(ctx, pc)).To(Succeed())
					}

					return c.Apply(ctx, o, opts...)
				},
			})
			r := newReconciler(t, late)

			for range 3 { // The first one finds out.
				_, err = r.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(hc)})
				Expect(err).NotTo(HaveOccurred())
			}

			Expect(applies).To(Equal(1))
			Expect(kerrors.IsNotFound(cp.Client.Get(ctx, client.ObjectKeyFromObject(pc), pc))).To(BeTrue(), "it was made again")

			_, err = w.get(ctx)
			Expect(kerrors.IsNotFound(err)).To(BeTrue(), "the HostCluster is still there")
		})
	}
}
