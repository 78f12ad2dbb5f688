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
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/hack/sandbox"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// startCloud starts a sandbox with a management node and a cloud.
func startCloud(ctx context.Context, name string) *world {
	GinkgoHelper()
	o := options(name)
	o.ManagementNode, o.Cloud = true, true
	w := &world{}
	var err error
	w.sandbox, err = sandbox.Start(ctx, o)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(w.sandbox.Stop)
	w.management = w.sandbox.Management.Client
	return w
}

// provision applies the example.
func (w *world) provision(ctx context.Context, mode v1alpha1.ExecutionMode) {
	GinkgoHelper()
	var err error
	w.hc, err = w.sandbox.Provision(ctx, filepath.Join(root, "examples", "hostcluster-provision.yaml"), func(pc *v1alpha1.ProviderConfig, _ *v1alpha1.HostCluster) {
		pc.Spec.Execution = &v1alpha1.Execution{Mode: mode}
	})
	Expect(err).NotTo(HaveOccurred())
}

func (w *world) provisioned(ctx context.Context) *v1alpha1.ProvisionedCluster {
	GinkgoHelper()
	pc := &v1alpha1.ProvisionedCluster{}
	Expect(w.management.Get(ctx, client.ObjectKeyFromObject(w.hc), pc)).To(Succeed())
	return pc
}

func (w *world) job(ctx context.Context) *batchv1.Job {
	GinkgoHelper()
	job := &batchv1.Job{}
	key := client.ObjectKey{Namespace: provisioningNamespace, Name: run.JobName(run.Apply, w.hc.GetName())}
	Expect(w.management.Get(ctx, key, job)).To(Succeed())
	return job
}

// awaitRun waits until the present run has a status.
func (w *world) awaitRun(ctx context.Context, status v1alpha1.RunStatus) {
	GinkgoHelper()
	key := client.ObjectKeyFromObject(w.hc)
	Eventually(ctx, func(ctx context.Context) v1alpha1.RunStatus {
		pc := &v1alpha1.ProvisionedCluster{}
		if w.management.Get(ctx, key, pc) != nil {
			return ""
		}
		return pc.Status.AtProvider.RunStatus
	}, readyTimeout, "100ms").Should(Equal(status), func() string {
		return strings.Join(w.sandbox.Stuck(context.WithoutCancel(ctx), key), "\n  ")
	})
}

// identity tells the cluster that was provisioned from every other one.
func (w *world) identity(ctx context.Context) types.UID {
	GinkgoHelper()
	machine := w.sandbox.Cloud.Machines.Get(names.CloudName(w.hc.GetName()))
	Expect(machine).NotTo(BeNil(), "the cluster is there")
	c, err := client.New(machine.Config, client.Options{})
	Expect(err).NotTo(HaveOccurred())
	ns := &corev1.Namespace{}
	Expect(c.Get(ctx, client.ObjectKey{Name: "kube-system"}, ns)).To(Succeed())
	return ns.GetUID()
}
