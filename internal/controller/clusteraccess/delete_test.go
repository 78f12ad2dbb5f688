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

package clusteraccess

import (
	"bytes"
	"strings"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func TestDeletion(t *testing.T) {
	wd := newWorld(t)
	wd.supply("source", wd.admin())
	wd.access("a")
	wd.reconcile("a", 2)
	user := &v1alpha1.FluxBootstrap{ObjectMeta: metav1.ObjectMeta{Name: "a", Finalizers: []string{"example.com/leaving"}}}
	user.Spec.ForProvider.KubeconfigSecretRef.Name = v1alpha1.KubeconfigSecretName("a")
	wd.create(user)

	// Neither the source nor the cluster is needed to go.
	wd.supply("source", []byte("nonsense"))
	wd.delete(&corev1.Secret{}, "source")
	wd.delete(&v1alpha1.ClusterAccess{}, "a")
	wd.reconcile("a", 2)
	if c := wd.get("a").GetCondition("Synced"); !strings.Contains(c.Message, "kubeconfig is in use by FluxBootstrap a: delete it first") {
		t.Errorf("want the user named, got %q", c.Message)
	}

	wd.delete(&v1alpha1.FluxBootstrap{}, "a")
	wd.reconcile("a", 2)
	if s := wd.stored("a"); s == nil || !s.DeletionTimestamp.IsZero() {
		t.Fatal("the kubeconfig is gone or going although somebody needs it to leave")
	}

	if err := wd.kube.Get(t.Context(), client.ObjectKeyFromObject(user), user); err != nil {
		t.Fatal(err)
	}
	user.Finalizers = nil
	if err := wd.kube.Update(t.Context(), user); err != nil {
		t.Fatal(err)
	}
	wd.reconcile("a", 2)
	wd.gone("a")
	if wd.stored("a") != nil {
		t.Error("the stored Secret is still there")
	}
}

// TestOrphaned deletes a ClusterAccess that may not delete what it stores: the
// Secret stays, and nothing holds it.
func TestOrphaned(t *testing.T) {
	wd := newWorld(t)
	wd.supply("source", wd.admin())
	wd.access("a", func(ca *v1alpha1.ClusterAccess) {
		ca.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve, xpv2.ManagementActionCreate, xpv2.ManagementActionUpdate, xpv2.ManagementActionLateInitialize}
	})
	wd.reconcile("a", 2)
	wd.wantReady("a", corev1.ConditionTrue, "Available", "")
	wd.delete(&v1alpha1.ClusterAccess{}, "a")
	wd.reconcile("a", 2)
	wd.gone("a")
	if wd.stored("a") == nil {
		t.Fatal("the stored Secret is gone")
	}
	wd.delete(&corev1.Secret{}, v1alpha1.KubeconfigSecretName("a"))
	if wd.stored("a") != nil {
		t.Error("the stored Secret cannot be deleted")
	}
}

// TestCrashes kills the process after each write, of connecting and of leaving.
func TestCrashes(t *testing.T) {
	kt.CrashAfterEachWrite(t, func(t *testing.T, c *kt.Crash) {
		t.Helper()
		wd := newWorld(t)
		config := wd.admin()
		wd.supply("source", config)
		wd.access("a")
		wd.through(c.Client(wd.kube), wd.cp.Config)
		live := func() {
			wd.reconcile("a", 3)
			c.Restart()
			wd.reconcile("a", 3)
		}
		live()
		wd.wantReady("a", corev1.ConditionTrue, "Available", "")
		if !bytes.Equal(config, wd.stored("a").Data["kubeconfig"]) {
			t.Error("the kubeconfig is not stored")
		}
	})
	kt.CrashAfterEachWrite(t, func(t *testing.T, c *kt.Crash) {
		t.Helper()
		wd := newWorld(t)
		wd.supply("source", wd.admin())
		wd.access("a")
		wd.reconcile("a", 3)
		wd.delete(&v1alpha1.ClusterAccess{}, "a")
		wd.through(c.Client(wd.kube), wd.cp.Config)
		wd.reconcile("a", 3)
		c.Restart()
		wd.reconcile("a", 3)
		wd.gone("a")
		if wd.stored("a") != nil {
			t.Error("the stored Secret is still there")
		}
	})
}

// owned makes a HostCluster, and a ClusterAccess and a user of its own.
func (wd *world) owned(name string) {
	wd.t.Helper()
	hc := &v1alpha1.HostCluster{ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: []string{v1alpha1.FinalizerHostCluster}}}
	hc.Spec.Mode = v1alpha1.ModeInCluster
	wd.create(hc)
	wd.access(name, func(ca *v1alpha1.ClusterAccess) {
		ca.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(hc, v1alpha1.Kind(v1alpha1.HostClusterKind))}
	})
	user := &v1alpha1.FluxBootstrap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	user.Spec.ForProvider.KubeconfigSecretRef.Name = v1alpha1.KubeconfigSecretName(name)
	wd.create(user)
	wd.reconcile(name, 2)
}

// letGo takes the finalizers off an object.
func (wd *world) letGo(o client.Object, name string) {
	wd.t.Helper()
	if err := wd.kube.Get(wd.t.Context(), client.ObjectKey{Namespace: wd.ns, Name: name}, o); err != nil {
		wd.t.Fatal(err)
	}
	o.SetFinalizers(nil)
	if err := wd.kube.Update(wd.t.Context(), o); err != nil {
		wd.t.Fatal(err)
	}
}

// TestDeletedByHand deletes a ClusterAccess whose HostCluster stays: it goes at
// once, its Secret stays, and the next one takes it over.
func TestDeletedByHand(t *testing.T) {
	wd := newWorld(t)
	wd.supply("source", wd.admin())
	wd.owned("a")
	before := wd.stored("a")

	wd.delete(&v1alpha1.ClusterAccess{}, "a")
	wd.reconcile("a", 2)
	wd.gone("a")
	wd.reconcile("a", 2) // Nobody is to sweep it.
	after := wd.stored("a")
	if after == nil || after.UID != before.UID || !after.DeletionTimestamp.IsZero() {
		t.Fatal("the kubeconfig is gone or going although it is in use")
	}

	wd.access("a")
	wd.reconcile("a", 2)
	wd.wantReady("a", corev1.ConditionTrue, "Available", "")
	if s := wd.stored("a"); s == nil || s.UID != before.UID || s.Annotations[annotationHandedOver] != "" {
		t.Error("the kubeconfig is not taken over")
	}
}

// TestSweep deletes the HostCluster, too, before it makes the next ClusterAccess:
// nothing stays, and not before it is of no use any more.
func TestSweep(t *testing.T) {
	wd := newWorld(t)
	wd.supply("source", wd.admin())
	wd.owned("a")
	wd.delete(&v1alpha1.ClusterAccess{}, "a")
	wd.reconcile("a", 2)
	wd.gone("a")

	wd.delete(&v1alpha1.HostCluster{}, "a")
	wd.reconcile("a", 1)
	if s := wd.stored("a"); s == nil || !s.DeletionTimestamp.IsZero() {
		t.Fatal("the kubeconfig is gone or going although somebody needs it to leave")
	}
	wd.delete(&v1alpha1.FluxBootstrap{}, "a")
	wd.reconcile("a", 1)
	if wd.stored("a") != nil {
		t.Error("the stored Secret is still there")
	}
	wd.letGo(&v1alpha1.HostCluster{}, "a")
}
