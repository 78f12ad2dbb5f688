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

package v1alpha1

import (
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
)

// What Crossplane asks of every managed resource. The methods differ in
// nothing but the receiver; they cannot be promoted from an embedded type,
// because the spec is not embedded in the kind.

var (
	_ resource.ModernManaged            = &ClusterAccess{}
	_ resource.ModernManaged            = &ProvisionedCluster{}
	_ resource.ModernManaged            = &FluxBootstrap{}
	_ resource.ModernManaged            = &GitOpsEnvironment{}
	_ resource.ModernManaged            = &Administrator{}
	_ resource.ManagedList              = &ClusterAccessList{}
	_ resource.ManagedList              = &ProvisionedClusterList{}
	_ resource.ManagedList              = &FluxBootstrapList{}
	_ resource.ManagedList              = &GitOpsEnvironmentList{}
	_ resource.ManagedList              = &AdministratorList{}
	_ resource.ProviderConfig           = &ProviderConfig{}
	_ resource.ProviderConfig           = &ClusterProviderConfig{}
	_ resource.TypedProviderConfigUsage = &ProviderConfigUsage{}
)

// SetConditions sets conditions; the time of the last transition stays while a status stays.
func (ca *ClusterAccess) SetConditions(c ...xpv2.Condition) {
	setConditions(&ca.Status.ConditionedStatus, c...)
}

// GetCondition returns the condition of a type.
func (ca *ClusterAccess) GetCondition(t xpv2.ConditionType) xpv2.Condition {
	return ca.Status.GetCondition(t)
}

// SetObservedGeneration sets the generation that the status is about.
func (ca *ClusterAccess) SetObservedGeneration(g int64) { ca.Status.SetObservedGeneration(g) }

// GetObservedGeneration returns the generation that the status is about.
func (ca *ClusterAccess) GetObservedGeneration() int64 { return ca.Status.GetObservedGeneration() }

// SetLastHandledReconcileAt records the reconcile request that was handled last.
func (ca *ClusterAccess) SetLastHandledReconcileAt(t string) { ca.Status.SetLastHandledReconcileAt(t) }

// GetLastHandledReconcileAt returns the reconcile request that was handled last.
func (ca *ClusterAccess) GetLastHandledReconcileAt() string {
	return ca.Status.GetLastHandledReconcileAt()
}

// SetManagementPolicies sets what may be done to the external resource.
func (ca *ClusterAccess) SetManagementPolicies(p xpv2.ManagementPolicies) {
	ca.Spec.ManagementPolicies = p
}

// GetManagementPolicies returns what may be done to the external resource.
func (ca *ClusterAccess) GetManagementPolicies() xpv2.ManagementPolicies {
	return ca.Spec.ManagementPolicies
}

// SetProviderConfigReference names the ProviderConfig to use.
func (ca *ClusterAccess) SetProviderConfigReference(p *xpv2.ProviderConfigReference) {
	ca.Spec.ProviderConfigReference = p
}

// GetProviderConfigReference returns the ProviderConfig to use.
func (ca *ClusterAccess) GetProviderConfigReference() *xpv2.ProviderConfigReference {
	return ca.Spec.ProviderConfigReference
}

// SetWriteConnectionSecretToReference names the Secret for connection details.
func (ca *ClusterAccess) SetWriteConnectionSecretToReference(s *xpv2.LocalSecretReference) {
	ca.Spec.WriteConnectionSecretToReference = s
}

// GetWriteConnectionSecretToReference returns the Secret for connection details.
func (ca *ClusterAccess) GetWriteConnectionSecretToReference() *xpv2.LocalSecretReference {
	return ca.Spec.WriteConnectionSecretToReference
}

// GetItems returns the items of the list as managed resources.
func (l *ClusterAccessList) GetItems() []resource.Managed { return managed(l.Items) }

// SetConditions sets conditions; the time of the last transition stays while a status stays.
func (pc *ProvisionedCluster) SetConditions(c ...xpv2.Condition) {
	setConditions(&pc.Status.ConditionedStatus, c...)
}

// GetCondition returns the condition of a type.
func (pc *ProvisionedCluster) GetCondition(t xpv2.ConditionType) xpv2.Condition {
	return pc.Status.GetCondition(t)
}

// SetObservedGeneration sets the generation that the status is about.
func (pc *ProvisionedCluster) SetObservedGeneration(g int64) { pc.Status.SetObservedGeneration(g) }

