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
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
)

// working is the finalizer of a child's own controller.
const working = "finalizer.managedresource.crossplane.io"

var _ = Describe("Deleting a HostCluster", func() {
	gone := func(ctx context.Context, w *world, o client.Object) {
		GinkgoHelper()
		Eventually(func() bool {
			return kerrors.IsNotFound(cp.Client.Get(ctx, client.ObjectKeyFromObject(w.hc), o))
		}).Should(BeTrue(), "%T is still there", o)
	}

	hold := func(ctx context.Context, w *world, o client.Object) {
		GinkgoHelper()
		w.child(ctx, o, nil)

		before, ok := o.DeepCopyObject().(client.Object)
		Expect(ok).To(BeTrue())
		controllerutil.AddFinalizer(o, working)
		Expect(cp.Client.Patch(ctx, o, client.MergeFrom(before))).To(Succeed())
	}

	release := func(ctx context.Context, w *world, o client.Object) {
		GinkgoHelper()
		Eventually(func(g Gomega) {
			g.Expect(cp.Client.Get(ctx, client.ObjectKeyFromObject(w.hc), o)).To(Succeed())
			g.Expect(o.GetDeletionTimestamp()).NotTo(BeNil())
		}).Should(Succeed())

		before, ok := o.DeepCopyObject().(client.Object)
		Expect(ok).To(BeTrue())
		controllerutil.RemoveFinalizer(o, working)
		Expect(cp.Client.Patch(ctx, o, client.MergeFrom(before))).To(Succeed())
	}

	DescribeTable("waits for its children and says so", func(ctx context.Context, p metav1.DeletionPropagation) {
		w := newWorld(cp.Client, namespace(ctx), v1alpha1.ModeConnectExisting).create(ctx)
		hc := w.install(ctx)
		hold(ctx, w, &v1alpha1.FluxBootstrap{})

		Expect(cp.Client.Delete(ctx, hc, client.PropagationPolicy(p))).To(Succeed())
		gone(ctx, w, &v1alpha1.Administrator{})
		gone(ctx, w, &v1alpha1.GitOpsEnvironment{})
		gone(ctx, w, &v1alpha1.ClusterAccess{})

		w.becomes(ctx, &v1alpha1.FluxBootstrap{}, notReady(v1alpha1.ReasonUnreachable, "Cannot disconnect: connection refused"))
		Eventually(func(g Gomega) {
			now, err := w.get(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(now.Status.Phase).To(Equal(v1alpha1.PhaseDeleting))
			g.Expect(now.Status.Message).To(Equal("FluxBootstrap: Cannot disconnect: connection refused. Waits until these are deleted: FluxBootstrap."))
			g.Expect(now.GetCondition(xpv2.TypeReady).Reason).To(Equal(xpv2.ReasonDeleting))
		}).Should(Succeed())

		release(ctx, w, &v1alpha1.FluxBootstrap{})
		gone(ctx, w, &v1alpha1.HostCluster{})
	},
		Entry("in the background", metav1.DeletePropagationBackground),
		Entry("in the foreground, as Argo CD does", metav1.DeletePropagationForeground),
	)

	It("leaves a provisioned cluster when it is disconnected, for the next HostCluster of that name", func(ctx context.Context) {
		w := newWorld(cp.Client, namespace(ctx), v1alpha1.ModeProvisionEKS).create(ctx)
		w.provisioned(ctx)
		hc := w.install(ctx)

		pc := &v1alpha1.ProvisionedCluster{}
		w.child(ctx, pc, nil)
		Expect(cp.Client.Delete(ctx, hc)).To(Succeed())
		gone(ctx, w, &v1alpha1.HostCluster{})

		now := &v1alpha1.ProvisionedCluster{}
		w.child(ctx, now, nil)
		Expect(now.GetUID()).To(Equal(pc.GetUID()))
		Expect(now.GetDeletionTimestamp()).To(BeNil())

		w.create(ctx)
		w.validated(ctx)
		w.reaches(ctx, v1alpha1.PhaseBootstrappingFlux)
	})

	It("leaves a cluster whose making began at the last moment", func(ctx context.Context) {
		w := newWorld(cp.Client, namespace(ctx), v1alpha1.ModeProvisionEKS).create(ctx)
		pc := &v1alpha1.ProvisionedCluster{}
		w.child(ctx, pc, nil)

		hc, err := w.get(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(cp.Client.Delete(ctx, hc)).To(Succeed())
		w.child(ctx, pc, func() bool { return len(pc.GetManagementPolicies()) == 1 })

		pc.Status.ObservedGeneration, pc.Status.AtProvider.RunID = pc.GetGeneration(), "apply-1"
		Expect(cp.Client.Status().Update(ctx, pc)).To(Succeed())
		gone(ctx, w, &v1alpha1.HostCluster{})
		w.child(ctx, pc, func() bool { return len(pc.GetManagementPolicies()) > 1 })
		Expect(pc.GetDeletionTimestamp()).To(BeNil())
	})

	It("leaves none that would make a cluster after it is gone", func(ctx context.Context) {
		w := newWorld(cp.Client, namespace(ctx), v1alpha1.ModeProvisionEKS).create(ctx)
		pc := &v1alpha1.ProvisionedCluster{}
		w.child(ctx, pc, nil)
		hold(ctx, w, &v1alpha1.ProvisionedCluster{})

		hc, err := w.get(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(cp.Client.Delete(ctx, hc)).To(Succeed())
		w.child(ctx, pc, func() bool { return len(pc.GetManagementPolicies()) == 1 })
		Expect(pc.GetManagementPolicies()).To(ConsistOf(xpv2.ManagementActionObserve))
		Consistently(ctx, func(g Gomega) {
			w.child(ctx, pc, nil)
			g.Expect(pc.GetDeletionTimestamp()).To(BeNil(), "a run may have begun before it was told not to")
		}).Should(Succeed())

		look := func(ready, synced xpv2.Condition) {
			pc.Status.ObservedGeneration = pc.GetGeneration()
			pc.SetConditions(ready, synced)
			Expect(cp.Client.Status().Update(ctx, pc)).To(Succeed())
		}
		look(external.NotReady(v1alpha1.ReasonFailing, "Cannot read Job: etcdserver: leader changed"), xpv2.ReconcileError(errors.New("it failed")))
		Eventually(ctx, func(g Gomega) {
			now, err := w.get(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(now.Status.Message).To(HavePrefix("ProvisionedCluster: it failed. Waits until these are deleted: ProvisionedCluster"))
		}).Should(Succeed())
		w.child(ctx, pc, nil)
		Expect(pc.GetDeletionTimestamp()).To(BeNil(), "what could not be looked at may have begun")

		look(external.NotReady(v1alpha1.ReasonWaiting, "spec.managementPolicies allow no Create"), xpv2.ReconcileSuccess())
		w.child(ctx, pc, func() bool { return pc.GetDeletionTimestamp() != nil })

		Eventually(ctx, func(g Gomega) {
			now, err := w.get(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(now.Status.Message).To(ContainSubstring("Waits until these are deleted: ProvisionedCluster"))
		}).Should(Succeed())

		release(ctx, w, &v1alpha1.ProvisionedCluster{})
		gone(ctx, w, &v1alpha1.HostCluster{})
	})

	It("destroys a provisioned cluster after everything else, if that was asked for at last", func(ctx context.Context) {
		w := newWorld(cp.Client, namespace(ctx), v1alpha1.ModeProvisionEKS).create(ctx)
		w.provisioned(ctx)
		hc := w.install(ctx)
		hold(ctx, w, &v1alpha1.FluxBootstrap{})
		hold(ctx, w, &v1alpha1.ProvisionedCluster{})

		before := hc.DeepCopy()
		hc.Spec.DeletionPolicy = v1alpha1.DeletionDestroy
		Expect(cp.Client.Patch(ctx, hc, client.MergeFrom(before))).To(Succeed())
		Expect(cp.Client.Delete(ctx, hc)).To(Succeed())
		gone(ctx, w, &v1alpha1.ClusterAccess{})

		pc := &v1alpha1.ProvisionedCluster{}
		w.child(ctx, pc, func() bool { return len(pc.GetManagementPolicies()) == 1 })
		Expect(pc.GetManagementPolicies()).To(ConsistOf(xpv2.ManagementActionAll))
		Expect(pc.GetDeletionTimestamp()).To(BeNil(), "Flux is not disconnected yet")

		release(ctx, w, &v1alpha1.FluxBootstrap{})
		release(ctx, w, &v1alpha1.ProvisionedCluster{})
		gone(ctx, w, &v1alpha1.HostCluster{})
	})

	It("leaves children that were orphaned on purpose", func(ctx context.Context) {
		w := newWorld(cp.Client, namespace(ctx), v1alpha1.ModeConnectExisting).create(ctx)
		hc := w.install(ctx)
		Expect(cp.Client.Delete(ctx, hc, client.PropagationPolicy(metav1.DeletePropagationOrphan))).To(Succeed())
		gone(ctx, w, &v1alpha1.HostCluster{})
		Consistently(func() error {
			return cp.Client.Get(ctx, client.ObjectKeyFromObject(w.hc), &v1alpha1.FluxBootstrap{})
		}, 300*time.Millisecond).Should(Succeed())
	})

	It("goes with its namespace, whatever goes first", func(ctx context.Context) {
		w := newWorld(cp.Client, namespace(ctx), v1alpha1.ModeProvisionEKS).create(ctx)
		w.provisioned(ctx)
		hc := w.install(ctx)

		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hc.GetNamespace()}}
		Expect(cp.Client.Delete(ctx, ns)).To(Succeed())
		Eventually(func() bool {
			return kerrors.IsNotFound(cp.Client.Get(ctx, client.ObjectKeyFromObject(ns), ns))
		}).WithTimeout(4 * patience).Should(BeTrue())
	})

	It("does not touch a child of somebody else", func(ctx context.Context) {
		w := newWorld(cp.Client, namespace(ctx), v1alpha1.ModeProvisionEKS)
		theirs := &v1alpha1.ProvisionedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: w.hc.GetNamespace(), Name: w.hc.GetName()}}
		theirs.Spec.ForProvider = v1alpha1.ProvisionedClusterParameters{Sizing: w.hc.Spec.Provisioning.Sizing, Provider: "aws", Region: "eu-west-1"}
		Expect(cp.Client.Create(ctx, theirs)).To(Succeed())

		w.hc.Spec.DeletionPolicy = v1alpha1.DeletionDestroy
		w.create(ctx)
		hc := w.reaches(ctx, v1alpha1.PhaseFailed)
		Expect(hc.Status.Message).To(HavePrefix("ProvisionedCluster my-cluster exists and is not ours"))
		Expect(cp.Client.Delete(ctx, hc)).To(Succeed())
		gone(ctx, w, &v1alpha1.HostCluster{})

		now := &v1alpha1.ProvisionedCluster{}
		w.child(ctx, now, nil)
		Expect(now.GetResourceVersion()).To(Equal(theirs.GetResourceVersion()))
	})
})
