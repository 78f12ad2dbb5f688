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
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// world is one HostCluster in a namespace of its own. The specs do the work of
// the children's controllers.
type world struct {
	client client.Client
	hc     *v1alpha1.HostCluster

	// last is when a child's status was written last.
	last time.Time
}

// child is what every kind of child can do.
type child interface {
	client.Object
	SetConditions(c ...xpv2.Condition)
	SetObservedGeneration(g int64)
}

func newWorld(c client.Client, namespace string, mode v1alpha1.Mode) *world {
	hc := &v1alpha1.HostCluster{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: v1alpha1.HostClusterKind},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "my-cluster"},
		Spec: v1alpha1.HostClusterSpec{
			Mode:                    mode,
			Provider:                "aws",
			Region:                  "eu-north-1",
			GitOpsRepoURL:           ptr.To[v1alpha1.GitURL]("https://github.com/acme/gitops-iac.git"),
			GitOpsPath:              ptr.To[v1alpha1.GitPath]("fluxcd/clusters/my-cluster"),
			GitCredentialsSecretRef: new("gitops-iac-credentials"),
			Domain:                  ptr.To[v1alpha1.DNSName]("my-cluster.acme.com"),
			AdminEmail:              ptr.To[v1alpha1.Email]("admin@acme.com"),
			AdminUsername:           ptr.To[v1alpha1.Username]("admin"),
		},
	}

	if mode.Provisions() {
		hc.Spec.Provisioning = &v1alpha1.Provisioning{
			Sizing:        v1alpha1.Sizing{Topology: v1alpha1.TopologyEKS, NodeCount: 2, InstanceType: "t3.medium", KubernetesVersion: "1.36.2"},
			CredentialRef: "acme-aws",
		}
	} else {
		hc.Spec.ConnectKubeconfigSecretRef = new("input-kubeconfig")
	}

	return &world{client: c, hc: hc}
}

func (w *world) create(ctx context.Context) *world {
	GinkgoHelper()
	Expect(w.client.Create(ctx, w.hc.DeepCopy())).To(Succeed())

	return w
}

// get the HostCluster.
func (w *world) get(ctx context.Context) (*v1alpha1.HostCluster, error) {
	hc := &v1alpha1.HostCluster{}

	return hc, w.client.Get(ctx, client.ObjectKeyFromObject(w.hc), hc)
}

// reaches waits until the HostCluster is in a phase, and returns it.
func (w *world) reaches(ctx context.Context, phase v1alpha1.Phase) *v1alpha1.HostCluster {
	GinkgoHelper()

	var hc *v1alpha1.HostCluster

	Eventually(func(g Gomega) {
		var err error

		hc, err = w.get(ctx)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(hc.Status.Phase).To(Equal(phase), hc.Status.Message)
	}).Should(Succeed())

	return hc
}

// child waits until a child is there and a test holds for it.
func (w *world) child(ctx context.Context, o client.Object, test func() bool) {
	GinkgoHelper()
	Eventually(func() bool {
		return w.client.Get(ctx, client.ObjectKeyFromObject(w.hc), o) == nil && (test == nil || test())
	}).Should(BeTrue(), "%T does not come to be as it should", o)
}

// becomes does a child's work: it waits for the child, and writes its status.
func (w *world) becomes(ctx context.Context, o child, conditions ...xpv2.Condition) {
	GinkgoHelper()

	status := o.DeepCopyObject()

	Eventually(func(g Gomega) {
		seen, ok := status.DeepCopyObject().(child)
		g.Expect(ok).To(BeTrue())
		g.Expect(w.client.Get(ctx, client.ObjectKeyFromObject(w.hc), o)).To(Succeed())

		before, ok := o.DeepCopyObject().(client.Object)
		g.Expect(ok).To(BeTrue())

		copyObservation(o, seen)

		for _, c := range conditions {
			c.LastTransitionTime = metav1.Now()
			o.SetConditions(c.WithObservedGeneration(o.GetGeneration()))
		}

		o.SetObservedGeneration(o.GetGeneration())
		g.Expect(w.client.Status().Patch(ctx, o, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))).To(Succeed())
		w.last = time.Now()
	}).Should(Succeed())
}

// copyObservation of what a child saw outside.
func copyObservation(to, from child) {
	switch to := to.(type) {
	case *v1alpha1.ProvisionedCluster:
		to.Status.AtProvider = from.(*v1alpha1.ProvisionedCluster).Status.AtProvider
	case *v1alpha1.ClusterAccess:
		to.Status.AtProvider = from.(*v1alpha1.ClusterAccess).Status.AtProvider
	case *v1alpha1.FluxBootstrap:
		to.Status.AtProvider = from.(*v1alpha1.FluxBootstrap).Status.AtProvider
	case *v1alpha1.GitOpsEnvironment:
		to.Status.AtProvider = from.(*v1alpha1.GitOpsEnvironment).Status.AtProvider
	case *v1alpha1.Administrator:
		to.Status.AtProvider = from.(*v1alpha1.Administrator).Status.AtProvider
	}
}

func condition(t xpv2.ConditionType, s corev1.ConditionStatus, reason xpv2.ConditionReason, msg string) xpv2.Condition {
	return xpv2.Condition{Type: t, Status: s, Reason: reason, Message: msg}
}

