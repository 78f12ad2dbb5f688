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

package provisionedcluster

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// census are the pods that were seen, and which run each was of.
type census map[types.UID]string

// look who runs.
func (c census) look(w *world) {
	w.t.Helper()
	l := &corev1.PodList{}
	w.Expect(w.kube.List(w.t.Context(), l, client.InNamespace(w.jobs))).To(Succeed())
	for i := range l.Items {
		c[l.Items[i].UID] = l.Items[i].Labels[run.LabelRun]
	}
}

// perRun makes sure that no run had two pods.
func (c census) perRun(w *world, runs int) {
	w.t.Helper()
	seen := map[string]types.UID{}
	for uid, id := range c {
		w.Expect(seen).NotTo(HaveKey(id), "run %s has run twice", id)
		seen[id] = uid
	}
	w.Expect(seen).To(HaveLen(runs), fmt.Sprint(seen))
}

// crashing reconciles through a client that crashes, until it does or until
// there is nothing more to write.
func (w *world) crashing(c *kt.Crash) {
	w.t.Helper()
	_, r := w.reconciler(c.Client(w.client(w.provider)))
	for range 12 {
		before := c.Writes()
		_, err := r.Reconcile(w.t.Context(), reconcile.Request{NamespacedName: w.key()})
		if errors.Is(err, kt.ErrCrashed) || c.Crashed() || err == nil && c.Writes() == before {
			return
		}
	}
}

// TestCrash: the provider dies after any of its writes on the way to a cluster,
// to a larger one and to none. The next one goes on, and no run is done twice.
func TestCrash(t *testing.T) {
	t.Parallel()
	operations := map[string]struct {
		prepare func(w *world) []string
		begin   func(w *world)
		end     func(w *world, done []string)
		runs    int
	}{
		"Apply": {
			func(*world) []string { return nil },
			func(w *world) { w.create(w.pc) },
			func(w *world, done []string) { w.succeeds(done...); w.ready() }, 1,
		},
		"Resize": {
			func(w *world) []string {
				w.create(w.pc)
				id := w.succeeds().ID
				w.ready()
				return []string{id}
			},
			func(w *world) { w.change(func(pc *v1alpha1.ProvisionedCluster) { pc.Spec.ForProvider.NodeCount = 5 }) },
			func(w *world, done []string) { w.succeeds(done...); w.ready() }, 2,
		},
	}
	for name, op := range operations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kt.CrashAfterEachWrite(t, func(t *testing.T, c *kt.Crash) {
				t.Helper()
				w := newWorld(t)
				seen := census{}
				done := op.prepare(w)
				seen.look(w)
				op.begin(w)
				w.crashing(c)
				c.Restart()
				seen.look(w)
				op.end(w, done)
				seen.look(w)
				seen.perRun(w, op.runs)
				kt.Unchanged(t, w.kube, 3, w.reconcile, w.everything(), client.InNamespace(w.ns))
			})
		})
	}
}

// TestCrashWhileDestroying: also after the destroy run has succeeded, when one
// trace goes after the other.
func TestCrashWhileDestroying(t *testing.T) {
	t.Parallel()
	kt.CrashAfterEachWrite(t, func(t *testing.T, c *kt.Crash) {
		t.Helper()
		w := newWorld(t)
		w.create(w.pc)
		seen := census{}
		id := w.succeeds().ID
		w.ready()
		w.Expect(w.kube.Delete(t.Context(), w.get())).To(Succeed())
		seen.look(w)

		w.crashing(c)
		if !c.Crashed() {
			w.Expect(w.destroyed(c, id, seen)).To(Succeed())
		}
		c.Restart()
		seen.look(w)
		if w.destroying() {
			w.Expect(w.destroyed(nil, id, seen)).To(Succeed())
		}
		w.nothingLeft()
		seen.perRun(w, 2)
	})
}

// destroying tells whether the destroy run is still to succeed.
func (w *world) destroying() bool {
	w.t.Helper()
	s := &corev1.Secret{}
	if err := w.kube.Get(w.t.Context(), client.ObjectKey{Namespace: w.jobs, Name: run.OutputsName(w.pc.GetName())}, s); err != nil {
		return false
	}
	return s.Labels[run.LabelRun] != "" && len(s.Data[run.KubeconfigKey]) != 0
}

// destroyed plays the destroy run, and goes on through a client that may crash.
func (w *world) destroyed(c *kt.Crash, apply string, seen census) error {
	w.t.Helper()
	p, spec := w.pod(apply)
	seen.look(w)
	w.reports(spec, v1alpha1.RunSucceeded)
	w.ends(p, 0)
	w.Eventually(func() error { // The Job controller is not ours to crash.
		s, err := w.wf.executors.At(v1alpha1.RunPlace{Mode: v1alpha1.ExecutionJob, Namespace: w.jobs}).Running(w.t.Context())
		if err == nil && s > 0 {
			err = errors.New("the Job has not finished")
		}
		return err
	}).Should(Succeed())
	if c == nil {
		return nil
	}
	for range 10 {
		w.crashing(c)
		if c.Crashed() {
			return nil
		}
	}
	return nil
}
