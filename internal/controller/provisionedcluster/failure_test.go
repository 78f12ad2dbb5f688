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
	"fmt"
	"strings"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// TestTerminal: a quota stops the retries until something changes, and the
// cluster can be destroyed all the same.
func TestTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(w.pc)
	first := w.fails(run.ClassQuota)
	w.says("Refused", "Quota: the cloud says no. It is tried again once the spec")
	pc := w.get()
	w.Expect(pc.Status.AtProvider.LastError).To(Equal(&v1alpha1.RunError{Class: "Quota", Message: "the cloud says no"}))
	w.Expect(string(pc.GetCondition("LastAsyncOperation").Reason)).To(Equal("ApplyFailure"))

	w.clock.SetTime(w.clock.Now().Add(24 * time.Hour))
	for range 3 {
		w.Expect(w.reconcile()).To(Succeed())
	}
	w.Expect(w.get().Status.AtProvider.RunID).To(Equal(first.ID))

	w.change(func(pc *v1alpha1.ProvisionedCluster) {
		metav1.SetMetaDataAnnotation(&pc.ObjectMeta, meta.AnnotationKeyReconcileRequestedAt, "the quota was raised")
	})
	second := w.fails(run.ClassAuth, first.ID)
	w.Expect(second.Revision).To(Equal(first.Revision))
	w.says("Denied", "Auth: the cloud says no")

	s := &corev1.Secret{}
	w.Expect(w.kube.Get(t.Context(), client.ObjectKey{Namespace: w.ns, Name: "aws"}, s)).To(Succeed())
	s.Data["credentials"] = []byte(strings.Replace(string(s.Data["credentials"]), "EXAMPLE", "EXAMPL2", 1))
	w.Expect(w.kube.Update(t.Context(), s)).To(Succeed())
	w.succeeds(first.ID, second.ID)
	w.ready()
	w.Expect(w.get().Status.AtProvider.LastError).To(BeNil())
	w.Expect(string(w.get().GetCondition("LastAsyncOperation").Reason)).To(Equal("Success"))
}

// TestTerminalDestroy: a destroy that the cloud refuses says how to let go of
// the cluster without it.
func TestTerminalDestroy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(w.pc)
	first := w.succeeds()
	w.ready()
	w.Expect(w.kube.Delete(t.Context(), w.get())).To(Succeed())
	w.fails(run.ClassConflict, first.ID)
	w.says("Deleting", "Conflict: the cloud says no. It is tried again once the spec")
	w.says("Deleting", "set deletionPolicy Disconnect on the HostCluster, or managementPolicies without Delete here")

	w.change(func(pc *v1alpha1.ProvisionedCluster) { pc.Spec.ManagementPolicies = keep })
	w.Eventually(func() bool {
		_ = w.reconcile()
		return kerrors.IsNotFound(w.kube.Get(t.Context(), w.key(), &v1alpha1.ProvisionedCluster{}))
	}).Should(BeTrue())
}

// TestTransient: what may pass is tried again, the later the more often it failed.
func TestTransient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(w.pc)
	first := w.fails(run.ClassCapacity)
	w.says("Failing", "the cloud says no. Next try at ")
	w.Expect(w.reconcile()).To(Succeed())
	w.Expect(w.get().Status.AtProvider.RunID).To(Equal(first.ID))

	w.clock.SetTime(w.clock.Now().Add(firstRetry))
	p, second := w.pod(first.ID) // This one is killed.
	w.reports(second, v1alpha1.RunRunning)
	w.ends(p, 137)
	w.says("Failing", "Run was killed: container terraform-runner of pod "+p.GetName()+" ended with exit code 137")
	w.says("Failing", "after 2 in a row")
	w.clock.SetTime(w.clock.Now().Add(firstRetry))
	w.Expect(w.reconcile()).To(Succeed())
	w.Expect(w.get().Status.AtProvider.RunID).To(Equal(second.ID))

	w.clock.SetTime(w.clock.Now().Add(2 * firstRetry))
	third := w.succeeds(first.ID, second.ID)
	w.Expect(third.EndedHolders).To(ContainElement(p.GetName()))
	w.ready()
}