// GetObservedGeneration returns the generation that the status is about.
func (pc *ProvisionedCluster) GetObservedGeneration() int64 { return pc.Status.GetObservedGeneration() }

// SetLastHandledReconcileAt records the reconcile request that was handled last.
func (pc *ProvisionedCluster) SetLastHandledReconcileAt(t string) {
	pc.Status.SetLastHandledReconcileAt(t)
}

// GetLastHandledReconcileAt returns the reconcile request that was handled last.
func (pc *ProvisionedCluster) GetLastHandledReconcileAt() string {
	return pc.Status.GetLastHandledReconcileAt()
}

// SetManagementPolicies sets what may be done to the external resource.
func (pc *ProvisionedCluster) SetManagementPolicies(p xpv2.ManagementPolicies) {
	pc.Spec.ManagementPolicies = p
}

// GetManagementPolicies returns what may be done to the external resource.
func (pc *ProvisionedCluster) GetManagementPolicies() xpv2.ManagementPolicies {
	return pc.Spec.ManagementPolicies
}

// SetProviderConfigReference names the ProviderConfig to use.
func (pc *ProvisionedCluster) SetProviderConfigReference(p *xpv2.ProviderConfigReference) {
	pc.Spec.ProviderConfigReference = p
}

// GetProviderConfigReference returns the ProviderConfig to use.
func (pc *ProvisionedCluster) GetProviderConfigReference() *xpv2.ProviderConfigReference {
	return pc.Spec.ProviderConfigReference
}

// SetWriteConnectionSecretToReference names the Secret for connection details.
func (pc *ProvisionedCluster) SetWriteConnectionSecretToReference(s *xpv2.LocalSecretReference) {
	pc.Spec.WriteConnectionSecretToReference = s
}

// GetWriteConnectionSecretToReference returns the Secret for connection details.
func (pc *ProvisionedCluster) GetWriteConnectionSecretToReference() *xpv2.LocalSecretReference {
	return pc.Spec.WriteConnectionSecretToReference
}

// GetItems returns the items of the list as managed resources.
func (l *ProvisionedClusterList) GetItems() []resource.Managed {
	return managed(l.Items)
}

// SetConditions sets conditions; the time of the last transition stays while a status stays.
func (fb *FluxBootstrap) SetConditions(c ...xpv2.Condition) {
	setConditions(&fb.Status.ConditionedStatus, c...)
}

// GetCondition returns the condition of a type.
func (fb *FluxBootstrap) GetCondition(t xpv2.ConditionType) xpv2.Condition {
	return fb.Status.GetCondition(t)
}

// SetObservedGeneration sets the generation that the status is about.
func (fb *FluxBootstrap) SetObservedGeneration(g int64) { fb.Status.SetObservedGeneration(g) }

// GetObservedGeneration returns the generation that the status is about.
func (fb *FluxBootstrap) GetObservedGeneration() int64 { return fb.Status.GetObservedGeneration() }

// SetLastHandledReconcileAt records the reconcile request that was handled last.
func (fb *FluxBootstrap) SetLastHandledReconcileAt(t string) { fb.Status.SetLastHandledReconcileAt(t) }

// GetLastHandledReconcileAt returns the reconcile request that was handled last.
func (fb *FluxBootstrap) GetLastHandledReconcileAt() string {
	return fb.Status.GetLastHandledReconcileAt()
}

// SetManagementPolicies sets what may be done to the external resource.
func (fb *FluxBootstrap) SetManagementPolicies(p xpv2.ManagementPolicies) {
	fb.Spec.ManagementPolicies = p
}

// GetManagementPolicies returns what may be done to the external resource.
func (fb *FluxBootstrap) GetManagementPolicies() xpv2.ManagementPolicies {
	return fb.Spec.ManagementPolicies
}

// SetProviderConfigReference names the ProviderConfig to use.
func (fb *FluxBootstrap) SetProviderConfigReference(p *xpv2.ProviderConfigReference) {
	fb.Spec.ProviderConfigReference = p
}

// GetProviderConfigReference returns the ProviderConfig to use.
func (fb *FluxBootstrap) GetProviderConfigReference() *xpv2.ProviderConfigReference {
	return fb.Spec.ProviderConfigReference
}

