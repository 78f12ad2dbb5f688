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

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// unknown is what ClusterAccess calls a provider or region that it cannot tell.
const unknown = "unknown"

// environmentVerdict tells whether both passes are in Git and, once the
// platform is installed, whether they still are as they should be.
func (p *planner) environmentVerdict() verdict {
	ge := p.seen.GitOpsEnvironment
	if ge == nil {
		return p.absent(v1alpha1.GitOpsEnvironmentKind)
	}

	v := p.ready(v1alpha1.GitOpsEnvironmentKind, ge).or("Writing " + p.path() + " to Git")

	switch first, second := p.passes(); {
	case p.installed:
		return v
	case first != "" && second != "":
		return done("The tree is in Git")
	case v.done:
		return progress("Writing " + p.path() + " to Git")
	case first != "":
		return p.betweenPasses(v)
	default:
		return v
	}
}

// betweenPasses GitOpsEnvironment waits for the Sealed Secrets controller that
// Flux brings up from pass 1. What keeps Flux from it is the cause.
func (p *planner) betweenPasses(v verdict) verdict {
	fb := p.seen.FluxBootstrap
	if fb == nil || fb.Spec.ForProvider.Sync == nil {
		return v
	}

	f := p.ready(v1alpha1.FluxBootstrapKind, fb)

	switch {
	case f.done || f.message == "":
		return v
	case v1alpha1.IsTerminal(f.reason) && !v1alpha1.IsTerminal(v.reason):
		return f
	case v.reason == v1alpha1.ReasonWaiting || v.reason == v1alpha1.ReasonInProgress:
		v.message = clean(f.message + "; " + v.message)
	}

	return v
}

// passes are the hashes of the trees that are in Git; empty for none.
func (p *planner) passes() (first, second string) {
	ge := p.seen.GitOpsEnvironment
	if ge == nil {
		return "", ""
	}

	if pass := ge.Status.AtProvider.Infrastructure; pass != nil && is(ge, v1alpha1.TypeInfrastructurePushed) {
		first = pass.TreeHash
	}

	if pass := ge.Status.AtProvider.Environment; pass != nil && is(ge, v1alpha1.TypeEnvironmentPushed) {
		second = pass.TreeHash
	}

	return first, second
}

// gitOpsEnvironment comes once Flux is installed.
func (p *planner) gitOpsEnvironment() *v1alpha1.GitOpsEnvironment {
	seen := p.seen.GitOpsEnvironment

	switch {
	case p.foreign[v1alpha1.GitOpsEnvironmentKind].message != "":
		return nil
	case seen == nil && (!p.managed() || p.deleting() || !p.isDone(v1alpha1.TypeAccessValidated) || !p.fluxInstalled()):
		return nil
	}

	ge := &v1alpha1.GitOpsEnvironment{
		TypeMeta:   p.typeMeta(v1alpha1.GitOpsEnvironmentKind),
		ObjectMeta: p.objectMeta(),
	}

	git, ok := p.git()
	if !ok || p.hc.Spec.Domain == nil {
		seen.Spec.DeepCopyInto(&ge.Spec)

		return ge
	}

	ge.Spec.ForProvider = v1alpha1.GitOpsEnvironmentParameters{
		KubeconfigSecretRef:   p.kubeconfig(),
		Git:                   v1alpha1.GitTree{Git: git, Path: *p.hc.Spec.GitOpsPath},
		ClusterName:           p.hc.GetName(),
		Domain:                *p.hc.Spec.Domain,
		Profile:               cmp.Or(p.hc.Spec.Profile, v1alpha1.ProfileFull),
		RegistryPullSecretRef: reference(p.hc.Spec.RegistryPullSecretRef),
		OnDelete:              v1alpha1.OnDeleteKeep,
	}
	ge.Spec.ForProvider.Provider, ge.Spec.ForProvider.Region = p.place(seen)

	return ge
}

// place is the provider and region that the tree is rendered for: the spec's,
// or else the discovered ones. What was discovered once stays, so that nodes
// that come and go do not make a new tree.
func (p *planner) place(seen *v1alpha1.GitOpsEnvironment) (provider, region string) {
	if seen != nil {
		provider, region = seen.Spec.ForProvider.Provider, seen.Spec.ForProvider.Region
	}

	return choose(p.hc.Spec.Provider, provider, p.discoveredProvider()), choose(p.hc.Spec.Region, region, p.discoveredRegion())
}

// choose the first that says something.
func choose(asked, before, discovered string) string {
	if asked != "" {
		return asked
	}

	if before != "" && before != unknown {
		return before
	}

	return cmp.Or(discovered, before)
}

func (p *planner) discoveredProvider() string {
	if ca := p.seen.ClusterAccess; ca != nil {
		return cmp.Or(ca.Status.AtProvider.Provider, p.hc.Status.Provider)
	}

	return p.hc.Status.Provider
}

func (p *planner) discoveredRegion() string {
	if ca := p.seen.ClusterAccess; ca != nil {
		return cmp.Or(ca.Status.AtProvider.Region, p.hc.Status.Region)
	}

	return p.hc.Status.Region
}