// TestRefusedCredentials: nothing is started with credentials that are missing,
// malformed, or refused by the cloud.
func TestRefusedCredentials(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.refuse = fault.New(fault.Denied, "AWS does not accept the key")
	w.create(w.pc)
	w.says("Denied", "AWS does not accept the key")
	w.refuse = nil

	s := &corev1.Secret{}
	w.Expect(w.kube.Get(t.Context(), client.ObjectKey{Namespace: w.ns, Name: "aws"}, s)).To(Succeed())
	good := s.DeepCopy()
	s.Data["credentials"] = []byte("nonsense")
	w.Expect(w.kube.Update(t.Context(), s)).To(Succeed())
	w.says("Refused", "Secret "+w.ns+"/aws key credentials")
	w.Expect(w.kube.Delete(t.Context(), s)).To(Succeed())
	w.says("Waiting", "Secret "+w.ns+"/aws is not there yet")

	l := &corev1.ConfigMapList{}
	w.Expect(w.kube.List(t.Context(), l, client.InNamespace(w.jobs), client.HasLabels{run.LabelRun})).To(Succeed())
	w.Expect(l.Items).To(BeEmpty())

	good.ResourceVersion = ""
	w.Expect(w.kube.Create(t.Context(), good)).To(Succeed())
	w.succeeds()
	w.ready()
}

// TestRights: what is missing is said, with the command that adds it.
func TestRights(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: w.jobs, Name: "cluster-provisioner"}}
	w.Expect(w.kube.Delete(t.Context(), b)).To(Succeed())
	w.create(w.pc)
	w.says("Denied", "in namespace "+w.jobs+": run kubectl apply -k cluster/install/provisioning")
	w.says("Denied", "may not get jobs")

	// Where nothing can have been started there is nothing to destroy.
	w.Expect(w.kube.Delete(t.Context(), w.get())).To(Succeed())
	w.nothingLeft()
}

// TestReplicas: two providers without leader election make one run.
func TestReplicas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(w.pc)
	_, other := w.reconciler(w.client(w.provider))
	seen := census{}
	rounds := func() {
		for range 8 {
			ended := make(chan error)
			go func() {
				_, err := other.Reconcile(t.Context(), reconcile.Request{NamespacedName: w.key()})
				ended <- err
			}()
			_ = w.reconcile()
			<-ended
		}
		seen.look(w)
	}
	rounds()
	first := w.succeeds()
	w.ready()
	w.change(func(pc *v1alpha1.ProvisionedCluster) { pc.Spec.ForProvider.NodeCount = 5 })
	rounds()
	w.succeeds(first.ID)
	w.ready()
	rounds()
	seen.perRun(w, 2)
}

// TestQueue: there are no more runs at a time than there may be.
func TestQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.max = 1
	w.through(w.client(w.provider))
	w.create(w.pc)
	p, spec := w.pod()

	busy := w.pc
	w.pc = w.pc.DeepCopy()
	w.pc.Name, w.pc.ResourceVersion, w.pc.UID = "another", "", ""
	w.pc.Spec.WriteConnectionSecretToReference.Name = "another"
	w.create(w.pc)
	w.says("InProgress", "Queued: 1 of at most 1 runs are going on")
	w.Expect(w.get().Status.AtProvider.RunStatus).To(Equal(v1alpha1.RunQueued))

	w.reports(spec, v1alpha1.RunSucceeded)
	w.ends(p, 0)
	w.succeeds(spec.ID)
	w.ready()
	w.pc = busy
	w.ready()
}

// TestConflict: two clusters of one name, of different namespaces, do not share Jobs.
func TestConflict(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(w.pc)
	w.pod()
	cm := &corev1.ConfigMap{}
	w.Expect(w.kube.Get(t.Context(), client.ObjectKey{Namespace: w.jobs, Name: "provision-my-cluster"}, cm)).To(Succeed())

	other := newWorld(t)
	theirs := cm.DeepCopy()
	theirs.ObjectMeta = metav1.ObjectMeta{Namespace: other.jobs, Name: cm.Name, Labels: cm.Labels}
	other.Expect(other.kube.Create(t.Context(), theirs)).To(Succeed())
	other.create(other.pc)
	other.says("Conflict", fmt.Sprintf("ConfigMap %s/provision-my-cluster belongs to cluster my-cluster of namespace %s", other.jobs, w.ns))
}

