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

package controller

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/executor"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// provisioned changes a world to one in which the target has to be made. Its
// kubeconfig is what the run brings; jobs is where that runs.
func (w *world) provisioned(ctx context.Context) (jobs string) {
	w.t.Helper()

	jobs = w.cp.Namespace(w.t)
	w.Expect(w.cp.Client.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: jobs, Name: executor.ServiceAccount}})).To(Succeed())
	w.Expect(w.cp.Client.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.hc.GetNamespace(), Name: "aws"},
		Data:       map[string][]byte{"credentials": []byte("[default]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n")},
	})).To(Succeed())
	w.Expect(w.cp.Client.Create(ctx, &v1alpha1.ProviderConfig{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.hc.GetNamespace(), Name: "acme"},
		Spec: v1alpha1.ProviderConfigSpec{
			Type: v1alpha1.CredentialAWSAccessKey,
			Credentials: v1alpha1.Credentials{
				Source: v1alpha1.CredentialsSecret, SecretRef: &v1alpha1.SecretKeySelector{Name: "aws", Key: "credentials"},
			},
			Execution: &v1alpha1.Execution{Namespace: jobs},
		},
	})).To(Succeed())

	w.hc.Spec.Mode, w.hc.Spec.ConnectKubeconfigSecretRef = v1alpha1.ModeProvisionVanilla, nil
	w.hc.Spec.Provider, w.hc.Spec.Region = "aws", "eu-north-1"
	w.hc.Spec.Provisioning = &v1alpha1.Provisioning{
		Sizing:        v1alpha1.Sizing{Topology: v1alpha1.TopologyVanilla, NodeCount: 2, InstanceType: "t3.medium", KubernetesVersion: "1.36.2"},
		CredentialRef: "acme",
	}

	return jobs
}

// plays terraform-runner and kubelet from the next run's start to its good end.
func (w *world) plays(ctx context.Context, jobs string, a run.Action) run.Spec {
	w.t.Helper()

	var (
		p    *corev1.Pod
		spec run.Spec
	)

	w.Eventually(func(g Gomega) {
		cm := &corev1.ConfigMap{}
		g.Expect(w.cp.Client.Get(ctx, client.ObjectKey{Namespace: jobs, Name: run.InputName(w.hc.GetName())}, cm)).To(Succeed())
		g.Expect(json.Unmarshal([]byte(cm.Data[run.SpecFile]), &spec)).To(Succeed())
		g.Expect(spec.Action).To(Equal(a))

		l := &corev1.PodList{}
		g.Expect(w.cp.Client.List(ctx, l, client.InNamespace(jobs), client.MatchingLabels{run.LabelRun: spec.ID})).To(Succeed())
		g.Expect(l.Items).To(HaveLen(1))
		p = &l.Items[0]
	}).Should(Succeed())

	report := func(phase v1alpha1.RunStatus) {
		st := run.Status{
			Version: run.Version, RunID: spec.ID, Action: a, Revision: spec.Revision, Phase: phase, StartedAt: time.Now().UTC(),
			Progress: v1alpha1.Progress{Done: 7, Total: 20, Step: "Working on aws_instance.node"},
		}
		if phase != v1alpha1.RunRunning {
			st.FinishedAt = time.Now().UTC()
		}

		data, err := json.Marshal(st)
		w.Expect(err).NotTo(HaveOccurred())

		s := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: spec.Publish.Namespace, Name: spec.Publish.Secret},
			Data:       map[string][]byte{run.StatusKey: data},
		}
		if phase == v1alpha1.RunSucceeded && a == run.Apply {
			s.Data[run.KubeconfigKey], err = w.target.Kubeconfig()
			w.Expect(err).NotTo(HaveOccurred())

			s.Data[run.EndpointKey], s.Data[run.ClusterCAKey] = []byte(w.target.Config.Host), w.target.Config.CAData
		}

		if err := w.cp.Client.Create(ctx, s); kerrors.IsAlreadyExists(err) {
			w.Expect(w.cp.Client.Update(ctx, s)).To(Succeed())
		}
	}

	report(v1alpha1.RunRunning)

	if a == run.Apply {
		w.says(ctx, v1alpha1.PhaseProvisioning, "Working on aws_instance.node (7 of 20 resources)")
	} else {
		w.says(ctx, v1alpha1.PhaseDeleting, "ProvisionedCluster: Working on aws_instance.node (7 of 20 resources)")
	}

	report(v1alpha1.RunSucceeded)

	before := p.DeepCopy()
	p.Status.Phase = corev1.PodSucceeded
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "terraform-runner", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}}}
	w.Expect(w.cp.Client.Status().Patch(ctx, p, client.MergeFrom(before))).To(Succeed())

	return spec
}

func (w *world) cluster(ctx context.Context) *v1alpha1.ProvisionedCluster {
	w.t.Helper()

	pc := &v1alpha1.ProvisionedCluster{}
	w.Expect(w.cp.Client.Get(ctx, w.key(), pc)).To(Succeed())

	return pc
}

