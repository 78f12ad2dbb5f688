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

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// interrupted are runs that something gets in the way of while they are at work. One that failed by what may pass is
// tried again after 30 s.
func interrupted() []row {
	return []row{
		{
			// It takes a while until OpenTofu gives up; the other rows are looked at meanwhile.
			name: "unsaved", fault: "the state's store goes down while it is applied", held: true,
			strike: func(_ context.Context, f *faulty) {
				f.restore = f.sandbox.Cloud.CutOff(f.bucket)
				f.release()
			},
		},
		{
			name: "terminated", fault: "the runner's pod is deleted while it applies", held: true,
			strike: func(ctx context.Context, f *faulty) {
				f.kubectl(ctx, "delete", "pod", f.runner(ctx).GetName(), "--namespace="+provisioningNamespace, "--wait=false")
			},
			says: "interrupted: what was done until then is in the state",
			notices: func(_ context.Context, f *faulty) {
				Expect(f.state()).To(ContainSubstring("terraform_data"), "the state is saved")
				Expect(f.lock()).To(BeEmpty(), "the lock is released")
				f.release()
			},
			then: "the next run goes on", later: true,
			follows: goesOn,
			runs:    []string{"apply-1", "apply-2"}, machines: 1,
		},
		{
			name: "killed", fault: "the runner is killed while it applies", held: true,
			strike: func(ctx context.Context, f *faulty) {
				Expect(f.sandbox.Management.KillContainer(ctx, client.ObjectKeyFromObject(f.runner(ctx)), "terraform-runner")).To(Succeed())
			},
			says: "Run was killed: container terraform-runner of pod provision-killed-",
			notices: func(_ context.Context, f *faulty) {
				Expect(f.lock()).To(ContainSubstring("@provision-killed-"), "its lock is left")
				f.release()
			},
			then: "the next run breaks the lock, whose holder is gone, and goes on", later: true,
			follows: func(ctx context.Context, f *faulty) {
				f.expectSuccess(ctx)
				Expect(f.lock()).To(BeEmpty())
				Expect(f.kubectl(ctx, "logs", "--namespace="+provisioningNamespace, "job/"+run.JobName(run.Apply, f.name))).
					To(MatchRegexp(`Breaking the state lock of \S*@provision-killed-`))
			},
			runs: []string{"apply-1", "apply-2"}, machines: 1,
		},
		{
			name: "locked", fault: "somebody has the state's lock, of whom nothing is known",
			strike: func(ctx context.Context, f *faulty) {
				f.expectSuccess(ctx)
				f.sandbox.Cloud.SetObject(f.bucket, lockKey, theirLock)
				f.change(ctx, func(hc *v1alpha1.HostCluster) { hc.Spec.Provisioning.NodeCount = 3 })
			},
			says: "state locked by me@laptop since 2026-11-29 20:00:00 +0000 UTC",
			notices: func(ctx context.Context, f *faulty) {
				Expect(f.message(ctx)).To(ContainSubstring("delete "+lockKey+" from bucket "+f.bucket), "what to do")
				Expect(f.lock()).To(Equal(theirLock), "it is not broken")
				Expect(f.machine().Nodes).To(Equal(2))
			},
			then: "the next run goes on once people have done what it says",
			follows: func(ctx context.Context, f *faulty) {
				f.sandbox.Cloud.RemoveObject(f.bucket, lockKey)
				f.kubectl(ctx, "annotate", "provisionedcluster", f.name, meta.AnnotationKeyReconcileRequestedAt+"=unlocked")
				f.expectSuccess(ctx)
				Expect(f.machine().Nodes).To(Equal(3))
				Expect(f.runs()).To(HaveEach(HavePrefix("apply-")))
			},
			machines: 1,
		},
		{
			name: "hasty", fault: "it is to be destroyed while it is applied", held: true,
			strike: func(ctx context.Context, f *faulty) { f.delete(ctx) },
			says:   "Waits until these are deleted: ProvisionedCluster.",
			notices: func(ctx context.Context, f *faulty) {
				Eventually(ctx, func() bool { return f.provisioned(ctx).GetDeletionTimestamp() != nil }, readyTimeout, "200ms").Should(BeTrue())
				Expect(f.provisioned(ctx).Status.AtProvider.RunStatus).To(Equal(v1alpha1.RunRunning))
				Expect(f.runs()).To(Equal([]string{"apply-1"}), "the apply goes on")
			},
			then: "it is destroyed once the apply has ended",
			follows: func(ctx context.Context, f *faulty) {
				f.release()
				f.expectDestroyed(ctx)
			},
			runs: []string{"apply-1", "destroy-2"}, machines: 1,
		},
		{
			name: "replicated", fault: "the leader of two providers is killed while it is applied", held: true,
			strike: func(ctx context.Context, f *faulty) {
				Expect(f.sandbox.Kubectl(ctx, "get", "deployment", "host-cluster-controller", "--namespace="+v1alpha1.PlatformNamespace,
					"--output=jsonpath={.status.readyReplicas}")).To(Equal("2"))
				f.adopted = f.job(ctx).GetUID()
				pod := f.leader(ctx)
				Expect(f.sandbox.Management.KillContainer(ctx, types.NamespacedName{Namespace: v1alpha1.PlatformNamespace, Name: pod}, "provider")).To(Succeed())
				f.kubectl(ctx, "delete", "pod", pod, "--namespace="+v1alpha1.PlatformNamespace, "--grace-period=0", "--force") // it must not come back
				Eventually(ctx, f.leader, readyTimeout, "200ms").ShouldNot(Or(Equal(pod), BeEmpty()), "another one leads")
			},
			then: "the other one goes on with the same run",
			follows: func(ctx context.Context, f *faulty) {
				f.release()
				f.expectSuccess(ctx)
				Expect(f.job(ctx).GetUID()).To(Equal(f.adopted))
			},
			runs: []string{"apply-1"}, machines: 1,
		},
		{
			name: "unsaved", fault: "the state's store is back while the state is in a Secret only",
			strike: func(ctx context.Context, f *faulty) {
				Eventually(ctx, f.rescued, readyTimeout, "200ms").ShouldNot(BeEmpty())
				Expect(f.state()).NotTo(ContainSubstring(f.cluster), "the bucket does not know of the machine")
				f.restore()
			},
			says: "The state is in its bucket by now",
			notices: func(ctx context.Context, f *faulty) {
				Expect(f.state()).To(ContainSubstring(f.cluster))
				Expect(f.rescued(ctx)).To(BeEmpty(), "it is nowhere else any more")
			},
			then: "the next run finds all that was made", later: true,
			follows: goesOn,
			runs:    []string{"apply-1", "apply-2"}, machines: 1,
		},
	}
}

// goesOn waits for the next run, which succeeds.
func goesOn(ctx context.Context, f *faulty) { f.expectSuccess(ctx) }
