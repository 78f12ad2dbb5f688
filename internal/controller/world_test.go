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
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/gittest"
	"github.com/kubeopera/provider-kubeopera/internal/target"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// world is a namespace with a HostCluster, and the target and Git server that
// it leads to. Only Flux and the kubelet are played, by a puppet.
type world struct {
	*WithT

	t      testing.TB
	cp     *kt.ControlPlane
	target *kt.Target
	git    *gittest.Server
	tc     client.Client // Of the target.
	hc     *v1alpha1.HostCluster

	// rest ends what the puppet does.
	rest func()

	// first token of the target.
	first string

	// input are the Secrets that the user supplies.
	input []*corev1.Secret
}

// newWorld in which nothing is on the API server yet but the namespace.
func newWorld(tb testing.TB) *world {
	tb.Helper()

	cp := controlPlane(tb)

	return newWorldFor(tb, cp, cp.Namespace(tb), "my-cluster", cp.Target(tb, kt.Admin()))
}

func newWorldFor(tb testing.TB, cp *kt.ControlPlane, namespace, name string, to *kt.Target) *world {
	tb.Helper()

	w := &world{WithT: NewWithT(tb), t: tb, cp: cp, target: to, first: to.Token()}
	w.git = gittest.Serve(tb, "main", map[string]string{"README.md": "of others\n"})
	w.SetDefaultEventuallyTimeout(patience)
	w.SetDefaultEventuallyPollingInterval(50 * time.Millisecond)

	cfg := rest.CopyConfig(to.Config)
	cfg.WarningHandlerWithContext = rest.NoWarnings{}

	var err error

	w.tc, err = client.New(cfg, client.Options{Scheme: target.NewScheme()})
	w.Expect(err).NotTo(HaveOccurred())
	w.rest = (&puppet{c: w.tc, repo: w.git.Dir, branch: "main"}).run(tb)

	kubeconfig, err := to.Kubeconfig()
	w.Expect(err).NotTo(HaveOccurred())

	w.input = []*corev1.Secret{
		{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name + "-" + inputSecret}, Data: map[string][]byte{v1alpha1.KubeconfigKey: kubeconfig}},
		{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name + "-" + gitSecret}, Data: w.git.Credentials()},
	}
	w.hc = &v1alpha1.HostCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: v1alpha1.HostClusterSpec{
			Mode:                       v1alpha1.ModeConnectExisting,
			ConnectKubeconfigSecretRef: new(w.input[0].Name),
			GitOpsRepoURL:              new(v1alpha1.GitURL(w.git.StartTLS(tb))),
			GitOpsPath:                 new(v1alpha1.GitPath("clusters/" + name)),
			GitCredentialsSecretRef:    new(w.input[1].Name),
			Domain:                     ptr.To[v1alpha1.DNSName]("my-cluster.acme.com"),
			Profile:                    v1alpha1.ProfileMinimal,
			AdminEmail:                 ptr.To[v1alpha1.Email]("admin@acme.com"),
			AdminUsername:              ptr.To[v1alpha1.Username]("admin"),
		},
	}

	return w
}

// supply the Secrets.
func (w *world) supply(ctx context.Context) *world {
	w.t.Helper()

	for _, s := range w.input {
		w.Expect(w.cp.Client.Create(ctx, s.DeepCopy())).To(Succeed())
	}

	return w
}

func (w *world) create(ctx context.Context) *world {
	w.t.Helper()
	w.Expect(w.cp.Client.Create(ctx, w.hc.DeepCopy())).To(Succeed())

	return w
}

func (w *world) key() client.ObjectKey { return client.ObjectKeyFromObject(w.hc) }

func (w *world) get(ctx context.Context) (*v1alpha1.HostCluster, error) {
	hc := &v1alpha1.HostCluster{}

	return hc, w.cp.Client.Get(ctx, w.key(), hc)
}

// until the HostCluster's status is as it should be.
func (w *world) until(ctx context.Context, check func(g Gomega, hc *v1alpha1.HostCluster)) *v1alpha1.HostCluster {
	w.t.Helper()

	var hc *v1alpha1.HostCluster

	w.Eventually(func(g Gomega) {
		var err error

		hc, err = w.get(ctx)
		g.Expect(err).NotTo(HaveOccurred())
		check(g, hc)
	}).Should(Succeed())

	return hc
}

// ready waits until the HostCluster is, for its present spec.
func (w *world) ready(ctx context.Context) *v1alpha1.HostCluster {
	w.t.Helper()

	return w.until(ctx, func(g Gomega, hc *v1alpha1.HostCluster) {
		g.Expect(hc.Status.Phase).To(Equal(v1alpha1.PhaseReady), hc.Status.Message)
		c := hc.GetCondition("Ready")
		g.Expect(c.Status).To(Equal(corev1.ConditionTrue), hc.Status.Message)
		g.Expect(c.ObservedGeneration).To(Equal(hc.GetGeneration()))
	})
}

// says waits until the HostCluster has come to a phase with a message.
func (w *world) says(ctx context.Context, phase v1alpha1.Phase, message string) *v1alpha1.HostCluster {
	w.t.Helper()

	return w.until(ctx, func(g Gomega, hc *v1alpha1.HostCluster) {
		g.Expect(hc.Status.Message).To(ContainSubstring(message))
		g.Expect(hc.Status.Phase).To(Equal(phase))
	})
}

// change the HostCluster.
func (w *world) change(ctx context.Context, f func(*v1alpha1.HostCluster)) {
	w.t.Helper()
	w.Eventually(func() error {
		hc, err := w.get(ctx)
		if err != nil {
			return err
		}

		before := hc.DeepCopy()
		f(hc)

		return w.cp.Client.Patch(ctx, hc, client.MergeFrom(before))
	}).Should(Succeed())
}

// gone waits until an object is.
func (w *world) gone(ctx context.Context, c client.Client, key client.ObjectKey, o client.Object) {
	w.t.Helper()
	w.Eventually(func() bool { return kerrors.IsNotFound(c.Get(ctx, key, o)) }).Should(BeTrue(), "%T %s stays", o, key)
}

// children are lists of everything that a HostCluster makes on the management side.
func children() []client.ObjectList {
	return []client.ObjectList{
		&v1alpha1.HostClusterList{}, &v1alpha1.ClusterAccessList{}, &v1alpha1.FluxBootstrapList{},
		&v1alpha1.GitOpsEnvironmentList{}, &v1alpha1.AdministratorList{},
	}
}

// workloads of the target: what must never be restarted or deleted.
func (w *world) workloads(ctx context.Context) kt.Versions {
	w.t.Helper()

	l := &appsv1.DeploymentList{}
	w.Expect(w.tc.List(ctx, l)).To(Succeed())

	v := kt.Versions{}
	for i := range l.Items {
		b, err := l.Items[i].Spec.Template.Marshal()
		w.Expect(err).NotTo(HaveOccurred())

		v[client.ObjectKeyFromObject(&l.Items[i]).String()] = string(l.Items[i].GetUID()) + string(b)
	}

	return v
}
