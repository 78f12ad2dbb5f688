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
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/hack/sandbox"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
)

const (
	stateKey = "terraform.tfstate"
	lockKey  = stateKey + ".tflock"
	// theirLock is what a person's own OpenTofu leaves in the bucket while it works.
	theirLock = `{"ID":"00000000-0000-0000-0000-000000000017","Operation":"OperationTypeApply","Info":"","Who":"me@laptop","Version":"1.12.6","Created":"2026-11-29T20:00:00Z","Path":"x"}`
)

// faulty is a HostCluster whose runs meet with a fault.
type faulty struct {
	*world

	// name of the HostCluster, and of everything else of it but in the cloud.
	name string
	// cluster and bucket are what is in the cloud.
	cluster, bucket string
	// release lets the cloud get done with the machine, and restore brings back the bucket.
	release, restore func()
	census           *census
	// adopted is the Job of the run that goes on, and theirs a bucket that is not ours.
	adopted types.UID
	theirs  cloudtest.Bucket
}

// begin a row: its HostCluster is created.
func (w *world) begin(ctx context.Context, r row, c *census) *faulty {
	GinkgoHelper()
	f := &faulty{
		world: &world{sandbox: w.sandbox, management: w.management}, census: c, release: func() {},
		name: r.name, cluster: names.CloudName(r.name), bucket: names.StateBucket(r.name),
	}
	if r.held {
		f.release = f.sandbox.Cloud.Machines.Hold(f.cluster)
		DeferCleanup(f.release)
	}
	f.hc = f.hostCluster(r.kind)
	f.setKey(ctx, cloudtest.DefaultKey)
	if r.prepare != nil {
		r.prepare(ctx, f)
	}
	git := &corev1.Secret{ObjectMeta: f.meta(), Data: f.sandbox.Git.Credentials}
	git.Name = *f.hc.Spec.GitCredentialsSecretRef
	for _, o := range []client.Object{f.config(), git, f.hc} {
		Expect(f.management.Create(ctx, o)).To(Succeed())
	}
	return f
}

func (f *faulty) meta() metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: v1alpha1.PlatformNamespace, Name: f.name}
}

// hostCluster of a kind of machines.
func (f *faulty) hostCluster(kind string) *v1alpha1.HostCluster {
	if kind == "" {
		kind = sandbox.PaperMachine
	}
	return &v1alpha1.HostCluster{ObjectMeta: f.meta(), Spec: v1alpha1.HostClusterSpec{
		Mode: v1alpha1.ModeProvisionVanilla, Provider: "aws", Region: sandbox.CloudRegion,
		Provisioning: &v1alpha1.Provisioning{CredentialRef: f.name, Sizing: v1alpha1.Sizing{
			Topology: v1alpha1.TopologyVanilla, NodeCount: 2, InstanceType: kind, KubernetesVersion: "1.36.2",
		}},
		GitOpsRepoURL:           new(v1alpha1.GitURL(f.sandbox.Git.URL)),
		GitOpsPath:              new(v1alpha1.GitPath("fluxcd/clusters/" + f.name)),
		GitCredentialsSecretRef: new(f.name + "-git"),
		Domain:                  new(v1alpha1.DNSName(f.name + ".example.org")),
		Profile:                 v1alpha1.ProfileMinimal,
		DeletionPolicy:          v1alpha1.DeletionDestroy,
	}}
}

// config is the ProviderConfig. All rows find room on one small node.
func (f *faulty) config() *v1alpha1.ProviderConfig {
	return &v1alpha1.ProviderConfig{ObjectMeta: f.meta(), Spec: v1alpha1.ProviderConfigSpec{
		Type:        v1alpha1.CredentialAWSAccessKey,
		Credentials: v1alpha1.Credentials{Source: v1alpha1.CredentialsSecret, SecretRef: &v1alpha1.SecretKeySelector{Name: f.name, Key: "credentials"}},
		Execution: &v1alpha1.Execution{Mode: v1alpha1.ExecutionJob, Resources: &corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("64Mi")},
		}},
		Modules: &v1alpha1.Modules{RepoURL: v1alpha1.GitURL(f.sandbox.Cloud.ModulesURL), Ref: f.sandbox.Cloud.ModulesRef},
		State:   &v1alpha1.StateSettings{S3Endpoint: &f.sandbox.Cloud.URL},
	}}
}

// setKey writes the credentials.
func (f *faulty) setKey(ctx context.Context, k cloudtest.Key) {
	GinkgoHelper()
	s := &corev1.Secret{ObjectMeta: f.meta(), Data: map[string][]byte{"credentials": []byte(k.File())}}
	err := f.management.Create(ctx, s)
	if kerrors.IsAlreadyExists(err) {
		err = f.management.Update(ctx, s)
	}
	Expect(err).NotTo(HaveOccurred())
}

// change the HostCluster's spec.
func (f *faulty) change(ctx context.Context, do func(*v1alpha1.HostCluster)) {
	GinkgoHelper()
	Expect(f.management.Get(ctx, client.ObjectKeyFromObject(f.hc), f.hc)).To(Succeed())
	base := f.hc.DeepCopy()
	do(f.hc)
	Expect(f.management.Patch(ctx, f.hc, client.MergeFrom(base))).To(Succeed())
}

// delete the HostCluster, if it is there.
func (f *faulty) delete(ctx context.Context) {
	GinkgoHelper()
	Expect(client.IgnoreNotFound(f.management.Delete(ctx, f.hc))).To(Succeed())
}

// message that the HostCluster has now.
func (f *faulty) message(ctx context.Context) string {
	GinkgoHelper()
	Expect(f.management.Get(ctx, client.ObjectKeyFromObject(f.hc), f.hc)).To(Succeed())
	return f.hc.Status.Message
}

func (f *faulty) expectMessage(ctx context.Context, parts ...string) {
	GinkgoHelper()
	var all []OmegaMatcher
	for _, p := range parts {
		all = append(all, ContainSubstring(p))
	}
	Eventually(ctx, f.message, readyTimeout, "100ms").Should(And(all...))
}

// expectSuccess of the present run, soon.
func (f *faulty) expectSuccess(ctx context.Context) {
	GinkgoHelper()
	f.awaitRun(ctx, v1alpha1.RunSucceeded)
}

// expectAway expects that the HostCluster and its children are gone, soon.
func (f *faulty) expectAway(ctx context.Context) {
	GinkgoHelper()
	key := client.ObjectKeyFromObject(f.hc)
	for _, o := range []client.Object{&v1alpha1.HostCluster{}, &v1alpha1.ProvisionedCluster{}} {
		Eventually(ctx, func(ctx context.Context) bool {
			return kerrors.IsNotFound(f.management.Get(ctx, key, o))
		}, readyTimeout, "100ms").Should(BeTrue(), func() string {
			return f.name + ":\n  " + strings.Join(f.sandbox.Stuck(context.WithoutCancel(ctx), key), "\n  ")
		})
	}
}

// expectDestroyed expects that nothing of the cluster is left, here or in the cloud, soon.
func (f *faulty) expectDestroyed(ctx context.Context) {
	GinkgoHelper()
	f.expectAway(ctx)
	Expect(f.machine()).To(BeNil())
	Expect(f.sandbox.Cloud.Buckets()).NotTo(HaveKey(f.bucket))
	Expect(f.traces(ctx)).To(BeEmpty())
}
