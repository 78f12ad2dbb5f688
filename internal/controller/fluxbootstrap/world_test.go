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

package fluxbootstrap

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/flux"
	"github.com/kubeopera/provider-kubeopera/internal/target"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func TestMain(m *testing.M) { os.Exit(kt.Main(m)) }

// connector leads to one target, or fails.
type connector struct {
	t   *target.Cluster
	err error
}

func (c *connector) Connect(context.Context, types.NamespacedName) (*target.Cluster, error) {
	return c.t, c.err
}

// recorder keeps the messages of events.
type recorder struct{ messages []string }

func (r *recorder) Event(_ runtime.Object, e event.Event)    { r.messages = append(r.messages, e.Message) }
func (r *recorder) WithAnnotations(...string) event.Recorder { return r }

// world is a FluxBootstrap, and a real API server that is both its sides. There
// is no Flux on it: the test writes what Flux would.
type world struct {
	*testing.T

	c      client.WithWatch
	cp     *kt.ControlPlane
	fb     *v1alpha1.FluxBootstrap
	to     *connector
	clock  *testclock.FakeClock
	events *recorder
	w      *workflow
}

func newWorld(t *testing.T) *world {
	t.Helper()
	cp := kt.Shared(t)
	cfg := rest.CopyConfig(cp.Config)
	cfg.WarningHandlerWithContext = rest.NoWarnings{}
	c, err := client.NewWithWatch(cfg, client.Options{Scheme: target.NewScheme()})
	if err != nil {
		t.Fatal(err)
	}
	ns := cp.Namespace(t)
	w := &world{T: t, c: c, cp: cp, clock: testclock.NewFakeClock(time.Now()), events: &recorder{}}
	w.to = &connector{t: &target.Cluster{Client: c, Config: cp.Config}}
	w.w = &workflow{reader: c, targets: w.to, charts: flux.NewCharts(), clock: w.clock, events: w.events, log: logging.NewNopLogger()}
	w.fb = &v1alpha1.FluxBootstrap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "my-cluster", Generation: 1}}
	w.fb.Spec.ForProvider = v1alpha1.FluxBootstrapParameters{
		KubeconfigSecretRef: v1alpha1.SecretReference{Name: "kubeconfig"},
		Namespace:           ns,
		Components:          []v1alpha1.Component{"source-controller", "kustomize-controller"},
		Git: &v1alpha1.FluxGit{Git: v1alpha1.Git{
			URL: "https://git.example.com/acme/iac.git", Branch: "main", CredentialsSecretRef: v1alpha1.SecretReference{Name: "git"},
		}},
	}
	w.create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "git"},
		Data:       map[string][]byte{"username": []byte("me"), "password": []byte("first")},
	})
	w.clean()
	t.Cleanup(w.clean)
	return w
}

// clean takes Flux away, so that each test finds a target without.
func (w *world) clean() {
	w.Helper()
	ctx, part := context.WithoutCancel(w.Context()), client.MatchingLabels{"app.kubernetes.io/part-of": "flux"}
	for _, o := range []client.Object{&apiextensionsv1.CustomResourceDefinition{}, &rbacv1.ClusterRole{}, &rbacv1.ClusterRoleBinding{}} {
		w.must(w.c.DeleteAllOf(ctx, o, part))
	}
	ds := &appsv1.DeploymentList{}
	w.must(w.c.List(ctx, ds, part))
	for i := range ds.Items {
		w.must(client.IgnoreNotFound(w.c.Delete(ctx, &ds.Items[i])))
	}
	l := &apiextensionsv1.CustomResourceDefinitionList{}
	w.must(wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		return w.c.List(ctx, l, part) == nil && w.c.List(ctx, ds, part) == nil && len(l.Items)+len(ds.Items) == 0, nil
	}))
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) create(o client.Object) {
	w.Helper()
	w.must(w.c.Create(w.Context(), o))
}

func (w *world) get(o client.Object, name string) bool {
	w.Helper()
	o.SetNamespace(w.fb.GetNamespace())
	o.SetName(name)
	found, err := flux.Get(w.Context(), w.c, o)
	w.must(err)
	return found
}

