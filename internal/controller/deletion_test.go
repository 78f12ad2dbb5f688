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
	"strings"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// lostBound is the longest that a target which cannot be worked on may hold up
// a deletion: two minutes, and as long again on a machine that has more to do.
const lostBound = 4 * time.Minute

// disconnected makes sure that everything of ours is gone, but for Flux itself
// and the workloads, and that nothing else was touched.
func (w *world) disconnected(ctx context.Context, workloads kt.Versions) {
	w.t.Helper()
	w.forgotten(ctx)

	if diff := cmp.Diff(workloads, w.workloads(ctx)); diff != "" {
		w.t.Errorf("workloads were touched: -before, +after:\n%s", diff)
	}

	for _, l := range []client.ObjectList{&kustomizev1.KustomizationList{}, &sourcev1.GitRepositoryList{}} {
		v, err := kt.VersionsOf(ctx, w.tc, []client.ObjectList{l})
		w.Expect(err).NotTo(HaveOccurred())
		w.Expect(v).To(BeEmpty())
	}

	key := client.ObjectKey{Namespace: v1alpha1.FluxNamespace, Name: v1alpha1.SyncName}
	w.Expect(kerrors.IsNotFound(w.tc.Get(ctx, key, &corev1.Secret{}))).To(BeTrue(), "the Git credentials are gone")
}

// forgotten makes sure that nothing is left on the management side but what
// the user supplied, and the only copies of what is in use on the cluster.
func (w *world) forgotten(ctx context.Context) {
	w.t.Helper()
	w.gone(ctx, w.cp.Client, w.key(), &v1alpha1.HostCluster{})

	v, err := kt.VersionsOf(ctx, w.cp.Client, children(), client.InNamespace(w.hc.GetNamespace()))
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(v).To(BeEmpty())

	names := []string{v1alpha1.AdminPasswordSecretName(w.hc.GetName()), v1alpha1.SealingSecretName(w.hc.GetName())}

	w.Eventually(func(g Gomega) {
		l := &corev1.SecretList{}
		g.Expect(w.cp.Client.List(ctx, l, client.InNamespace(w.hc.GetNamespace()), client.HasLabels{v1alpha1.LabelHostCluster})).To(Succeed())

		for i := range l.Items {
			g.Expect(names).To(ContainElement(l.Items[i].GetName()))
		}
	}).Should(Succeed())
}

// supplied makes sure that the user's Secrets are as they were.
func (w *world) supplied(ctx context.Context) {
	w.t.Helper()

	for _, want := range w.input {
		s := &corev1.Secret{}
		w.Expect(w.cp.Client.Get(ctx, client.ObjectKeyFromObject(want), s)).To(Succeed())
		w.Expect(s.Data).To(Equal(want.Data))
		w.Expect(s.Labels).To(BeEmpty())
		w.Expect(s.Finalizers).To(BeEmpty())
	}
}

func (w *world) delete(ctx context.Context, o client.Object, opts ...client.DeleteOption) {
	w.t.Helper()
	o.SetNamespace(w.hc.GetNamespace())

	if o.GetName() == "" {
		o.SetName(w.hc.GetName())
	}

	w.Expect(w.cp.Client.Delete(ctx, o, opts...)).To(Succeed())
}

// events about what was left behind.
func (w *world) leftBehind(ctx context.Context) []string {
	w.t.Helper()

	l := &corev1.EventList{}
	w.Expect(w.cp.Client.List(ctx, l, client.InNamespace(w.hc.GetNamespace()))).To(Succeed())

	var messages []string

	for i := range l.Items {
		if l.Items[i].Reason == "LeftBehind" {
			messages = append(messages, l.Items[i].Message)
		}
	}

	return messages
}

