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
	"fmt"
	"slices"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// infrastructureVerdict tells whether the cluster was made, as it is asked for.
func (p *planner) infrastructureVerdict() verdict {
	pc := p.seen.ProvisionedCluster

	switch {
	case pc == nil && p.foreign[v1alpha1.ProvisionedClusterKind].message == "" && p.region() == "":
		return verdict{reason: v1alpha1.ReasonRefused, message: "spec.region is empty: name the region to make the cluster in"}
	case pc == nil:
		return p.absent(v1alpha1.ProvisionedClusterKind)
	}

	v := p.ready(v1alpha1.ProvisionedClusterKind, pc)
	if run := pc.Status.AtProvider.Progress; v.reason == v1alpha1.ReasonInProgress && run != nil && run.Total > 0 {
		v.message = clean(fmt.Sprintf("%s (%d of %s)", cmp.Or(run.Step, "Provisioning"), run.Done, count(run.Total, "resource", "resources")))
	}

	return v.or("Provisioning a cluster in " + p.region())
}

// provisionedCluster comes first in the modes that make a cluster.
func (p *planner) provisionedCluster() *v1alpha1.ProvisionedCluster {
	seen, want := p.seen.ProvisionedCluster, p.hc.Spec.Provisioning

	switch {
	case p.foreign[v1alpha1.ProvisionedClusterKind].message != "":
		return nil
	case seen == nil && (!p.hc.Spec.Mode.Provisions() || p.deleting() || want == nil || p.region() == ""):
		return nil
	}

	pc := &v1alpha1.ProvisionedCluster{
		TypeMeta:   p.typeMeta(v1alpha1.ProvisionedClusterKind),
		ObjectMeta: p.objectMeta(),
	}

	if want == nil || !p.hc.Spec.Mode.Provisions() {
		// Left by an earlier HostCluster of the same name. It stays as it is.
		seen.Spec.DeepCopyInto(&pc.Spec)
	} else {
		pc.Spec = p.provisionedClusterSpec(want)
	}

	pc.Spec.ManagementPolicies = p.managementPolicies()

	return pc
}

func (p *planner) provisionedClusterSpec(want *v1alpha1.Provisioning) v1alpha1.ProvisionedClusterSpec {
	s := v1alpha1.ProvisionedClusterSpec{}
	s.ProviderConfigReference = providerConfig(want)
	s.WriteConnectionSecretToReference = &xpv2.LocalSecretReference{Name: v1alpha1.ProvisionedSecretName(p.hc.GetName())}
	s.ForProvider.Sizing = *want.Sizing.DeepCopy()
	s.ForProvider.Region = p.region()
	s.ForProvider.Provider = cmp.Or(p.hc.Spec.Provider, cloud(want.Topology))

	return s
}

// providerConfig with the credentials.
func providerConfig(want *v1alpha1.Provisioning) *xpv2.ProviderConfigReference {
	return &xpv2.ProviderConfigReference{Kind: v1alpha1.ProviderConfigKind, Name: want.CredentialRef}
}

// managementPolicies keep the cluster when the object is deleted, unless the
// HostCluster says that it is to be destroyed. What was not begun when the
// HostCluster goes must not begin any more.
func (p *planner) managementPolicies() xpv2.ManagementPolicies {
	if p.hc.Spec.DeletionPolicy == v1alpha1.DeletionDestroy {
		return xpv2.ManagementPolicies{xpv2.ManagementActionAll}
	}

	if pc := p.seen.ProvisionedCluster; p.deleting() && pc != nil && !Stays(p.hc, pc) {
		return observeOnly()
	}

	return xpv2.ManagementPolicies{
		xpv2.ManagementActionObserve,
		xpv2.ManagementActionCreate,
		xpv2.ManagementActionUpdate,
		xpv2.ManagementActionLateInitialize,
	}
}

// Stays tells whether a ProvisionedCluster outlives its HostCluster: it does
// where that only lets go of the cluster, if making one was begun. Otherwise it
// would begin when what it waits for comes, for nobody.
func Stays(hc *v1alpha1.HostCluster, pc *v1alpha1.ProvisionedCluster) bool {
	return hc.Spec.DeletionPolicy != v1alpha1.DeletionDestroy && pc.Status.AtProvider.RunID != ""
}

// Idle tells whether a ProvisionedCluster can begin nothing any more: it only
// observes, and has since looked whether a run began at the last moment. A look
// that something came in the way of has seen nothing; one that found no
// credentials, or no right to run anything, has.
func Idle(pc *v1alpha1.ProvisionedCluster) bool {
	if !slices.Equal(pc.Spec.ManagementPolicies, observeOnly()) || pc.Status.ObservedGeneration != pc.GetGeneration() {
		return false
	}

	ready, synced := pc.GetCondition(xpv2.TypeReady), pc.GetCondition(xpv2.TypeSynced)
	settled := []xpv2.ConditionReason{v1alpha1.ReasonWaiting, v1alpha1.ReasonRefused, v1alpha1.ReasonDenied}

	return synced.Status == corev1.ConditionTrue || slices.Contains(settled, ready.Reason)
}

func observeOnly() xpv2.ManagementPolicies {
	return xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
}

// region of the cluster to make: a cluster that is there does not move.
func (p *planner) region() string {
	if pc := p.seen.ProvisionedCluster; pc != nil && pc.Spec.ForProvider.Region != "" {
		return pc.Spec.ForProvider.Region
	}

	return p.hc.Spec.Region
}

// cloud is the provider that a topology exists on.
func cloud(t v1alpha1.Topology) string {
	if t == v1alpha1.TopologyGKE {
		return "gcp"
	}

	return "aws"
}
