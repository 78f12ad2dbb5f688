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
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/hack/sandbox"
)

var _ = Describe("A provider that is killed once in each phase", Ordered, func() {
	var w *world

	BeforeAll(func(ctx SpecContext) {
		w = startWorld(ctx, "crash")
	}, NodeTimeout(startTimeout))

	It("reaches Ready all the same", func(ctx SpecContext) {
		events, err := w.management.Watch(ctx, &v1alpha1.HostClusterList{}, client.InNamespace(v1alpha1.PlatformNamespace))
		Expect(err).NotTo(HaveOccurred())
		defer events.Stop()
		w.connect(ctx)

		killed := map[v1alpha1.Phase]bool{}
		for event := range events.ResultChan() {
			hc, ok := event.Object.(*v1alpha1.HostCluster)
			if !ok {
				break
			}
			if sandbox.Ready(hc) {
				break
			}
			if phase := hc.Status.Phase; phase != "" && !killed[phase] {
				killed[phase] = true
				GinkgoWriter.Printf("%s killed in %s\n", time.Now().Format(time.TimeOnly), phase)
				w.provider.Kill()
				w.startProvider()
			}
		}
		Expect(killed).To(And(HaveKey(v1alpha1.PhaseValidatingAccess), HaveKey(v1alpha1.PhaseBootstrappingFlux),
			HaveKey(v1alpha1.PhaseGeneratingGitOpsTree), HaveKey(v1alpha1.PhaseInstallingKubeOpera)))
		w.awaitReady(ctx)
	}, SpecTimeout(readyTimeout))

	itIsWhole(func() *world { return w })
})