// TestDeletion: any way to delete a HostCluster, with all controllers, ends.
func TestDeletion(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		delete func(ctx context.Context, w *world)
		check  func(ctx context.Context, w *world, workloads kt.Versions)
	}{
		"Background": {
			"kubectl delete hc: everything is disconnected, and the user's Secrets stay.",
			func(ctx context.Context, w *world) { w.delete(ctx, &v1alpha1.HostCluster{}) },
			func(ctx context.Context, w *world, v kt.Versions) {
				w.disconnected(ctx, v)
				w.supplied(ctx)
				w.Expect(w.leftBehind(ctx)).To(BeEmpty())
			},
		},
		"Foreground": {
			"Argo CD deletes in the foreground: the garbage collector deletes the children, and they order themselves.",
			func(ctx context.Context, w *world) {
				w.delete(ctx, &v1alpha1.HostCluster{}, client.PropagationPolicy(metav1.DeletePropagationForeground))
			},
			func(ctx context.Context, w *world, v kt.Versions) { w.disconnected(ctx, v); w.supplied(ctx) },
		},
		"ChildrenFirst": {
			"Somebody deletes the children, the way in first, and then the HostCluster.",
			func(ctx context.Context, w *world) {
				w.delete(ctx, &v1alpha1.ClusterAccess{})
				w.delete(ctx, &v1alpha1.FluxBootstrap{})
				w.delete(ctx, &v1alpha1.GitOpsEnvironment{})
				w.delete(ctx, &v1alpha1.Administrator{})
				w.delete(ctx, &v1alpha1.HostCluster{})
			},
			func(ctx context.Context, w *world, v kt.Versions) { w.disconnected(ctx, v) },
		},
		"GitFolder": {
			"Flux prunes a folder: the HostCluster and the Secrets that it needs go at the same time.",
			func(ctx context.Context, w *world) {
				for _, s := range w.input {
					w.delete(ctx, s.DeepCopy())
				}

				w.delete(ctx, &v1alpha1.HostCluster{})
			},
			func(ctx context.Context, w *world, v kt.Versions) { w.disconnected(ctx, v) },
		},
		"Namespace": {
			"The namespace goes, and everything in it in any order.",
			func(ctx context.Context, w *world) {
				w.Expect(w.cp.Client.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.hc.GetNamespace()}})).To(Succeed())
			},
			func(ctx context.Context, w *world, v kt.Versions) {
				w.disconnected(ctx, v)
				w.gone(ctx, w.cp.Client, client.ObjectKey{Name: w.hc.GetNamespace()}, &corev1.Namespace{})
			},
		},
		"Unreachable": {
			"The target does not answer any more.",
			func(ctx context.Context, w *world) {
				w.target.Stop()
				w.delete(ctx, &v1alpha1.HostCluster{})
				w.says(ctx, v1alpha1.PhaseDeleting, "FluxBootstrap: Cannot disconnect: ")
			},
			func(ctx context.Context, w *world, _ kt.Versions) {
				w.SetDefaultEventuallyTimeout(lostBound)
				w.forgotten(ctx)
				w.supplied(ctx)

				// Events are written beside the work.
				w.Eventually(func() string { return strings.Join(w.leftBehind(ctx), "\n") }, patience, "200ms").Should(And(
					ContainSubstring("GitRepository flux-system/kubeopera"), ContainSubstring("Secret flux-system/kubeopera"),
					ContainSubstring("kubeopera-apps"), ContainSubstring("Flux in namespace flux-system")))
			},
		},
		"KubeconfigGone": {
			"The kubeconfig is gone, both the user's and the stored one, by force.",
			func(ctx context.Context, w *world) {
				w.delete(ctx, w.input[0].DeepCopy())
				w.delete(ctx, &v1alpha1.HostCluster{})

				stored := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.hc.GetNamespace(), Name: v1alpha1.KubeconfigSecretName(w.hc.GetName())}}
				w.Eventually(func() error {
					if err := w.cp.Client.Get(ctx, client.ObjectKeyFromObject(stored), stored); err != nil {
						return client.IgnoreNotFound(err)
					}

					stored.Finalizers = nil

					return w.cp.Client.Update(ctx, stored)
				}).Should(Succeed())
				w.Expect(client.IgnoreNotFound(w.cp.Client.Delete(ctx, stored))).To(Succeed())
			},
			func(ctx context.Context, w *world, _ kt.Versions) {
				w.SetDefaultEventuallyTimeout(lostBound)
				w.forgotten(ctx)
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Log(tc.reason)

			ctx := t.Context()
			w := newWorld(t).supply(ctx).create(ctx)
			w.ready(ctx)

			workloads := w.workloads(ctx)
			tc.delete(ctx, w)
			tc.check(ctx, w, workloads)
		})
	}
}