// TestProvision: a cluster is made, connected and installed; it outlives its
// HostCluster, is taken up again by the next one of its name, and goes with it
// when that is to destroy it.
func TestProvision(t *testing.T) {
	t.Parallel()

	ctx := t.Context()
	w := newWorld(t)
	jobs := w.provisioned(ctx)
	w.supply(ctx).create(ctx)

	made := w.plays(ctx, jobs, run.Apply)
	hc := w.ready(ctx)
	w.Expect(hc.GetAnnotations()).To(HaveKeyWithValue(v1alpha1.AnnotationProvisionJobID, made.ID))
	w.Expect(hc.Status.PhaseHistory[0].Phase).To(Equal(v1alpha1.PhaseProvisioning))

	ca := &v1alpha1.ClusterAccess{}
	w.Expect(w.cp.Client.Get(ctx, w.key(), ca)).To(Succeed())
	w.Expect(ca.GetProviderConfigReference()).To(Equal(w.cluster(ctx).GetProviderConfigReference()))

	// Argo CD deletes in the foreground. Under Disconnect the cluster stays, whatever goes.
	pc := w.cluster(ctx)
	workloads := w.workloads(ctx)
	w.delete(ctx, &v1alpha1.HostCluster{}, client.PropagationPolicy(metav1.DeletePropagationForeground))
	w.disconnected(ctx, workloads)

	now := w.cluster(ctx)
	w.Expect(now.GetUID()).To(Equal(pc.GetUID()))
	w.Expect(now.GetDeletionTimestamp()).To(BeNil())
	w.Expect(now.Status.AtProvider.RunID).To(Equal(made.ID))

	// The next HostCluster of that name takes it up, without a run.
	w.create(ctx)
	w.ready(ctx)
	w.Expect(w.cluster(ctx).GetUID()).To(Equal(pc.GetUID()))
	w.Expect(w.cluster(ctx).Status.AtProvider.RunID).To(Equal(made.ID))

	// Destroy takes it with it, after everything else.
	w.change(ctx, func(hc *v1alpha1.HostCluster) { hc.Spec.DeletionPolicy = v1alpha1.DeletionDestroy })
	w.delete(ctx, &v1alpha1.HostCluster{})
	w.plays(ctx, jobs, run.Destroy)
	w.forgotten(ctx)
	w.gone(ctx, w.cp.Client, w.key(), &v1alpha1.ProvisionedCluster{})

	for _, l := range []client.ObjectList{&batchv1.JobList{}, &corev1.SecretList{}} {
		v, err := kt.VersionsOf(ctx, w.cp.Client, []client.ObjectList{l}, client.InNamespace(jobs))
		w.Expect(err).NotTo(HaveOccurred())
		w.Expect(v).To(BeEmpty())
	}

	// Nobody uses the ProviderConfig any more, so it may go.
	config := &v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "acme"}}
	w.delete(ctx, config)
	w.gone(ctx, w.cp.Client, client.ObjectKeyFromObject(config), config)
}

// TestProviderConfigInUse: a ProviderConfig stays as long as a cluster needs it
// to be destroyed, also if everything is deleted at once.
func TestProviderConfigInUse(t *testing.T) {
	t.Parallel()

	ctx := t.Context()
	w := newWorld(t)
	jobs := w.provisioned(ctx)
	w.hc.Spec.DeletionPolicy = v1alpha1.DeletionDestroy
	w.supply(ctx).create(ctx)
	w.plays(ctx, jobs, run.Apply)
	w.ready(ctx)

	config := &v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "acme"}}
	w.delete(ctx, config)
	w.Eventually(func(g Gomega) {
		g.Expect(w.cp.Client.Get(ctx, client.ObjectKeyFromObject(config), config)).To(Succeed())
		g.Expect(config.Status.GetCondition("Terminating").Message).To(ContainSubstring("Blocking deletion while usages still exist"))
	}).Should(Succeed())
	w.delete(ctx, &v1alpha1.HostCluster{})
	w.plays(ctx, jobs, run.Destroy)
	w.forgotten(ctx)
	w.gone(ctx, w.cp.Client, client.ObjectKeyFromObject(config), config)
}

// TestNeverBegun: a HostCluster that waits for credentials and is deleted takes
// its ProvisionedCluster with it, which would make a cluster for nobody later.
func TestNeverBegun(t *testing.T) {
	t.Parallel()

	ctx := t.Context()
	w := newWorld(t)
	jobs := w.provisioned(ctx)
	w.hc.Spec.Provisioning.CredentialRef = "later"
	w.supply(ctx).create(ctx)

	key := client.ObjectKeyFromObject(w.hc)
	pc := &v1alpha1.ProvisionedCluster{}
	w.Eventually(func(g Gomega) {
		g.Expect(w.cp.Client.Get(ctx, key, pc)).To(Succeed())
		g.Expect(pc.GetCondition("Ready").Message).To(ContainSubstring("later"))
	}).Should(Succeed())

	w.Expect(w.cp.Client.Delete(ctx, w.hc)).To(Succeed())
	w.Eventually(func() bool { return kerrors.IsNotFound(w.cp.Client.Get(ctx, key, &v1alpha1.HostCluster{})) }).Should(BeTrue())
	w.Expect(kerrors.IsNotFound(w.cp.Client.Get(ctx, key, pc))).To(BeTrue(), "the ProvisionedCluster is left")

	l := &batchv1.JobList{}
	w.Expect(w.cp.Client.List(ctx, l, client.InNamespace(jobs))).To(Succeed())
	w.Expect(l.Items).To(BeEmpty())
}
