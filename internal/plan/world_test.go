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

package plan

import (
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// epoch is when every world begins.
var epoch = time.Date(2026, 9, 26, 0, 0, 0, 0, time.UTC)

// world is a HostCluster with its children and a clock. Its API server applies
// what is planned, and the tests do the children's work.
type world struct {
	hc   *v1alpha1.HostCluster
	seen Children
	now  time.Time
}

func newWorld(mode v1alpha1.Mode) *world {
	hc := &v1alpha1.HostCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kubeopera-system", Name: "my-cluster", UID: "hc-uid", Generation: 1},
		Spec: v1alpha1.HostClusterSpec{
			Mode:                    mode,
			Region:                  "eu-north-1",
			GitOpsRepoURL:           ptr.To[v1alpha1.GitURL]("https://github.com/acme/gitops-iac.git"),
			GitOpsPath:              ptr.To[v1alpha1.GitPath]("fluxcd/clusters/my-cluster"),
			GitCredentialsSecretRef: new("gitops-iac-credentials"),
			Domain:                  ptr.To[v1alpha1.DNSName]("my-cluster.acme.com"),
			AdminEmail:              ptr.To[v1alpha1.Email]("admin@acme.com"),
			AdminUsername:           ptr.To[v1alpha1.Username]("admin"),
		},
	}

	switch {
	case mode == v1alpha1.ModeConnectExisting:
		hc.Spec.ConnectKubeconfigSecretRef = new("input-kubeconfig")
	case mode.Provisions():
		hc.Spec.Provisioning = &v1alpha1.Provisioning{
			Sizing:        v1alpha1.Sizing{Topology: v1alpha1.TopologyEKS, NodeCount: 2, InstanceType: "t3.medium", KubernetesVersion: "1.36.2"},
			CredentialRef: "acme-aws",
		}
	}

	return &world{hc: hc, now: epoch}
}

// withoutGit is a cluster that is only registered.
func (w *world) withoutGit() *world {
	s := &w.hc.Spec
	s.GitOpsRepoURL, s.GitOpsPath, s.GitCredentialsSecretRef, s.Domain, s.AdminEmail, s.AdminUsername = nil, nil, nil, nil, nil, nil

	return w
}

func (w *world) withoutAdministrator() *world {
	w.hc.Spec.AdminEmail, w.hc.Spec.AdminUsername = nil, nil

	return w
}

func (w *world) input() Input { return Input{HostCluster: w.hc, Observed: w.seen, Now: w.now} }

// pass lets time pass.
func (w *world) pass(d time.Duration) { w.now = w.now.Add(d) }

// change the HostCluster's spec.
func (w *world) change(f func(*v1alpha1.HostClusterSpec)) {
	f(&w.hc.Spec)
	w.hc.Generation++
}

// settle plans and applies until nothing changes any more.
func (w *world) settle(t *testing.T) Output {
	t.Helper()

	for range 8 {
		out, err := Plan(w.input())
		if err != nil {
			t.Fatalf("Plan(...): %v", err)
		}

		applied := w.apply(out.Desired)
		same := equality.Semantic.DeepEqual(w.hc.Status, out.Status)
		out.Status.DeepCopyInto(&w.hc.Status)

		for k, v := range out.Annotations {
			metav1.SetMetaDataAnnotation(&w.hc.ObjectMeta, k, v)
		}

		if same && !applied {
			return out
		}
	}

	t.Fatal("the plan never comes to an end")

	return Output{}
}

// apply desired children as the API server does, and tell whether any changed.
func (w *world) apply(d Children) bool {
	changed := false

	for _, c := range d.List() {
		switch o := c.Object.(type) {
		case *v1alpha1.ProvisionedCluster:
			changed = adopt(w, c, &w.seen.ProvisionedCluster, o, func(seen *v1alpha1.ProvisionedCluster) bool { return set(&seen.Spec, &o.Spec) }) || changed
		case *v1alpha1.ClusterAccess:
			changed = adopt(w, c, &w.seen.ClusterAccess, o, func(seen *v1alpha1.ClusterAccess) bool { return set(&seen.Spec, &o.Spec) }) || changed
		case *v1alpha1.FluxBootstrap:
			changed = adopt(w, c, &w.seen.FluxBootstrap, o, func(seen *v1alpha1.FluxBootstrap) bool { return set(&seen.Spec, &o.Spec) }) || changed
		case *v1alpha1.GitOpsEnvironment:
			changed = adopt(w, c, &w.seen.GitOpsEnvironment, o, func(seen *v1alpha1.GitOpsEnvironment) bool { return set(&seen.Spec, &o.Spec) }) || changed
		case *v1alpha1.Administrator:
			changed = adopt(w, c, &w.seen.Administrator, o, func(seen *v1alpha1.Administrator) bool { return set(&seen.Spec, &o.Spec) }) || changed
		}
	}

	return changed
}

