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
	"slices"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// KnownLater stands for what only the real repository can tell.
const KnownLater = "known-once-pushed"

// succeed plays that every desired child has done what it is told. What a child
// has done already stays.
func (c Children) succeed(desired Children, now metav1.Time) Children {
	if desired.ProvisionedCluster != nil {
		c.ProvisionedCluster = c.ProvisionedCluster.DeepCopy()
		becomeReady(v1alpha1.ProvisionedClusterKind, c.ProvisionedCluster, now)
	}

	if desired.ClusterAccess != nil {
		c.ClusterAccess = c.ClusterAccess.DeepCopy()
		store(c.ClusterAccess)
		becomeReady(v1alpha1.ClusterAccessKind, c.ClusterAccess, now)
	}

	if desired.GitOpsEnvironment != nil {
		c.GitOpsEnvironment = c.GitOpsEnvironment.DeepCopy()
		push(c.GitOpsEnvironment, now)
	}

	if desired.FluxBootstrap != nil {
		c.FluxBootstrap = c.FluxBootstrap.DeepCopy()
		reconcile(c.FluxBootstrap, now)
	}

	if desired.Administrator != nil {
		c.Administrator = c.Administrator.DeepCopy()
		c.Administrator.Status.AtProvider.PasswordSecret = v1alpha1.AdminPasswordSecretName(c.Administrator.GetName())
		becomeReady(v1alpha1.AdministratorKind, c.Administrator, now)
	}

	return c
}

// store the kubeconfig, unless the cluster is registered only.
func store(ca *v1alpha1.ClusterAccess) {
	if in := ca.Spec.ForProvider.InCluster; in == nil || in.StoreKubeconfig {
		ca.Status.AtProvider.KubeconfigSecret = v1alpha1.KubeconfigSecretName(ca.GetName())
	}
}

// push both passes of the tree. The hash of one that was pushed stays, unless
// the tree is to change.
func push(ge *v1alpha1.GitOpsEnvironment, now metav1.Time) {
	at := &ge.Status.AtProvider
	current := ge.GetObservedGeneration() >= ge.GetGeneration()

	if at.Infrastructure == nil || !current || !is(ge, v1alpha1.TypeInfrastructurePushed) {
		at.Infrastructure = &v1alpha1.Pass{TreeHash: KnownLater}
	}

	if at.Environment == nil || !current || !is(ge, v1alpha1.TypeEnvironmentPushed) {
		at.Environment = &v1alpha1.Pass{TreeHash: KnownLater}
	}

	become(ge, v1alpha1.TypeInfrastructurePushed, now)
	become(ge, v1alpha1.TypeEnvironmentPushed, now)
	becomeReady(v1alpha1.GitOpsEnvironmentKind, ge, now)
}

// reconcile the layers that Flux is told of.
func reconcile(fb *v1alpha1.FluxBootstrap, now metav1.Time) {
	become(fb, v1alpha1.TypeFluxInstalled, now)

	if s := fb.Spec.ForProvider.Sync; s != nil {
		at := &fb.Status.AtProvider

		for _, l := range s.Layers {
			if applied(at.Layers, l, s.TreeHash) {
				continue
			}

			at.Layers = slices.DeleteFunc(at.Layers, func(old v1alpha1.LayerStatus) bool { return old.Name == l })
			at.Layers = append(at.Layers, v1alpha1.LayerStatus{Name: l, Ready: true, TreeHash: s.TreeHash})
		}

		become(fb, v1alpha1.TypeLayersReady, now)
	}

	becomeReady(v1alpha1.FluxBootstrapKind, fb, now)
}

// settable is a child that conditions can be set on.
type settable interface {
	conditioned
	SetConditions(c ...xpv2.Condition)
	SetObservedGeneration(g int64)
}

// become gives a child a condition that is True, unless it has it.
func become(c settable, t xpv2.ConditionType, now metav1.Time) {
	if is(c, t) {
		return
	}

	c.SetConditions(xpv2.Condition{
		Type: t, Status: corev1.ConditionTrue, Reason: xpv2.ReasonAvailable,
		LastTransitionTime: now, ObservedGeneration: c.GetGeneration(),
	})
}

// becomeReady makes a child Ready for its present spec, unless it is or is
// being deleted.
func becomeReady(kind string, c settable, now metav1.Time) {
	if c.GetDeletionTimestamp() != nil || ready(kind, c).done {
		return
	}

	c.SetConditions(xpv2.Condition{
		Type: xpv2.TypeReady, Status: corev1.ConditionTrue, Reason: xpv2.ReasonAvailable,
		LastTransitionTime: now, ObservedGeneration: c.GetGeneration(),
	})
	c.SetObservedGeneration(c.GetGeneration())
}
