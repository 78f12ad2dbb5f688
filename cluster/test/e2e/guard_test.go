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
	"fmt"
	"slices"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
)

// guard watches the pods of the target all the time, so that one which is replaced between two looks is noticed.
type guard struct {
	mu     sync.Mutex
	pods   map[types.UID]int32 // how often each was restarted
	harmed []string
	stop   func()
}

// guardWorkloads begins to watch the pods that we brought to the target, until it is stopped.
func (w *world) guardWorkloads(ctx context.Context) *guard {
	GinkgoHelper()
	g := &guard{pods: w.workloads(ctx)}
	Expect(len(g.pods)).To(BeNumerically(">=", 5), "Flux, Sealed Secrets and KubeOpera")
	watching, cancel := context.WithCancel(context.WithoutCancel(ctx))
	events, err := w.target.Watch(watching, &corev1.PodList{})
	Expect(err).NotTo(HaveOccurred())
	var ended sync.WaitGroup
	ended.Go(func() {
		for event := range events.ResultChan() {
			g.see(event)
		}
	})
	g.stop = func() {
		cancel()
		ended.Wait()
	}
	return g
}

// see what has happened to a pod.
func (g *guard) see(event watch.Event) {
	pod, ok := event.Object.(*corev1.Pod)
	if !ok {
		g.harmf("the watch ended: %v", event.Object)
		return
	}
	if !slices.Contains(platformNamespaces(), pod.GetNamespace()) {
		return
	}
	before, known := g.pods[pod.GetUID()]
	switch now := restarts(pod); {
	case !known:
		g.harmf("%s/%s is new", pod.GetNamespace(), pod.GetName())
	case event.Type == watch.Deleted || pod.GetDeletionTimestamp() != nil:
		g.harmf("%s/%s was deleted", pod.GetNamespace(), pod.GetName())
	case now != before:
		g.harmf("%s/%s was restarted", pod.GetNamespace(), pod.GetName())
	}
}

func (g *guard) harmf(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.harmed = append(g.harmed, fmt.Sprintf(format, args...))
}

// Harmed says what happened to the workloads so far.
func (g *guard) Harmed() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.harmed)
}

// platformNamespaces are where the pods are that we bring to a target.
func platformNamespaces() []string {
	return []string{v1alpha1.FluxNamespace, render.SealedSecretsNamespace, v1alpha1.PlatformNamespace}
}

// workloads are the pods that we brought to the target, with how often they were restarted.
func (w *world) workloads(ctx context.Context) map[types.UID]int32 {
	GinkgoHelper()
	found := map[types.UID]int32{}
	for _, namespace := range platformNamespaces() {
		pods := &corev1.PodList{}
		Expect(w.target.List(ctx, pods, client.InNamespace(namespace))).To(Succeed())
		for i := range pods.Items {
			found[pods.Items[i].GetUID()] = restarts(&pods.Items[i])
		}
	}
	return found
}

// restarts of all containers of a pod.
func restarts(pod *corev1.Pod) (n int32) {
	for i := range pod.Status.ContainerStatuses {
		n += pod.Status.ContainerStatuses[i].RestartCount
	}
	return n
}

// expectUntouched expects that nothing has happened to the workloads, for as long as Flux would need to notice something.
func (w *world) expectUntouched(ctx context.Context, g *guard) {
	GinkgoHelper()
	Consistently(ctx, g.Harmed, pollInterval, "200ms").Should(BeEmpty())
	Expect(w.workloads(ctx)).To(Equal(g.pods))
}