func adopt[T any, P object[T]](w *world, c Child, seen *P, want P, update func(P) bool) bool {
	if *seen == nil {
		made := P(want.DeepCopy())
		made.SetUID(types.UID(c.Kind + "-uid"))
		made.SetGeneration(1)

		if c.Controlled {
			made.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(w.hc, v1alpha1.Kind(v1alpha1.HostClusterKind))})
		}

		*seen = made

		return true
	}

	if !update(*seen) {
		return false
	}

	(*seen).SetGeneration((*seen).GetGeneration() + 1)

	return true
}

func set[S any](seen, want *S) bool {
	if equality.Semantic.DeepEqual(*seen, *want) {
		return false
	}

	*seen = *want

	return true
}

// stamped is a child that conditions can be set on.
type stamped interface {
	metav1.Object
	SetConditions(c ...xpv2.Condition)
	SetObservedGeneration(g int64)
}

// condition sets a condition of a child, about its present spec.
func (w *world) condition(o stamped, t xpv2.ConditionType, s corev1.ConditionStatus, reason xpv2.ConditionReason, msg string) {
	o.SetConditions(xpv2.Condition{
		Type: t, Status: s, Reason: reason, Message: msg,
		LastTransitionTime: metav1.NewTime(w.now), ObservedGeneration: o.GetGeneration(),
	})
	o.SetObservedGeneration(o.GetGeneration())
}

func (w *world) ready(o stamped) {
	w.condition(o, xpv2.TypeReady, corev1.ConditionTrue, xpv2.ReasonAvailable, "")
	w.condition(o, xpv2.TypeSynced, corev1.ConditionTrue, xpv2.ReasonReconcileSuccess, "")
}

func (w *world) unready(o stamped, reason xpv2.ConditionReason, msg string) {
	w.condition(o, xpv2.TypeReady, corev1.ConditionFalse, reason, msg)
}

// What the children do.

func (w *world) provisioned() {
	w.seen.ProvisionedCluster.Status.AtProvider = v1alpha1.ProvisionedClusterObservation{RunID: "run-1", RunStatus: v1alpha1.RunSucceeded}
	w.ready(w.seen.ProvisionedCluster)
}

func (w *world) validated() {
	w.seen.ClusterAccess.Status.AtProvider = v1alpha1.ClusterAccessObservation{
		KubeconfigSecret: "hostcluster-my-cluster-kubeconfig",
		ServerVersion:    "v1.36.4",
		ClusterUID:       "kube-system-uid",
		Nodes:            &v1alpha1.NodeCount{Total: 3, Ready: 3},
		Provider:         "aws",
		Region:           "eu-north-1",
	}
	w.ready(w.seen.ClusterAccess)
}

func (w *world) fluxInstalled() {
	w.condition(w.seen.FluxBootstrap, v1alpha1.TypeFluxInstalled, corev1.ConditionTrue, xpv2.ReasonAvailable, "")
	w.ready(w.seen.FluxBootstrap)
}

func (w *world) pushed(pass int, hash string) {
	ge := w.seen.GitOpsEnvironment
	at := &ge.Status.AtProvider
	at.RunID = "scaffold-1"

	if pass == 1 {
		at.Infrastructure = &v1alpha1.Pass{Commit: "c1", TreeHash: hash}
		w.condition(ge, v1alpha1.TypeInfrastructurePushed, corev1.ConditionTrue, xpv2.ReasonAvailable, "")
		w.unready(ge, v1alpha1.ReasonWaiting, "No sealing key on the target yet")

		return
	}

	at.Environment = &v1alpha1.Pass{Commit: "c2", TreeHash: hash}
	w.condition(ge, v1alpha1.TypeEnvironmentPushed, corev1.ConditionTrue, xpv2.ReasonAvailable, "")
	w.ready(ge)
}

// applied brings the layers that Flux was told to reconcile.
func (w *world) applied() {
	fb := w.seen.FluxBootstrap
	fb.Status.AtProvider.Layers = nil

	for _, l := range fb.Spec.ForProvider.Sync.Layers {
		fb.Status.AtProvider.Layers = append(fb.Status.AtProvider.Layers, v1alpha1.LayerStatus{Name: l, Ready: true, TreeHash: fb.Spec.ForProvider.Sync.TreeHash})
	}

	w.condition(fb, v1alpha1.TypeLayersReady, corev1.ConditionTrue, xpv2.ReasonAvailable, "")
	w.ready(fb)
}

func (w *world) administered() {
	w.seen.Administrator.Status.AtProvider.PasswordSecret = "hostcluster-my-cluster-admin-password"
	w.ready(w.seen.Administrator)
}

// install walks a connected cluster to Ready.
func (w *world) install(t *testing.T) {
	t.Helper()

	for _, act := range []func(){
		func() {}, w.validated, w.fluxInstalled, func() { w.pushed(1, "h1") }, w.applied, func() { w.pushed(2, "h2") }, w.applied,
	} {
		act()
		w.settle(t)
		w.pass(time.Second)
	}

	if w.seen.Administrator != nil {
		w.administered()
		w.settle(t)
		w.pass(time.Second)
	}

	if w.hc.Status.Phase != v1alpha1.PhaseReady {
		t.Fatalf("not Ready but %s: %s", w.hc.Status.Phase, w.hc.Status.Message)
	}
}