// TestNoDelete: an object that goes without the right to delete leaves
// everything, and one of its name takes the cluster up again.
func TestNoDelete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pc.Spec.ManagementPolicies = keep
	w.create(w.pc.DeepCopy())
	first := w.succeeds()
	w.ready()
	bucket := w.get().Status.AtProvider.StateBucket
	w.Expect(w.kube.Delete(t.Context(), w.get())).To(Succeed())
	w.Eventually(func() bool {
		_ = w.reconcile()
		return client.IgnoreNotFound(w.kube.Get(t.Context(), w.key(), w.pc.DeepCopy())) == nil && w.kube.Get(t.Context(), w.key(), w.pc.DeepCopy()) != nil
	}).Should(BeTrue())

	w.create(w.pc.DeepCopy())
	w.ready()
	at := w.get().Status.AtProvider
	w.Expect(at.RunID).To(Equal(first.ID))
	w.Expect(at.StateBucket).To(Equal(bucket))
	w.published("kubeconfig of " + first.ID)
}

// TestLostProviderConfig: infrastructure is never forgotten.
func TestLostProviderConfig(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(w.pc)
	first := w.succeeds()
	w.ready()

	config := &v1alpha1.ProviderConfig{}
	key := client.ObjectKey{Namespace: w.ns, Name: "acme"}
	w.Expect(w.kube.Get(t.Context(), key, config)).To(Succeed())
	w.Expect(w.kube.Delete(t.Context(), config)).To(Succeed())
	w.Expect(w.kube.Delete(t.Context(), w.get())).To(Succeed())
	w.until(func(g Gomega, pc *v1alpha1.ProvisionedCluster) {
		g.Expect(pc.GetCondition("Synced").Message).To(ContainSubstring("cannot destroy the cluster, its infrastructure stays: ProviderConfig " + w.ns + "/acme is not there yet"))
		g.Expect(pc.GetCondition("Ready").Message).To(ContainSubstring("ProviderConfig " + w.ns + "/acme"))
	})
	config.ResourceVersion = ""
	w.Expect(w.kube.Create(t.Context(), config)).To(Succeed())
	w.succeeds(first.ID)
	w.nothingLeft()
}

// TestDeleteWhileApplying: a destroy waits for the apply, and for those who use the cluster.
func TestDeleteWhileApplying(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(w.pc)
	p, first := w.pod()
	w.reports(first, v1alpha1.RunRunning)
	user := &v1alpha1.ClusterAccess{ObjectMeta: metav1.ObjectMeta{Name: "user"}}
	user.Spec.ForProvider.ProvisionedClusterRef = &v1alpha1.ObjectReference{Name: w.pc.GetName()}
	w.create(user)

	w.Expect(w.kube.Delete(t.Context(), w.get())).To(Succeed())
	w.until(func(g Gomega, pc *v1alpha1.ProvisionedCluster) {
		g.Expect(pc.GetCondition("Synced").Message).To(ContainSubstring("cluster is in use by ClusterAccess user: delete it first"))
	})
	w.Expect(w.kube.Delete(t.Context(), user)).To(Succeed())
	w.until(func(g Gomega, pc *v1alpha1.ProvisionedCluster) {
		g.Expect(pc.GetCondition("Ready").Message).To(HavePrefix("Creating aws_eks_cluster.this"))
		g.Expect(pc.Status.AtProvider.RunID).To(Equal(first.ID))
	})
	w.reports(first, v1alpha1.RunSucceeded)
	w.ends(p, 0)
	destroy := w.succeeds(first.ID)
	w.Expect(destroy.Action).To(Equal(run.Destroy))
	w.nothingLeft()
}

// TestMove: runs go on in another namespace, and the old one is cleared.
func TestMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(w.pc)
	w.succeeds()
	w.ready()
	old := w.jobs

	w.jobs = w.cp.Namespace(t)
	w.install("provisioning/runner.yaml", "provisioning/provisioner.yaml")
	w.runner = w.client(w.serviceAccount(w.jobs, "terraform-runner"))
	config := &v1alpha1.ProviderConfig{}
	w.Expect(w.kube.Get(t.Context(), client.ObjectKey{Namespace: w.ns, Name: "acme"}, config)).To(Succeed())
	config.Spec.Execution.Namespace = w.jobs
	w.Expect(w.kube.Update(t.Context(), config)).To(Succeed())
	w.succeeds()
	w.ready()
	w.Expect(w.get().Status.AtProvider.Place.Namespace).To(Equal(w.jobs))

	l := &corev1.SecretList{}
	w.Expect(w.kube.List(t.Context(), l, client.InNamespace(old))).To(Succeed())
	w.Expect(l.Items).To(BeEmpty())
}

// keep is what a HostCluster allows while it may only be disconnected.
var keep = xpv2.ManagementPolicies{
	xpv2.ManagementActionObserve, xpv2.ManagementActionCreate, xpv2.ManagementActionUpdate, xpv2.ManagementActionLateInitialize,
}