// SetWriteConnectionSecretToReference names the Secret for connection details.
func (fb *FluxBootstrap) SetWriteConnectionSecretToReference(s *xpv2.LocalSecretReference) {
	fb.Spec.WriteConnectionSecretToReference = s
}

// GetWriteConnectionSecretToReference returns the Secret for connection details.
func (fb *FluxBootstrap) GetWriteConnectionSecretToReference() *xpv2.LocalSecretReference {
	return fb.Spec.WriteConnectionSecretToReference
}

// GetItems returns the items of the list as managed resources.
func (l *FluxBootstrapList) GetItems() []resource.Managed { return managed(l.Items) }

// SetConditions sets conditions; the time of the last transition stays while a status stays.
func (ge *GitOpsEnvironment) SetConditions(c ...xpv2.Condition) {
	setConditions(&ge.Status.ConditionedStatus, c...)
}

// GetCondition returns the condition of a type.
func (ge *GitOpsEnvironment) GetCondition(t xpv2.ConditionType) xpv2.Condition {
	return ge.Status.GetCondition(t)
}

// SetObservedGeneration sets the generation that the status is about.
func (ge *GitOpsEnvironment) SetObservedGeneration(g int64) { ge.Status.SetObservedGeneration(g) }

// GetObservedGeneration returns the generation that the status is about.
func (ge *GitOpsEnvironment) GetObservedGeneration() int64 { return ge.Status.GetObservedGeneration() }

// SetLastHandledReconcileAt records the reconcile request that was handled last.
func (ge *GitOpsEnvironment) SetLastHandledReconcileAt(t string) {
	ge.Status.SetLastHandledReconcileAt(t)
}

// GetLastHandledReconcileAt returns the reconcile request that was handled last.
func (ge *GitOpsEnvironment) GetLastHandledReconcileAt() string {
	return ge.Status.GetLastHandledReconcileAt()
}

// SetManagementPolicies sets what may be done to the external resource.
func (ge *GitOpsEnvironment) SetManagementPolicies(p xpv2.ManagementPolicies) {
	ge.Spec.ManagementPolicies = p
}

// GetManagementPolicies returns what may be done to the external resource.
func (ge *GitOpsEnvironment) GetManagementPolicies() xpv2.ManagementPolicies {
	return ge.Spec.ManagementPolicies
}

// SetProviderConfigReference names the ProviderConfig to use.
func (ge *GitOpsEnvironment) SetProviderConfigReference(p *xpv2.ProviderConfigReference) {
	ge.Spec.ProviderConfigReference = p
}

// GetProviderConfigReference returns the ProviderConfig to use.
func (ge *GitOpsEnvironment) GetProviderConfigReference() *xpv2.ProviderConfigReference {
	return ge.Spec.ProviderConfigReference
}

// SetWriteConnectionSecretToReference names the Secret for connection details.
func (ge *GitOpsEnvironment) SetWriteConnectionSecretToReference(s *xpv2.LocalSecretReference) {
	ge.Spec.WriteConnectionSecretToReference = s
}

// GetWriteConnectionSecretToReference returns the Secret for connection details.
func (ge *GitOpsEnvironment) GetWriteConnectionSecretToReference() *xpv2.LocalSecretReference {
	return ge.Spec.WriteConnectionSecretToReference
}

// GetItems returns the items of the list as managed resources.
func (l *GitOpsEnvironmentList) GetItems() []resource.Managed {
	return managed(l.Items)
}

// SetConditions sets conditions; the time of the last transition stays while a status stays.
func (ad *Administrator) SetConditions(c ...xpv2.Condition) {
	setConditions(&ad.Status.ConditionedStatus, c...)
}

// GetCondition returns the condition of a type.
func (ad *Administrator) GetCondition(t xpv2.ConditionType) xpv2.Condition {
	return ad.Status.GetCondition(t)
}

// SetObservedGeneration sets the generation that the status is about.
func (ad *Administrator) SetObservedGeneration(g int64) { ad.Status.SetObservedGeneration(g) }

// GetObservedGeneration returns the generation that the status is about.
func (ad *Administrator) GetObservedGeneration() int64 { return ad.Status.GetObservedGeneration() }

// SetLastHandledReconcileAt records the reconcile request that was handled last.
func (ad *Administrator) SetLastHandledReconcileAt(t string) { ad.Status.SetLastHandledReconcileAt(t) }

