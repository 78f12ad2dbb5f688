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
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

const (
	// smallFleet is how many HostClusters TestFleet has; the variable envFleet
	// sets another size, such as 50, which takes minutes of two cores: it is
	// other tests' time that they would take.
	smallFleet = dead + 5

	// fleetPatience bounds how long the fleet takes on a busy machine.
	fleetPatience = 5 * time.Minute

	// goroutinesEach bounds the goroutines of the provider for each HostCluster
	// when nothing happens: the idle connection to its target has one, one to
	// its Git server has two for a moment, and one of its objects may be looked
	// at. While all are connected at once there may be more, up to goroutinesBusy.
	goroutinesEach = 5
	goroutinesBusy = 50
)

// TestFleet connects HostClusters of which most lead into black holes, which are
// waited for first. All others become Ready, the dead ones are called dead, and
// the provider's goroutines stay few. All but the first have a Flux already, so
// that it is not Helm that takes the time.
func TestFleet(t *testing.T) {
	size := smallFleet
	if n, err := strconv.Atoi(os.Getenv(envFleet)); err == nil {
		size = max(n, size)
	}

	ctx := t.Context()
	g := NewWithT(t)
	f := newFleet(t, fleetPoll)

	// The first brings what is common to all: CRDs, and the provider's own caches.
	first := newWorldFor(t, f.cp, f.namespace, "first", f.cp.Target(t, kt.Admin()))
	first.supply(ctx).create(ctx).ready(ctx)

	before := f.scrape(t)["go_goroutines"]
	most := before

	for i := range dead {
		f.blackHole(t, fmt.Sprintf("dead-%d", i))
	}

	for i := range size - dead {
		w := newWorldFor(t, f.cp, f.namespace, fmt.Sprintf("healthy-%d", i), f.cp.Target(t, kt.Admin()))
		w.bringFlux(ctx, first)
		w.supply(ctx).create(ctx)
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

		g.Expect(ready).To(Equal(1 + size - dead))
		g.Expect(silent).To(Equal(dead))
	}).WithTimeout(fleetPatience).WithPolling(time.Second).Should(Succeed())
	t.Logf("Ready after %s; goroutines: %.0f before, %.0f at most", time.Since(began).Round(time.Second), before, most)
	g.Expect(most).To(BeNumerically("<=", before+goroutinesBusy*float64(size)))
	g.Eventually(func() float64 { return f.scrape(t)["go_goroutines"] }).WithTimeout(patience).WithPolling(time.Second).
		Should(BeNumerically("<=", before+goroutinesEach*float64(size)))
}

// bringFlux brings the Flux of another world to the target, as its users would
// have done.
func (w *world) bringFlux(ctx context.Context, from *world) {
	w.t.Helper()

	l := &appsv1.DeploymentList{}
	w.Expect(from.tc.List(ctx, l, client.InNamespace(v1alpha1.FluxNamespace))).To(Succeed())
	w.Expect(l.Items).NotTo(BeEmpty())
	w.Expect(w.tc.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.FluxNamespace}})).To(Succeed())

	for i := range l.Items {
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: v1alpha1.FluxNamespace, Name: l.Items[i].GetName(), Labels: l.Items[i].GetLabels()}}
		delete(d.Labels, "app.kubernetes.io/managed-by") // Helm
		d.Spec = l.Items[i].Spec
		w.Expect(w.tc.Create(ctx, d)).To(Succeed())
	}
}