// reconcile does what the managed reconciler does in one pass.
func (w *world) reconcile() error {
	c, err := external.NewConnector(w.w).Connect(w.Context(), w.fb)
	if err != nil {
		return err
	}
	o, err := c.Observe(w.Context(), w.fb)
	switch {
	case err != nil:
		return err
	case w.fb.GetDeletionTimestamp() != nil && o.ResourceExists:
		_, err = c.Delete(w.Context(), w.fb)
	case w.fb.GetDeletionTimestamp() != nil:
	case !o.ResourceExists, !o.ResourceUpToDate:
		_, err = c.Update(w.Context(), w.fb)
	}
	return err
}

// gone tells whether a FluxBootstrap that is being deleted lets go.
func (w *world) gone() bool {
	w.Helper()
	s, err := w.w.Collect(w.Context(), w.fb)
	w.must(err)
	return w.w.NextDelete(s) == external.Done
}

func (w *world) expect(step string, c xpv2.ConditionType, status corev1.ConditionStatus, message string) {
	w.Helper()
	w.must(w.reconcile())
	got := w.fb.GetCondition(c)
	if got.Status != status || got.Message != message {
		w.Fatalf("%s: %s is %s, %q; want %s, %q", step, c, got.Status, got.Message, status, message)
	}
}

// controllersRun gives all Deployments the status of running ones.
func (w *world) controllersRun() {
	w.Helper()
	w.controllersRunIn(w.fb.GetNamespace())
}

func (w *world) controllersRunIn(namespace string) {
	w.Helper()
	l := &appsv1.DeploymentList{}
	w.must(w.c.List(w.Context(), l, client.InNamespace(namespace)))
	for i := range l.Items {
		d := &l.Items[i]
		d.Status = appsv1.DeploymentStatus{
			ObservedGeneration: d.Generation, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1,
			Conditions: []appsv1.DeploymentCondition{
				{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue},
				{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable"},
			},
		}
		w.must(w.c.Status().Update(w.Context(), d))
	}
}

// fetched gives the source a revision, as source-controller does.
func (w *world) fetched(revision string) {
	w.Helper()
	s := &sourcev1.GitRepository{}
	w.get(s, "kubeopera")
	s.Status.ObservedGeneration = s.Generation
	s.Status.Artifact = &fluxmeta.Artifact{Revision: revision, Path: "p", URL: "http://s/p", Digest: "sha256:" + fmt.Sprintf("%064d", 1), LastUpdateTime: metav1.Now()}
	succeed(&s.Status.Conditions)
	w.must(w.c.Status().Update(w.Context(), s))
}

// applied makes the root and the layers what kustomize-controller makes of a
// tree with this hash.
func (w *world) applied(revision, hash string, layers ...v1alpha1.Layer) {
	w.Helper()
	root := &kustomizev1.Kustomization{}
	w.get(root, "kubeopera")
	w.reconciled(root, revision)
	for _, l := range layers {
		k := &kustomizev1.Kustomization{}
		if !w.get(k, l.KustomizationName()) {
			k.Spec = root.Spec
			k.Finalizers = []string{"finalizers.fluxcd.io"}
			k.Labels = map[string]string{v1alpha1.LabelLayer: string(l)}
			k.Annotations = map[string]string{v1alpha1.AnnotationTreeHash: hash}
			w.create(k)
		}
		k.Annotations[v1alpha1.AnnotationTreeHash] = hash
		w.must(w.c.Update(w.Context(), k))
		w.reconciled(k, revision)
	}
}

func (w *world) reconciled(k *kustomizev1.Kustomization, revision string) {
	w.Helper()
	k.Status.ObservedGeneration = k.Generation
	k.Status.LastAppliedRevision = revision
	succeed(&k.Status.Conditions)
	w.must(w.c.Status().Update(w.Context(), k))
}

func succeed(cs *[]metav1.Condition) {
	apimeta.SetStatusCondition(cs, metav1.Condition{Type: fluxmeta.ReadyCondition, Status: metav1.ConditionTrue, Reason: "Succeeded", Message: "done"})
}

// bootstrapped is a world with a healthy tree.
func bootstrapped(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.bootstrap()
	return w
}

func (w *world) bootstrap() {
	w.Helper()
	w.must(w.reconcile())
	w.controllersRun()
	w.fb.Spec.ForProvider.Sync = &v1alpha1.Sync{Path: "clusters/my-cluster", TreeHash: "h1", Layers: []v1alpha1.Layer{"apps", "infrastructure"}}
	w.must(w.reconcile())
	w.fetched("main@sha1:1")
	w.applied("main@sha1:1", "h1", "infrastructure", "apps")
	w.expect("healthy", xpv2.TypeReady, corev1.ConditionTrue, "")
}