// TestReconnect: a cluster that was disconnected is connected again, under its
// name and under another one, and its workloads run on all the time.
func TestReconnect(t *testing.T) {
	t.Parallel()

	ctx := t.Context()
	w := newWorld(t).supply(ctx).create(ctx)
	w.ready(ctx)
	workloads := w.workloads(ctx)

	w.delete(ctx, &v1alpha1.HostCluster{})
	w.disconnected(ctx, workloads)

	w.create(ctx)
	w.ready(ctx)

	if diff := cmp.Diff(workloads, w.workloads(ctx)); diff != "" {
		t.Errorf("workloads were touched: -before, +after:\n%s", diff)
	}

	w.delete(ctx, &v1alpha1.HostCluster{})
	w.disconnected(ctx, workloads)

	w.hc.Name, w.hc.Spec.GitOpsPath = "other", new(v1alpha1.GitPath("clusters/other"))
	w.create(ctx)
	w.ready(ctx)

	if diff := cmp.Diff(workloads, w.workloads(ctx)); diff != "" {
		t.Errorf("workloads were touched: -before, +after:\n%s", diff)
	}
}

// TestChildDeletedByHand: a child that somebody deletes under a HostCluster that
// is there to stay goes soon, and is made again; no workload notices.
func TestChildDeletedByHand(t *testing.T) {
	t.Parallel()

	for name, child := range map[string]client.Object{
		"ClusterAccess":     &v1alpha1.ClusterAccess{},
		"FluxBootstrap":     &v1alpha1.FluxBootstrap{},
		"GitOpsEnvironment": &v1alpha1.GitOpsEnvironment{},
		"Administrator":     &v1alpha1.Administrator{},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			ctx := t.Context()
			w := newWorld(t).supply(ctx).create(ctx)
			before := w.ready(ctx)
			workloads := w.workloads(ctx)
			stored := client.ObjectKey{Namespace: w.hc.GetNamespace(), Name: v1alpha1.KubeconfigSecretName(w.hc.GetName())}
			password := client.ObjectKey{Namespace: w.hc.GetNamespace(), Name: v1alpha1.AdminPasswordSecretName(w.hc.GetName())}
			uid := w.uid(ctx, w.key(), child)
			secrets := []string{w.uid(ctx, stored, &corev1.Secret{}), w.uid(ctx, password, &corev1.Secret{})}

			w.delete(ctx, child)
			w.Eventually(func(g Gomega) {
				g.Expect(w.cp.Client.Get(ctx, w.key(), child)).To(Succeed())
				g.Expect(string(child.GetUID())).NotTo(Equal(uid), "%v", child)
				g.Expect(child.GetDeletionTimestamp()).To(BeNil())
			}).WithTimeout(lostBound).Should(Succeed())

			after := w.until(ctx, func(g Gomega, hc *v1alpha1.HostCluster) {
				g.Expect(w.cp.Client.Get(ctx, w.key(), child)).To(Succeed())
				mg, ok := child.(interface {
					GetCondition(ct xpv2.ConditionType) xpv2.Condition
				})
				g.Expect(ok).To(BeTrue())
				g.Expect(mg.GetCondition(xpv2.TypeReady).Status).To(Equal(corev1.ConditionTrue), mg.GetCondition(xpv2.TypeReady).Message)
				g.Expect(hc.Status.Phase).To(Equal(v1alpha1.PhaseReady), hc.Status.Message)
				g.Expect(hc.GetCondition(xpv2.TypeReady).Status).To(Equal(corev1.ConditionTrue), hc.Status.Message)
			})
			w.Expect(after.Status.ClusterUID).To(Equal(before.Status.ClusterUID))
			w.Expect([]string{w.uid(ctx, stored, &corev1.Secret{}), w.uid(ctx, password, &corev1.Secret{})}).To(Equal(secrets))

			if diff := cmp.Diff(workloads, w.workloads(ctx)); diff != "" {
				t.Errorf("workloads were touched: -before, +after:\n%s", diff)
			}

			w.delete(ctx, &v1alpha1.HostCluster{})
			w.disconnected(ctx, workloads)
		})
	}
}

// uid of an object.
func (w *world) uid(ctx context.Context, key client.ObjectKey, o client.Object) string {
	w.t.Helper()
	w.Expect(w.cp.Client.Get(ctx, key, o)).To(Succeed())

	return string(o.GetUID())
}
