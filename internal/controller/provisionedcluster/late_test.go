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

package provisionedcluster

import (
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// TestTooLate: no run begins for what was changed, or is gone, since it was
// decided on. The cloud is asked in between, which takes a while.
func TestTooLate(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason  string
		between func(w *world)
	}{
		"ObserveOnly": {
			reason: "Its HostCluster is deleted.",
			between: func(w *world) {
				w.change(func(pc *v1alpha1.ProvisionedCluster) {
					pc.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
				})
			},
		},
		"Gone": {
			reason: "Another replica has let it go.",
			between: func(w *world) {
				w.change(func(pc *v1alpha1.ProvisionedCluster) { pc.Finalizers = nil })
				w.Expect(w.kube.Delete(w.t.Context(), w.get())).To(Succeed())
			},
		},
		"MadeAgain": {
			reason: "It is another object by now.",
			between: func(w *world) {
				w.change(func(pc *v1alpha1.ProvisionedCluster) { pc.Finalizers = nil })
				pc := w.get()
				w.Expect(w.kube.Delete(w.t.Context(), pc)).To(Succeed())
				w.create(&v1alpha1.ProvisionedCluster{ObjectMeta: w.pc.ObjectMeta, Spec: pc.Spec})
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.create(w.pc.DeepCopy())

			asked := false
			w.asked = func() {
				if !asked {
					asked = true
					tc.between(w)
				}
			}

			for range 20 { // Until the cloud is asked, and to the end of that reconcile.
				if _ = w.reconcile(); asked {
					break
				}
			}

			w.Expect(asked).To(BeTrue())

			for _, l := range []client.ObjectList{&batchv1.JobList{}, &corev1.ConfigMapList{}} {
				w.Expect(w.kube.List(t.Context(), l, client.InNamespace(w.jobs), client.HasLabels{v1alpha1.LabelHostCluster})).To(Succeed())
				w.Expect(l).To(HaveField("Items", BeEmpty()), tc.reason)
			}
		})
	}
}

// TestRemembersRun: a run whose id was lost is known again after the next look,
// though the credentials of the next one have gone meanwhile; who forgets it
// forgets what it made.
func TestRemembersRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(w.pc)
	spec := w.fails(run.ClassCapacity)
	w.says("Failing", "the cloud says no. Next try at ")
	w.clock.SetTime(w.clock.Now().Add(firstRetry)) // Now the next try asks for the credentials.

	w.Expect(w.kube.Delete(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: "aws"}})).To(Succeed())
	pc := w.get()
	pc.Status.AtProvider = v1alpha1.ProvisionedClusterObservation{}
	w.Expect(w.kube.Status().Update(t.Context(), pc)).To(Succeed())

	_ = w.reconcile() // That the credentials are gone is in the status.
	pc = w.get()
	w.Expect(pc.Status.AtProvider.RunID).To(Equal(spec.ID))
	w.Expect(string(pc.GetCondition("Ready").Reason)).To(Equal("Waiting"))
}
