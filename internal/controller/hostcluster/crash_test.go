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

package hostcluster

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// newReconciler that the test drives itself.
func newReconciler(t *testing.T, c client.Client) *Reconciler {
	t.Helper()

	m, err := newMetrics(c)
	if err != nil {
		t.Fatal(err)
	}

	return &Reconciler{
		client: c, live: c, log: logging.NewNopLogger(), record: event.NewNopRecorder(),
		clock: clock.RealClock{}, metrics: m, applied: newMemory(),
	}
}

// reconcileAll reconciles until nothing is written any more.
func (w *world) reconcileAll(ctx context.Context, r *Reconciler, writes func() int) error {
	for {
		before := writes()

		if _, err := r.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(w.hc)}); err != nil {
			return err
		}

		if writes() == before {
			return nil
		}
	}
}

// drive a HostCluster to Ready; the children do their work in between.
func (w *world) drive(ctx context.Context, r *Reconciler, writes func() int) error {
	for _, act := range []func(context.Context){
		func(context.Context) {}, w.provisioned, w.validated, w.fluxInstalled, w.pushed,
		func(ctx context.Context) { w.applied(ctx, "h1") }, w.pushedAll,
		func(ctx context.Context) { w.applied(ctx, "h2") }, w.administered,
	} {
		act(ctx)

		if err := w.reconcileAll(ctx, r, writes); err != nil {
			return err
		}
	}

	return nil
}

// resume does what is left of the children's work: what was pushed stays pushed.
func (w *world) resume(ctx context.Context, r *Reconciler, writes func() int) error {
	if err := w.reconcileAll(ctx, r, writes); err != nil {
		return err
	}

	for _, next := range []struct {
		child client.Object
		act   func(context.Context)
	}{
		{&v1alpha1.ProvisionedCluster{}, w.provisioned},
		{&v1alpha1.ClusterAccess{}, w.validated},
		{&v1alpha1.FluxBootstrap{}, w.fluxInstalled},
		{&v1alpha1.GitOpsEnvironment{}, w.pushedAll},
		{&v1alpha1.FluxBootstrap{}, func(ctx context.Context) { w.applied(ctx, "h2") }},
		{&v1alpha1.Administrator{}, w.administered},
	} {
		w.child(ctx, next.child, nil)
		next.act(ctx)

		if err := w.reconcileAll(ctx, r, writes); err != nil {
			return err
		}
	}

	return nil
}

// TestCrash: whichever write the provider is killed after, the next one comes
// to the same end.
func TestCrash(t *testing.T) {
	cp := kt.Shared(t)

	kt.CrashAfterEachWrite(t, func(t *testing.T, c *kt.Crash) {
		t.Helper()
		RegisterTestingT(t)

		ctx := t.Context()
		w := newWorld(cp.Client, cp.Namespace(t), v1alpha1.ModeProvisionEKS).create(ctx)

		if err := w.drive(ctx, newReconciler(t, c.Client(cp.Client)), c.Writes); err != nil && !errors.Is(err, kt.ErrCrashed) {
			t.Fatal(err)
		}

		c.Restart()

		r := newReconciler(t, c.Client(cp.Client))
		if err := w.resume(ctx, r, c.Writes); err != nil {
			t.Fatal(err)
		}

		hc, err := w.get(ctx)
		if err != nil {
			t.Fatal(err)
		}

		if hc.Status.Phase != v1alpha1.PhaseReady || len(hc.Status.PhaseHistory) != 5 {
			t.Errorf("not Ready but %s: %s; %v", hc.Status.Phase, hc.Status.Message, hc.Status.PhaseHistory)
		}

		all, err := kt.VersionsOf(ctx, cp.Client, children(), client.InNamespace(hc.GetNamespace()))
		if err != nil || len(all) != 6 {
			t.Errorf("want one of each kind, got %v, %v", all, err)
		}

		poll := func() error {
			_, err := r.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(hc)})

			return err
		}
		kt.Unchanged(t, cp.Client, 3, poll, children(), client.InNamespace(hc.GetNamespace()))
	})
}

// TestCrashWhileDeleting: it goes in the end, and takes the cluster with it.
func TestCrashWhileDeleting(t *testing.T) {
	cp := kt.Shared(t)

	kt.CrashAfterEachWrite(t, func(t *testing.T, c *kt.Crash) {
		t.Helper()
		RegisterTestingT(t)

		ctx := t.Context()
		w := newWorld(cp.Client, cp.Namespace(t), v1alpha1.ModeProvisionEKS)
		w.hc.Spec.DeletionPolicy = v1alpha1.DeletionDestroy
		w.create(ctx)

		free := kt.NewCrash(0)
		if err := w.drive(ctx, newReconciler(t, free.Client(cp.Client)), free.Writes); err != nil {
			t.Fatal(err)
		}

		Expect(cp.Client.Delete(ctx, w.hc)).To(Succeed())

		if err := w.reconcileAll(ctx, newReconciler(t, c.Client(cp.Client)), c.Writes); err != nil && !errors.Is(err, kt.ErrCrashed) {
			t.Fatal(err)
		}

		c.Restart()
		Expect(w.reconcileAll(ctx, newReconciler(t, c.Client(cp.Client)), c.Writes)).To(Succeed())

		all, err := kt.VersionsOf(ctx, cp.Client, children(), client.InNamespace(w.hc.GetNamespace()))
		if err != nil || len(all) != 0 {
			t.Errorf("want nothing, got %v, %v", all, err)
		}
	})
}
