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
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/hack/sandbox"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// census counts the runs of all clusters by their pods, all the time.
type census struct {
	mu   sync.Mutex
	runs map[string][]string
	pods map[client.ObjectKey]bool
}

// countRuns begins to count.
func (w *world) countRuns(ctx context.Context) *census {
	GinkgoHelper()
	c := &census{runs: map[string][]string{}, pods: map[client.ObjectKey]bool{}}
	watching, cancel := context.WithCancel(context.WithoutCancel(ctx))
	events, err := w.management.Watch(watching, &corev1.PodList{}, client.InNamespace(provisioningNamespace))
	Expect(err).NotTo(HaveOccurred())
	var ended sync.WaitGroup
	ended.Go(func() {
		for event := range events.ResultChan() {
			if pod, ok := event.Object.(*corev1.Pod); ok {
				c.see(pod)
			}
		}
	})
	DeferCleanup(func() {
		cancel()
		ended.Wait()
	})
	return c
}

// see a pod. Its run is named by what it does and its number, and a hash that does not matter here.
func (c *census) see(pod *corev1.Pod) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if key := client.ObjectKeyFromObject(pod); !c.pods[key] {
		c.pods[key] = true
		id, cluster := pod.GetLabels()[run.LabelRun], pod.GetLabels()[v1alpha1.LabelHostCluster]
		c.runs[cluster] = append(c.runs[cluster], id[:strings.LastIndex(id, "-")])
	}
}

// runs that there ever were, in order.
func (f *faulty) runs() []string {
	f.census.mu.Lock()
	defer f.census.mu.Unlock()
	return append([]string{}, f.census.runs[f.name]...)
}

// runner is the pod of the run that goes on.
func (f *faulty) runner(ctx context.Context) *corev1.Pod {
	GinkgoHelper()
	pods := &corev1.PodList{}
	Expect(f.management.List(ctx, pods, client.InNamespace(provisioningNamespace), client.MatchingLabels{v1alpha1.LabelHostCluster: f.name})).To(Succeed())
	Expect(pods.Items).To(HaveLen(1))
	return &pods.Items[0]
}

// machine in the cloud; nil if there is none.
func (f *faulty) machine() *sandbox.Machine { return f.sandbox.Cloud.Machines.Get(f.cluster) }

// state in the bucket; empty if there is none.
func (f *faulty) state() string { return f.object(stateKey) }

// lock of the state; empty if it is free.
func (f *faulty) lock() string { return f.object(lockKey) }

func (f *faulty) object(key string) string {
	content, there := f.sandbox.Cloud.Object(f.bucket, key)
	if !there {
		return ""
	}
	return content
}

// rescued is a state that is in a Secret as it could not be written to its bucket.
func (f *faulty) rescued(ctx context.Context) []byte {
	GinkgoHelper()
	s := &corev1.Secret{}
	err := f.management.Get(ctx, client.ObjectKey{Namespace: provisioningNamespace, Name: run.RescueName(f.name)}, s)
	Expect(client.IgnoreNotFound(err)).To(Succeed())
	return s.Data[run.RescueKey]
}

// traces of the cluster's runs on the management cluster.
func (f *faulty) traces(ctx context.Context) []string {
	GinkgoHelper()
	var out []string
	for _, l := range []client.ObjectList{&batchv1.JobList{}, &corev1.PodList{}, &corev1.ConfigMapList{}, &corev1.SecretList{}} {
		Expect(f.management.List(ctx, l, client.InNamespace(provisioningNamespace))).To(Succeed())
		Expect(meta.EachListItem(l, func(o runtime.Object) error {
			m, err := meta.Accessor(o)
			if err == nil && strings.Contains(m.GetName(), "-"+f.name) {
				out = append(out, m.GetName())
			}
			return err
		})).To(Succeed())
	}
	return out
}

// warnings are the messages of events that warn of the cluster.
func (f *faulty) warnings(ctx context.Context) []string {
	GinkgoHelper()
	events := &corev1.EventList{}
	Expect(f.management.List(ctx, events, client.InNamespace(v1alpha1.PlatformNamespace))).To(Succeed())
	var out []string
	for _, e := range events.Items {
		if e.InvolvedObject.Name == f.name && e.Type == corev1.EventTypeWarning {
			out = append(out, e.Message)
		}
	}
	return out
}

// replicate runs a second provider.
func (w *world) replicate(ctx context.Context) {
	GinkgoHelper()
	for _, args := range [][]string{
		{"scale", "deployment/host-cluster-controller", "--replicas=2"},
		{"rollout", "status", "deployment/host-cluster-controller", "--timeout=2m"},
	} {
		_, err := w.sandbox.Kubectl(ctx, append(args, "--namespace="+v1alpha1.PlatformNamespace)...)
		Expect(err).NotTo(HaveOccurred())
	}
}

// leader is the pod of the provider that leads; empty if none does.
func (f *faulty) leader(ctx context.Context) string {
	GinkgoHelper()
	lease := &coordinationv1.Lease{}
	Expect(f.management.Get(ctx, client.ObjectKey{Namespace: v1alpha1.PlatformNamespace, Name: "provider-kubeopera"}, lease)).To(Succeed())
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	pod, _, _ := strings.Cut(*lease.Spec.HolderIdentity, "_")
	return pod
}
