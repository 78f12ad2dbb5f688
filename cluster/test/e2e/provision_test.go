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

package e2e

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/hack/sandbox"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

const provisioningNamespace = "kubeopera-provisioning"

var _ = Describe("A cluster that is provisioned in Jobs", Ordered, func() {
	var w *world

	BeforeAll(func(ctx SpecContext) {
		w = startCloud(ctx, "provision-job")
		Expect(w.sandbox.InstallProvider(ctx, "--environment=development", "--poll-interval="+pollInterval.String())).To(Succeed())
		w.provision(ctx, v1alpha1.ExecutionJob)
	}, NodeTimeout(startTimeout+startTimeout))

	It("is provisioned by one run, although the provider is killed meanwhile", func(ctx SpecContext) {
		w.awaitRun(ctx, v1alpha1.RunRunning)
		before := w.job(ctx)
		_, err := w.sandbox.Kubectl(ctx, "delete", "pod", "--namespace="+v1alpha1.PlatformNamespace,
			"--selector=app=host-cluster-controller", "--grace-period=0", "--force")
		Expect(err).NotTo(HaveOccurred())
		w.awaitReady(ctx)
		Expect(w.job(ctx).GetUID()).To(Equal(before.GetUID()), "the run was adopted")
		Expect(w.sandbox.Cloud.Machines.Created(names.CloudName(w.hc.GetName()))).To(Equal(1))
	}, SpecTimeout(readyTimeout+readyTimeout))

	itIsProvisioned(func() *world { return w })

	It("leaves logs that kubectl shows", func(ctx SpecContext) {
		out, err := w.sandbox.Kubectl(ctx, "logs", "--namespace="+provisioningNamespace, "job/"+run.JobName(run.Apply, w.hc.GetName()))
		Expect(err).NotTo(HaveOccurred())
		Expect(out).To(ContainSubstring("terraform_data.cluster"))
		Expect(out).NotTo(ContainSubstring(cloudtest.DefaultKey.Secret))
	})

	It("shows no cloud key but in the credentials' Secrets", func(ctx SpecContext) {
		log, err := w.sandbox.Kubectl(ctx, "logs", "--namespace="+v1alpha1.PlatformNamespace, "--selector=app=host-cluster-controller", "--tail=-1")
		Expect(err).NotTo(HaveOccurred())
		Expect(log).To(ContainSubstring("ProvisionedCluster"))
		Expect(log).NotTo(Or(ContainSubstring(cloudtest.DefaultKey.Secret), ContainSubstring(cloudtest.DefaultKey.ID)))
		for _, kind := range []string{"jobs,configmaps,events,pods", "hostclusters,provisionedclusters,clusteraccesses,providerconfigs"} {
			out, err := w.sandbox.Kubectl(ctx, "get", kind, "--all-namespaces", "--output=yaml")
			Expect(err).NotTo(HaveOccurred())
			Expect(out).NotTo(Or(ContainSubstring(cloudtest.DefaultKey.Secret), ContainSubstring(cloudtest.DefaultKey.ID)))
		}
	})

	itIsResized(func() *world { return w })
	itIsTakenUp(func() *world { return w })
	itIsDestroyed(func() *world { return w })
})

var _ = Describe("A cluster that is provisioned by the provider's own processes", Ordered, func() {
	var w *world

	BeforeAll(func(ctx SpecContext) {
		w = startCloud(ctx, "provision-local")
		Expect(w.sandbox.InstallCRDs(ctx)).To(Succeed())
		w.startProvider()
		DeferCleanup(func(ctx SpecContext) { w.provider.Stop(ctx) })
		w.provision(ctx, v1alpha1.ExecutionLocal)
	}, NodeTimeout(startTimeout+startTimeout))

	It("is provisioned, although the provider is killed meanwhile", func(ctx SpecContext) {
		w.awaitRun(ctx, v1alpha1.RunRunning)
		w.provider.Kill()
		w.startProvider()
		w.awaitReady(ctx)
		Expect(w.sandbox.Cloud.Machines.Created(names.CloudName(w.hc.GetName()))).To(Equal(1))
	}, SpecTimeout(readyTimeout+readyTimeout))

	itIsProvisioned(func() *world { return w })
	itIsResized(func() *world { return w })
	itIsDestroyed(func() *world { return w })
})

// itIsProvisioned checks what a run leaves.
func itIsProvisioned(get func() *world) {
	It("went through Provisioning, and has its state in a bucket of its own", func(ctx SpecContext) {
		w := get()
		var phases []v1alpha1.Phase
		for _, p := range w.hc.Status.PhaseHistory {
			if p.FinishedAt != nil {
				phases = append(phases, p.Phase)
			}
		}
		Expect(phases).To(ContainElement(v1alpha1.PhaseProvisioning))
		Expect(w.hc.Status.KubeconfigSecret).To(Equal(v1alpha1.KubeconfigSecretName(w.hc.GetName())))
		bucket := names.StateBucket(w.hc.GetName())
		Expect(w.sandbox.Cloud.Buckets()).To(HaveKey(bucket))
		pc := w.provisioned(ctx)
		Expect(pc.Status.AtProvider.StateBucket).To(Equal(bucket))
		Expect(pc.Status.AtProvider.RunStatus).To(Equal(v1alpha1.RunSucceeded))
	})
}

