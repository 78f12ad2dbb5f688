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

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/hack/sandbox"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// none are no runs at all.
var none = []string{}

// refused are runs that are not to be, and what is not to be touched.
func refused() []row {
	return []row{
		{
			name: "scarce", fault: "the account's quota is used up", kind: sandbox.ScarceMachine,
			says: "Quota: ",
			notices: func(ctx context.Context, f *faulty) {
				Expect(f.message(ctx)).To(ContainSubstring("VcpuLimitExceeded"))
				Expect(f.hc.Status.Phase).To(Equal(v1alpha1.PhaseFailed))
				Expect(f.provisioned(ctx).Status.AtProvider.LastError.Class).To(BeEquivalentTo(run.ClassQuota))
			},
			then: "it is not tried again, while other failed runs are", later: true,
			follows: func(ctx context.Context, f *faulty) {
				Expect(f.message(ctx)).To(ContainSubstring("It is tried again once the spec, the ProviderConfig or its credentials change"))
			},
			runs: []string{"apply-1"},
		},
		{
			name: "denied", fault: "the cloud does not know the key",
			prepare: func(ctx context.Context, f *faulty) {
				f.setKey(ctx, cloudtest.Key{ID: "AKIANOBODYNOBODY0000", Secret: cloudtest.DefaultKey.Secret})
			},
			says: "InvalidClientTokenId",
			notices: func(ctx context.Context, f *faulty) {
				Expect(f.hc.Status.Phase).To(Equal(v1alpha1.PhaseFailed))
				Expect(f.traces(ctx)).To(BeEmpty(), "nothing is started")
				Expect(f.runs()).To(Equal(none))
				Expect(f.sandbox.Cloud.Buckets()).NotTo(HaveKey(f.bucket))
			},
			then: "it goes on once the key is right",
			follows: func(ctx context.Context, f *faulty) {
				f.setKey(ctx, cloudtest.DefaultKey)
				f.expectSuccess(ctx)
			},
			runs: []string{"apply-1"}, machines: 1,
		},
		{
			name: "forgotten", fault: "the ProviderConfig is deleted before the destroy",
			strike: func(ctx context.Context, f *faulty) {
				f.expectSuccess(ctx)
				f.kubectl(ctx, "delete", "providerconfig", f.name, "--wait=false")
				Expect(f.kubectl(ctx, "get", "providerconfig", f.name, "--output=jsonpath={.metadata.finalizers}")).NotTo(BeEmpty(), "it is kept while it is used")
				f.kubectl(ctx, "patch", "providerconfig", f.name, "--type=merge", `--patch={"metadata":{"finalizers":null}}`)
				f.delete(ctx)
			},
			says: "cannot destroy the cluster, its infrastructure stays: ProviderConfig kubeopera-system/forgotten is not there yet",
			notices: func(ctx context.Context, f *faulty) {
				Expect(f.machine()).NotTo(BeNil())
				Expect(f.sandbox.Cloud.Buckets()).To(HaveKey(f.bucket))
				Eventually(ctx, f.warnings, readyTimeout, "200ms").Should(ContainElement(ContainSubstring("cannot destroy the cluster, its infrastructure stays")))
			},
			then: "it is destroyed once the ProviderConfig is back",
			follows: func(ctx context.Context, f *faulty) {
				Expect(f.management.Create(ctx, f.config())).To(Succeed())
				f.expectDestroyed(ctx)
			},
			runs: []string{"apply-1", "destroy-2"}, machines: 1,
		},
		{
			name: "taken", fault: "the state bucket is somebody else's",
			prepare: func(_ context.Context, f *faulty) {
				f.sandbox.Cloud.SetBucket(f.bucket, cloudtest.Bucket{Account: sandbox.CloudAccount, Region: sandbox.CloudRegion, Tags: map[string]string{"kubeopera.io/owner": "somebody"}})
				f.sandbox.Cloud.SetObject(f.bucket, stateKey, "theirs")
				f.theirs = f.sandbox.Cloud.Buckets()[f.bucket]
			},
			says: "bucket kubeopera-terraform-state-taken belongs to another cluster",
			notices: func(_ context.Context, f *faulty) {
				Expect(f.hc.Status.Phase).To(Equal(v1alpha1.PhaseFailed))
			},
			then: "it stays as it is, and is not destroyed either", later: true,
			follows: func(ctx context.Context, f *faulty) {
				Expect(f.runs()).To(Equal([]string{"apply-1"}), "it is not tried again")
				f.delete(ctx)
				f.expectMessage(ctx, "ProvisionedCluster: Conflict: bucket kubeopera-terraform-state-taken belongs to another cluster", "set deletionPolicy Disconnect")
				f.change(ctx, func(hc *v1alpha1.HostCluster) { hc.Spec.DeletionPolicy = v1alpha1.DeletionDisconnect })
				f.expectAway(ctx)
				Expect(f.sandbox.Cloud.Buckets()[f.bucket]).To(Equal(f.theirs))
				Expect(f.state()).To(Equal("theirs"))
			},
			runs: []string{"apply-1", "destroy-2"},
		},
	}
}
