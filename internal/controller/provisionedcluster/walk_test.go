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
	"encoding/json"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// TestWalk: a cluster is made, resized and destroyed.
func TestWalk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(w.pc)

	p, first := w.pod()
	w.Expect(first.Action).To(Equal(run.Apply))
	w.Expect(first.ID).To(HavePrefix("apply-1-"))
	w.says("InProgress", "Provisioning: the run is starting")
	w.reports(first, v1alpha1.RunRunning)
	w.until(func(g Gomega, pc *v1alpha1.ProvisionedCluster) {
		at := pc.Status.AtProvider
		g.Expect(pc.GetCondition("Ready").Message).To(Equal("Creating aws_eks_cluster.this (3 of 42 resources)"))
		g.Expect(at.RunID).To(Equal(first.ID))
		g.Expect(at.RunStatus).To(Equal(v1alpha1.RunRunning))
		g.Expect(at.Progress).To(Equal(&v1alpha1.Progress{Done: 3, Total: 42, Step: "Creating aws_eks_cluster.this"}))
		g.Expect(at.StateBucket).To(Equal("kubeopera-terraform-state-my-cluster"))
		g.Expect(string(pc.GetCondition("AsyncOperation").Reason)).To(Equal("Ongoing"))
	})
	w.reports(first, v1alpha1.RunSucceeded)
	w.ends(p, 0)
	w.ready()

	pc := w.get()
	w.Expect(pc.Status.AtProvider.AppliedRevision).To(Equal(first.Revision))
	w.Expect(pc.Status.AtProvider.Endpoint).To(Equal("https://cluster"))
	w.Expect(string(pc.GetCondition("AsyncOperation").Reason)).To(Equal("Finished"))
	w.Expect(string(pc.GetCondition("LastAsyncOperation").Reason)).To(Equal("Success"))
	w.published("kubeconfig of " + first.ID)
	kt.Unchanged(t, w.kube, 3, w.reconcile, w.everything(), client.InNamespace(w.ns))
	kt.Unchanged(t, w.kube, 3, w.reconcile, []client.ObjectList{&batchv1.JobList{}, &corev1.SecretList{}, &corev1.ConfigMapList{}, &corev1.PodList{}}, client.InNamespace(w.jobs))

	// A resize is a second run; the way into the cluster stays meanwhile.
	w.change(func(pc *v1alpha1.ProvisionedCluster) { pc.Spec.ForProvider.NodeCount = 5 })
	p, second := w.pod(first.ID)
	w.Expect(second.ID).To(HavePrefix("apply-2-"))
	w.Expect(second.EndedHolders).To(HaveLen(1))
	w.reports(second, v1alpha1.RunRunning)
	w.says("InProgress", "(3 of 42 resources)")
	w.Expect(w.get().Status.AtProvider.AppliedRevision).To(Equal(first.Revision))
	w.published("kubeconfig of " + first.ID)
	w.reports(second, v1alpha1.RunSucceeded)
	w.ends(p, 0)
	w.ready()
	w.Expect(w.get().Status.AtProvider.AppliedRevision).To(Equal(second.Revision))
	w.published("kubeconfig of " + second.ID)
	w.noSecrets()

	// A destroy is the last one.
	w.Expect(w.kube.Delete(t.Context(), w.get())).To(Succeed())
	p, third := w.pod(first.ID, second.ID)
	w.Expect(third.Action).To(Equal(run.Destroy))
	w.reports(third, v1alpha1.RunRunning, func(s *run.Status) { s.Progress.Step = "Destroying aws_eks_cluster.this" })
	w.until(func(g Gomega, pc *v1alpha1.ProvisionedCluster) {
		g.Expect(pc.GetCondition("Ready").Message).To(Equal("Destroying aws_eks_cluster.this (3 of 42 resources)"))
	})
	w.reports(third, v1alpha1.RunSucceeded)
	w.ends(p, 0)
	w.nothingLeft()
}

// published makes sure of the connection Secret.
func (w *world) published(kubeconfig string) {
	w.t.Helper()
	s := &corev1.Secret{}
	w.Expect(w.kube.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: "published"}, s)).To(Succeed())
	w.Expect(s.Data).To(Equal(map[string][]byte{"kubeconfig": []byte(kubeconfig), "endpoint": []byte("https://cluster"), "clusterCA": []byte("ca")}))
}

// noSecrets makes sure that no cloud key is where it does not belong.
func (w *world) noSecrets() {
	w.t.Helper()
	for _, l := range []client.ObjectList{&batchv1.JobList{}, &corev1.ConfigMapList{}, &corev1.PodList{}, &corev1.EventList{}} {
		w.Expect(w.kube.List(w.t.Context(), l, client.InNamespace(w.jobs))).To(Succeed())
		w.Expect(strings.Contains(text(w, l), canary)).To(BeFalse(), "%T holds a cloud key", l)
	}
	w.Expect(strings.Contains(text(w, w.get()), canary)).To(BeFalse())
}

func text(w *world, o any) string {
	w.t.Helper()
	data, err := json.Marshal(o)
	w.Expect(err).NotTo(HaveOccurred())
	return string(data)
}