// itIsResized checks that another size is a second run on the same state.
func itIsResized(get func() *world) {
	It("gets another size in a second run that keeps the state", func(ctx SpecContext) {
		w := get()
		first := w.provisioned(ctx).Status.AtProvider.RunID
		base := w.hc.DeepCopy()
		w.hc.Spec.Provisioning.NodeCount = 4
		Expect(w.management.Patch(ctx, w.hc, client.MergeFrom(base))).To(Succeed())
		cluster := names.CloudName(w.hc.GetName())
		Eventually(ctx, func() int {
			if m := w.sandbox.Cloud.Machines.Get(cluster); m != nil {
				return m.Nodes
			}
			return 0
		}, readyTimeout, "200ms").Should(Equal(4))
		w.awaitRun(ctx, v1alpha1.RunSucceeded)
		Expect(w.provisioned(ctx).Status.AtProvider.RunID).NotTo(Equal(first))
		Expect(w.sandbox.Cloud.Machines.Created(cluster)).To(Equal(1), "the cluster itself is the same")
		w.awaitReady(ctx)
	}, SpecTimeout(readyTimeout+readyTimeout))
}

// itIsTakenUp checks that a cluster which is let go stays, and that the next HostCluster of its name has it again.
func itIsTakenUp(get func() *world) {
	It("stays when its HostCluster is deleted with --cascade=foreground, and the next one of that name has it again", func(ctx SpecContext) {
		w := get()
		cluster, before, self := names.CloudName(w.hc.GetName()), w.provisioned(ctx), w.identity(ctx)
		bucket := w.sandbox.Cloud.Buckets()[before.Status.AtProvider.StateBucket]
		same := func() {
			GinkgoHelper()
			now := w.provisioned(ctx)
			Expect(now.GetUID()).To(Equal(before.GetUID()), "the ProvisionedCluster is the same")
			Expect(now.GetDeletionTimestamp()).To(BeNil())
			Expect(now.Status.AtProvider.RunID).To(Equal(before.Status.AtProvider.RunID), "there was no other run")
			Expect(w.sandbox.Cloud.Machines.Created(cluster)).To(Equal(1), "nor another machine")
			Expect(w.sandbox.Cloud.Buckets()[before.Status.AtProvider.StateBucket]).To(Equal(bucket), "the state is where it was")
			Expect(w.identity(ctx)).To(Equal(self), "the cluster is the same")
		}
		next := &v1alpha1.HostCluster{Spec: *w.hc.Spec.DeepCopy()}
		next.SetNamespace(w.hc.GetNamespace())
		next.SetName(w.hc.GetName())

		w.kubectl(ctx, "delete", "hostcluster", w.hc.GetName(), "--cascade=foreground", "--timeout=60s")
		same()
		w.hc = next
		Expect(w.management.Create(ctx, w.hc)).To(Succeed())
		w.awaitReady(ctx)
		same()
	}, SpecTimeout(readyTimeout+readyTimeout))
}

// itIsDestroyed checks that Destroy leaves nothing, here or in the cloud.
func itIsDestroyed(get func() *world) {
	It("is destroyed with everything that it had", func(ctx SpecContext) {
		w := get()
		base := w.hc.DeepCopy()
		w.hc.Spec.DeletionPolicy = v1alpha1.DeletionDestroy
		Expect(w.management.Patch(ctx, w.hc, client.MergeFrom(base))).To(Succeed())
		Eventually(ctx, func() []string {
			var policies []string
			for _, p := range w.provisioned(ctx).Spec.ManagementPolicies {
				policies = append(policies, string(p))
			}
			return policies
		}, "30s", "200ms").Should(ConsistOf("*"))
		Expect(w.management.Delete(ctx, w.hc)).To(Succeed())
		Eventually(ctx, func(ctx context.Context) bool {
			return kerrors.IsNotFound(w.management.Get(ctx, client.ObjectKeyFromObject(w.hc), w.hc))
		}, readyTimeout, "200ms").Should(BeTrue(), func() string {
			return strings.Join(w.sandbox.Stuck(context.WithoutCancel(ctx), client.ObjectKeyFromObject(w.hc)), "\n  ")
		})
		Expect(w.sandbox.Cloud.Machines.Names()).To(BeEmpty())
		Expect(w.sandbox.Cloud.Buckets()).To(BeEmpty(), "the state bucket, with all versions")
		Expect(w.sandbox.Cloud.Parameters(sandbox.CloudAccount, sandbox.CloudRegion)).To(BeEmpty())
		for _, l := range []client.ObjectList{&batchv1.JobList{}, &corev1.SecretList{}} {
			Expect(w.management.List(ctx, l, client.InNamespace(provisioningNamespace))).To(Succeed())
			Expect(meta.LenList(l)).To(BeZero(), "%T", l)
		}
	}, SpecTimeout(readyTimeout+readyTimeout))
}
