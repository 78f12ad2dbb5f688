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
	"slices"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
)

// samples are enough for a p95.
const samples = 100

// BenchmarkNextChild measures the time from a child's Ready to the next child,
// on a real API server and with all controllers. The aim is 100 ms at p95.
func BenchmarkNextChild(b *testing.B) {
	cp := controlPlane(b)
	ctx := b.Context()

	var took []time.Duration

	next := func() {
		ns := cp.Namespace(b)
		hc := benchCluster(ns, "my-cluster")
		g := NewWithT(b)
		g.Expect(cp.Client.Create(ctx, hc)).To(Succeed())

		// Its kubeconfig is not there: ClusterAccess waits, and we say that it is Ready.
		ca := &v1alpha1.ClusterAccess{}
		g.Eventually(func() error { return cp.Client.Get(ctx, client.ObjectKeyFromObject(hc), ca) }).WithTimeout(patience).WithPolling(10 * time.Millisecond).Should(Succeed())

		i, err := cp.Client.Watch(ctx, &v1alpha1.FluxBootstrapList{}, client.InNamespace(ns))
		g.Expect(err).NotTo(HaveOccurred())

		before := ca.DeepCopy()
		ca.SetConditions(external.Ready(xpv2.ReasonAvailable, "").WithObservedGeneration(ca.GetGeneration()))
		ca.SetObservedGeneration(ca.GetGeneration())

		began := time.Now()

		g.Expect(cp.Client.Status().Patch(ctx, ca, client.MergeFrom(before))).To(Succeed())
		g.Eventually(i.ResultChan()).WithTimeout(patience).WithPolling(time.Millisecond).Should(Receive())

		took = append(took, time.Since(began))

		i.Stop()
		g.Expect(cp.Client.Delete(ctx, hc)).To(Succeed())
	}

	for b.Loop() {
		for range samples {
			next()
		}
	}

	b.ReportMetric(0, "ns/op")
	b.ReportMetric(milliseconds(quantile(took, 0.5)), "p50-ms")
	b.ReportMetric(milliseconds(quantile(took, 0.95)), "p95-ms")
}

// benchCluster is a HostCluster whose Secrets are not there yet.
func benchCluster(namespace, name string) *v1alpha1.HostCluster {
	return &v1alpha1.HostCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: v1alpha1.HostClusterSpec{
			Mode:                       v1alpha1.ModeConnectExisting,
			ConnectKubeconfigSecretRef: new(name + "-" + inputSecret),
			GitOpsRepoURL:              new(v1alpha1.GitURL("https://git.example.com/acme/iac.git")),
			GitOpsPath:                 new(v1alpha1.GitPath("clusters/" + name)),
			GitCredentialsSecretRef:    new(name + "-" + gitSecret),
			Domain:                     new(v1alpha1.DNSName("my-cluster.acme.com")),
			Profile:                    v1alpha1.ProfileMinimal,
		},
	}
}

func quantile(d []time.Duration, q float64) time.Duration {
	d = slices.Sorted(slices.Values(d))

	return d[min(int(q*float64(len(d))), len(d)-1)]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
