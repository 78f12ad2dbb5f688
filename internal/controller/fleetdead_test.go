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
	"fmt"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

const (
	// fleetPatience bounds how long a fleet takes: about a minute on two idle
	// cores, most of it for what Helm computes.
	fleetPatience = 10 * time.Minute

	// goroutinesEach bounds the goroutines of the provider for each HostCluster:
	// an idle connection to its target and its Git server each have two, and
	// each of its objects may be worked on.
	goroutinesEach = 10
)

// TestFleet connects 50 HostClusters of which 10 lead into black holes, which
// are waited for first. All others become Ready, the dead ones are called dead,
// and the provider's goroutines stay few.
func TestFleet(t *testing.T) {
	t.Parallel()

	ctx := t.Context()
	g := NewWithT(t)
	f := newFleet(t, fleetPoll)

	// The first brings what is common to all: CRDs, and the provider's own caches.
	newWorldFor(t, f.cp, f.namespace, "first", f.cp.Target(t, kt.Admin())).supply(ctx).create(ctx).ready(ctx)

	before := f.scrape(t)["go_goroutines"]
	most := before

	for i := range dead {
		f.blackHole(t, fmt.Sprintf("dead-%d", i))
	}

	for i := range fleetSize - dead {
		newWorldFor(t, f.cp, f.namespace, fmt.Sprintf("healthy-%d", i), f.cp.Target(t, kt.Admin())).supply(ctx).create(ctx)
	}

	began := time.Now()
	g.Eventually(func(g Gomega) {
		most = max(most, f.scrape(t)["go_goroutines"])

		ready, silent := 0, 0
		l := &v1alpha1.HostClusterList{}
		g.Expect(f.cp.Client.List(ctx, l, client.InNamespace(f.namespace))).To(Succeed())

		for i := range l.Items {
			switch {
			case l.Items[i].Status.Phase == v1alpha1.PhaseReady && l.Items[i].GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue:
				ready++
			case l.Items[i].GetCondition(v1alpha1.TypeAccessValidated).Reason == v1alpha1.ReasonUnreachable:
				silent++
			}
		}

		g.Expect(ready).To(Equal(1 + fleetSize - dead))
		g.Expect(silent).To(Equal(dead))
	}).WithTimeout(fleetPatience).WithPolling(time.Second).Should(Succeed())
	t.Logf("Ready after %s; goroutines: %.0f before, %.0f at most", time.Since(began).Round(time.Second), before, most)
	g.Expect(most).To(BeNumerically("<=", before+goroutinesEach*fleetSize))
}
