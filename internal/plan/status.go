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
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// status is the complete new status.
func (p *planner) status(o outcome) v1alpha1.HostClusterStatus {
	old := p.hc.Status
	s := *old.DeepCopy()

	s.ObservedGeneration = p.hc.GetGeneration()
	s.Phase = o.phase
	s.Message = p.message(o)
	s.Conditions = p.conditions(o, s.Message)
	s.PhaseHistory = p.history(o)
	s.FluxHealthy = p.fluxHealthy()
	s.KubeOperaInstalled = p.installed

	p.discovered(&s)

	if ad := p.seen.Administrator; ad != nil {
		s.AdminPasswordSecretRef = ad.Status.AtProvider.PasswordSecret
	}

	Stamp(&old, &s, p.stamp())

	return s
}

// Stamp a status with the present time if it differs from the old one.
func Stamp(old, status *v1alpha1.HostClusterStatus, now metav1.Time) {
	status.LastReconciledAt = old.LastReconciledAt.DeepCopy()
	if !equality.Semantic.DeepEqual(*old, *status) {
		now = metav1.NewTime(now.Rfc3339Copy().UTC())
		status.LastReconciledAt = &now
	}
}

// discovered are the facts about the cluster. The last that was seen stays.
func (p *planner) discovered(s *v1alpha1.HostClusterStatus) {
	s.Provider = cmp.Or(p.hc.Spec.Provider, p.discoveredProvider())
	s.Region = cmp.Or(p.hc.Spec.Region, p.discoveredRegion())

	ca := p.seen.ClusterAccess
	if ca == nil {
		return
	}

	at := ca.Status.AtProvider
	s.KubeconfigSecret = cmp.Or(at.KubeconfigSecret, s.KubeconfigSecret)
	s.ClusterUID = cmp.Or(at.ClusterUID, s.ClusterUID)
	s.KubernetesVersion = cmp.Or(at.ServerVersion, s.KubernetesVersion)
	s.Warnings = slices.Clone(at.Warnings)

	if at.Nodes != nil {
		s.Nodes = at.Nodes.DeepCopy()
	}
}

// fluxHealthy tells whether Flux is healthy and reconciles the tree.
func (p *planner) fluxHealthy() bool {
	fb := p.seen.FluxBootstrap

	return fb != nil && fb.Spec.ForProvider.Sync != nil &&
		is(fb, v1alpha1.TypeLayersReady) && p.ready(v1alpha1.FluxBootstrapKind, fb).done
}

// annotations carry the ids of the runs that work for the HostCluster.
func (p *planner) annotations() map[string]string {
	a := map[string]string{}

	if pc := p.seen.ProvisionedCluster; pc != nil && pc.Status.AtProvider.RunID != "" {
		a[v1alpha1.AnnotationProvisionJobID] = pc.Status.AtProvider.RunID
	}

	if ge := p.seen.GitOpsEnvironment; ge != nil && ge.Status.AtProvider.RunID != "" {
		a[v1alpha1.AnnotationScaffoldJobID] = ge.Status.AtProvider.RunID
	}

	return a
}