// GetLastHandledReconcileAt returns the reconcile request that was handled last.
func (ad *Administrator) GetLastHandledReconcileAt() string {
	return ad.Status.GetLastHandledReconcileAt()
}

// SetManagementPolicies sets what may be done to the external resource.
func (ad *Administrator) SetManagementPolicies(p xpv2.ManagementPolicies) {
	ad.Spec.ManagementPolicies = p
}

// GetManagementPolicies returns what may be done to the external resource.
func (ad *Administrator) GetManagementPolicies() xpv2.ManagementPolicies {
	return ad.Spec.ManagementPolicies
}

// SetProviderConfigReference names the ProviderConfig to use.
func (ad *Administrator) SetProviderConfigReference(p *xpv2.ProviderConfigReference) {
	ad.Spec.ProviderConfigReference = p
}

// GetProviderConfigReference returns the ProviderConfig to use.
func (ad *Administrator) GetProviderConfigReference() *xpv2.ProviderConfigReference {
	return ad.Spec.ProviderConfigReference
}

// SetWriteConnectionSecretToReference names the Secret for connection details.
func (ad *Administrator) SetWriteConnectionSecretToReference(s *xpv2.LocalSecretReference) {
	ad.Spec.WriteConnectionSecretToReference = s
}

// GetWriteConnectionSecretToReference returns the Secret for connection details.
func (ad *Administrator) GetWriteConnectionSecretToReference() *xpv2.LocalSecretReference {
	return ad.Spec.WriteConnectionSecretToReference
}

// GetItems returns the items of the list as managed resources.
func (l *AdministratorList) GetItems() []resource.Managed { return managed(l.Items) }

// SetConditions sets conditions; the time of the last transition stays while a status stays.
func (pc *ProviderConfig) SetConditions(c ...xpv2.Condition) {
	setConditions(&pc.Status.ConditionedStatus, c...)
}

// GetCondition returns the condition of a type.
func (pc *ProviderConfig) GetCondition(t xpv2.ConditionType) xpv2.Condition {
	return pc.Status.GetCondition(t)
}

// SetUsers sets the number of managed resources that use it.
func (pc *ProviderConfig) SetUsers(n int64) { pc.Status.Users = n }

// GetUsers returns the number of managed resources that use it.
func (pc *ProviderConfig) GetUsers() int64 { return pc.Status.Users }

// SetConditions sets conditions; the time of the last transition stays while a status stays.
func (cpc *ClusterProviderConfig) SetConditions(c ...xpv2.Condition) {
	setConditions(&cpc.Status.ConditionedStatus, c...)
}

// GetCondition returns the condition of a type.
func (cpc *ClusterProviderConfig) GetCondition(t xpv2.ConditionType) xpv2.Condition {
	return cpc.Status.GetCondition(t)
}

// SetUsers sets the number of managed resources that use it.
func (cpc *ClusterProviderConfig) SetUsers(n int64) { cpc.Status.Users = n }

// GetUsers returns the number of managed resources that use it.
func (cpc *ClusterProviderConfig) GetUsers() int64 { return cpc.Status.Users }

// SetProviderConfigReference names the ProviderConfig that is used.
func (u *ProviderConfigUsage) SetProviderConfigReference(r xpv2.ProviderConfigReference) {
	u.ProviderConfigReference = r
}

// GetProviderConfigReference returns the ProviderConfig that is used.
func (u *ProviderConfigUsage) GetProviderConfigReference() xpv2.ProviderConfigReference {
	return u.ProviderConfigReference
}

// SetResourceReference names the managed resource that uses it.
func (u *ProviderConfigUsage) SetResourceReference(r xpv2.TypedReference) { u.ResourceReference = r }

// GetResourceReference returns the managed resource that uses it.
func (u *ProviderConfigUsage) GetResourceReference() xpv2.TypedReference { return u.ResourceReference }

// GetItems returns the items of the list.
func (l *ProviderConfigUsageList) GetItems() []resource.ProviderConfigUsage {
	items := make([]resource.ProviderConfigUsage, len(l.Items))
	for i := range l.Items {
		items[i] = &l.Items[i]
	}

	return items
}

// managed returns pointers to items as managed resources.
func managed[T any, P interface {
	*T
	resource.Managed
}](items []T) []resource.Managed {
	out := make([]resource.Managed, len(items))
	for i := range items {
		out[i] = P(&items[i])
	}

	return out
}
