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
	"testing"

	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// TestRights: what the controller may not delete is left to the garbage
// collector, but infrastructure is never forgotten. It needs no other rights
// than these, with the API server checking that it may block owners' deletion.
func TestRights(t *testing.T) {
	cp := kt.Shared(t)

	RegisterTestingT(t)

	rules := []rbacv1.PolicyRule{
		{APIGroups: []string{v1alpha1.Group}, Resources: []string{"hostclusters", "hostclusters/status", "hostclusters/finalizers"}, Verbs: []string{"get", "list", "watch", "update", "patch"}},
		{APIGroups: []string{v1alpha1.Group}, Resources: []string{"clusteraccesses", "provisionedclusters", "fluxbootstraps", "gitopsenvironments", "administrators"}, Verbs: []string{"get", "list", "watch", "create", "update", "patch"}},
	}

	limited := func(t *testing.T, policy v1alpha1.DeletionPolicy) (*world, *Reconciler, func() int) {
		t.Helper()

		ctx := t.Context()
		w := newWorld(cp.Client, cp.Namespace(t), v1alpha1.ModeProvisionEKS)
		w.hc.Spec.DeletionPolicy = policy
		w.create(ctx)

		user := kt.User{Name: "crossplane-" + w.hc.GetNamespace()}
		cp.Grant(ctx, t, user.Name, w.hc.GetNamespace(), rules...)

		cfg, err := cp.UserConfig(user)
		if err != nil {
			t.Fatal(err)
		}

		c, err := client.NewWithWatch(cfg, client.Options{Scheme: kt.Scheme()})
		if err != nil {
			t.Fatal(err)
		}

		free := kt.NewCrash(0)
		r := newReconciler(t, free.Client(c))
		Eventually(func() error { return w.drive(ctx, r, free.Writes) }).Should(Succeed()) // Rights take a moment.

		return w, r, free.Writes
	}

	t.Run("Create", func(t *testing.T) {
		RegisterTestingT(t)

		// The right to create a child comes later.
		ctx := t.Context()
		w := newWorld(cp.Client, cp.Namespace(t), v1alpha1.ModeProvisionEKS).create(ctx)
		user := kt.User{Name: "limited-" + w.hc.GetNamespace()}
		cp.Grant(ctx, t, user.Name, w.hc.GetNamespace(), rules[0], rbacv1.PolicyRule{
			APIGroups: rules[1].APIGroups, Resources: rules[1].Resources, Verbs: []string{"get", "list", "watch"},
		})

		cfg, err := cp.UserConfig(user)
		Expect(err).NotTo(HaveOccurred())

		c, err := client.NewWithWatch(cfg, client.Options{Scheme: kt.Scheme()})
		Expect(err).NotTo(HaveOccurred())

		free := kt.NewCrash(0)
		r := newReconciler(t, free.Client(c))
		Eventually(func(g Gomega) {
			g.Expect(w.reconcileAll(ctx, r, free.Writes)).To(MatchError(ContainSubstring("cannot apply ProvisionedCluster")))

			hc, err := w.get(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(hc.Status.Phase).To(Equal(v1alpha1.PhaseProvisioning))
			g.Expect(hc.Status.Message).To(HavePrefix("cannot apply ProvisionedCluster: provisionedclusters.kubeopera.io"))
			g.Expect(hc.GetCondition("Synced").Reason).To(BeEquivalentTo("ReconcileError"))
		}).Should(Succeed())

		cp.Grant(ctx, t, user.Name, w.hc.GetNamespace(), rules...)
		Eventually(func() error { return w.drive(ctx, r, free.Writes) }).Should(Succeed())

		hc, err := w.get(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(hc.Status.Phase).To(Equal(v1alpha1.PhaseReady))
		Expect(hc.GetCondition("Synced").Reason).To(BeEquivalentTo("ReconcileSuccess"))
	})

	t.Run("Disconnect", func(t *testing.T) {
		RegisterTestingT(t)

		ctx := t.Context()
		w, r, writes := limited(t, v1alpha1.DeletionDisconnect)
		Expect(cp.Client.Delete(ctx, w.hc)).To(Succeed())
		Expect(w.reconcileAll(ctx, r, writes)).To(Succeed())
		Eventually(func() bool {
			return kerrors.IsNotFound(cp.Client.Get(ctx, client.ObjectKeyFromObject(w.hc), &v1alpha1.FluxBootstrap{}))
		}).WithTimeout(patience).Should(BeTrue(), "the garbage collector takes the children")
		Expect(cp.Client.Get(ctx, client.ObjectKeyFromObject(w.hc), &v1alpha1.ProvisionedCluster{})).To(Succeed())
	})

	t.Run("Destroy", func(t *testing.T) {
		RegisterTestingT(t)

		ctx := t.Context()
		w, r, writes := limited(t, v1alpha1.DeletionDestroy)
		Expect(cp.Client.Delete(ctx, w.hc)).To(Succeed())

		err := w.reconcileAll(ctx, r, writes)
		Expect(err).To(MatchError(ContainSubstring("kubectl delete provisionedcluster my-cluster")))

		hc, err := w.get(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(hc.GetCondition("Synced").Message).To(HavePrefix("cannot destroy the cluster: grant the right to delete"))

		Expect(cp.Client.Delete(ctx, &v1alpha1.ProvisionedCluster{ObjectMeta: w.hc.ObjectMeta})).To(Succeed())
		Expect(w.reconcileAll(ctx, r, writes)).To(Succeed())
		_, err = w.get(ctx)
		Expect(kerrors.IsNotFound(err)).To(BeTrue())
	})
}