func isTrue(t xpv2.ConditionType) xpv2.Condition {
	return condition(t, corev1.ConditionTrue, xpv2.ReasonAvailable, "")
}

func notReady(reason xpv2.ConditionReason, msg string) xpv2.Condition {
	return condition(xpv2.TypeReady, corev1.ConditionFalse, reason, msg)
}

// What the children do on the way to Ready.

func (w *world) provisioned(ctx context.Context) {
	GinkgoHelper()

	pc := &v1alpha1.ProvisionedCluster{}
	pc.Status.AtProvider.RunID = "run-1"
	w.becomes(ctx, pc, isTrue(xpv2.TypeReady))
}

func (w *world) validated(ctx context.Context) {
	GinkgoHelper()

	ca := &v1alpha1.ClusterAccess{}
	ca.Status.AtProvider = v1alpha1.ClusterAccessObservation{
		KubeconfigSecret: v1alpha1.KubeconfigSecretName(w.hc.GetName()), ServerVersion: "v1.36.4", ClusterUID: "uid",
		Nodes: &v1alpha1.NodeCount{Total: 3, Ready: 3}, Provider: "aws", Region: "eu-north-1",
	}
	w.becomes(ctx, ca, isTrue(xpv2.TypeReady))
}

func (w *world) fluxInstalled(ctx context.Context) {
	GinkgoHelper()
	w.becomes(ctx, &v1alpha1.FluxBootstrap{}, isTrue(v1alpha1.TypeFluxInstalled), isTrue(xpv2.TypeReady))
}

func (w *world) pushed(ctx context.Context) {
	GinkgoHelper()

	ge := &v1alpha1.GitOpsEnvironment{}
	ge.Status.AtProvider.RunID = "scaffold-1"
	ge.Status.AtProvider.Infrastructure = &v1alpha1.Pass{Commit: "c1", TreeHash: "h1"}
	w.becomes(ctx, ge, isTrue(v1alpha1.TypeInfrastructurePushed), notReady(v1alpha1.ReasonWaiting, "No sealing key on the target yet"))
}

func (w *world) pushedAll(ctx context.Context) {
	GinkgoHelper()

	ge := &v1alpha1.GitOpsEnvironment{}
	ge.Status.AtProvider.RunID = "scaffold-1"
	ge.Status.AtProvider.Infrastructure = &v1alpha1.Pass{Commit: "c1", TreeHash: "h1"}
	ge.Status.AtProvider.Environment = &v1alpha1.Pass{Commit: "c2", TreeHash: "h2"}
	w.becomes(ctx, ge, isTrue(v1alpha1.TypeInfrastructurePushed), isTrue(v1alpha1.TypeEnvironmentPushed), isTrue(xpv2.TypeReady))
}

// applied waits until Flux is told of a tree, and brings its layers.
func (w *world) applied(ctx context.Context, hash string) {
	GinkgoHelper()

	fb := &v1alpha1.FluxBootstrap{}
	w.child(ctx, fb, func() bool { return fb.Spec.ForProvider.Sync != nil && fb.Spec.ForProvider.Sync.TreeHash == hash })

	done := &v1alpha1.FluxBootstrap{}
	for _, l := range fb.Spec.ForProvider.Sync.Layers {
		done.Status.AtProvider.Layers = append(done.Status.AtProvider.Layers, v1alpha1.LayerStatus{Name: l, Ready: true, TreeHash: hash})
	}

	w.becomes(ctx, done, isTrue(v1alpha1.TypeFluxInstalled), isTrue(v1alpha1.TypeLayersReady), isTrue(xpv2.TypeReady))
}

func (w *world) administered(ctx context.Context) {
	GinkgoHelper()

	ad := &v1alpha1.Administrator{}
	ad.Status.AtProvider.PasswordSecret = v1alpha1.AdminPasswordSecretName(w.hc.GetName())
	w.becomes(ctx, ad, isTrue(xpv2.TypeReady))
}

// install takes a connected HostCluster to Ready.
func (w *world) install(ctx context.Context) *v1alpha1.HostCluster {
	GinkgoHelper()
	w.validated(ctx)
	w.fluxInstalled(ctx)
	w.pushed(ctx)
	w.applied(ctx, "h1")
	w.pushedAll(ctx)
	w.applied(ctx, "h2")
	w.administered(ctx)

	return w.reaches(ctx, v1alpha1.PhaseReady)
}

// children are lists of all kinds, for looking at resourceVersions.
func children() []client.ObjectList {
	return []client.ObjectList{
		&v1alpha1.HostClusterList{}, &v1alpha1.ProvisionedClusterList{}, &v1alpha1.ClusterAccessList{},
		&v1alpha1.FluxBootstrapList{}, &v1alpha1.GitOpsEnvironmentList{}, &v1alpha1.AdministratorList{},
	}
}

// manifestOf a HostCluster as a person writes it.
func manifestOf(hc *v1alpha1.HostCluster) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(hc)
	if err != nil {
		return nil, err
	}

	delete(content, "status")
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")

	return &unstructured.Unstructured{Object: content}, nil
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}

	return v
}
