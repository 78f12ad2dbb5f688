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

// defaultBranch is the branch of a HostCluster that names none.
const defaultBranch v1alpha1.GitBranch = "main"

// fluxVerdict tells whether Flux is installed and, once the platform is too,
// whether it is healthy and has applied our tree.
func (p *planner) fluxVerdict() verdict {
	fb := p.seen.FluxBootstrap
	if fb == nil {
		return p.absent(v1alpha1.FluxBootstrapKind)
	}

	v := p.ready(v1alpha1.FluxBootstrapKind, fb)

	switch {
	case p.installed && v.done && !p.synced():
		return progress("Flux is being pointed at " + p.path())
	case p.installed && v.done:
		return done("Flux is healthy and has applied " + p.path())
	case p.installed:
		return v.or("Flux is applying " + p.path())
	case p.fluxInstalled():
		return done("Flux is installed")
	case v.done:
		return progress(cmp.Or(fb.GetCondition(v1alpha1.TypeFluxInstalled).Message, "Installing Flux"))
	default:
		return v.or("Installing Flux")
	}
}

// fluxInstalled tells whether Flux runs. That does not depend on what it is
// told to reconcile, so it is believed of an earlier spec too.
func (p *planner) fluxInstalled() bool {
	fb := p.seen.FluxBootstrap

	return fb != nil && fb.GetDeletionTimestamp() == nil && is(fb, v1alpha1.TypeFluxInstalled)
}

// fluxBootstrap comes once there is a way into the cluster.
func (p *planner) fluxBootstrap() *v1alpha1.FluxBootstrap {
	seen := p.seen.FluxBootstrap

	switch {
	case p.foreign[v1alpha1.FluxBootstrapKind].message != "":
		return nil
	case seen == nil && (!p.managed() || p.deleting() || !p.isDone(v1alpha1.TypeAccessValidated)):
		return nil
	}

	fb := &v1alpha1.FluxBootstrap{
		TypeMeta:   p.typeMeta(v1alpha1.FluxBootstrapKind),
		ObjectMeta: p.objectMeta(),
	}

	git, ok := p.git()
	if !ok {
		seen.Spec.DeepCopyInto(&fb.Spec)

		return fb
	}

	fb.Spec.ForProvider = v1alpha1.FluxBootstrapParameters{
		KubeconfigSecretRef:   p.kubeconfig(),
		RegistryPullSecretRef: reference(p.hc.Spec.RegistryPullSecretRef),
		Git:                   &v1alpha1.FluxGit{Git: git},
		Sync:                  p.sync(),
	}

	return fb
}

// sync is what Flux reconciles: nothing until pass 1 is in Git, then its
// layer, then all of them. It never goes back.
func (p *planner) sync() *v1alpha1.Sync {
	var seen *v1alpha1.Sync
	if fb := p.seen.FluxBootstrap; fb != nil {
		seen = fb.Spec.ForProvider.Sync.DeepCopy()
	}

	first, second := p.passes()

	switch {
	case second != "":
		return &v1alpha1.Sync{Path: v1alpha1.GitPath(p.path()), TreeHash: second, Layers: layers()}
	case seen != nil && (first == "" || len(seen.Layers) > 1):
		return seen
	case first != "":
		return &v1alpha1.Sync{Path: v1alpha1.GitPath(p.path()), TreeHash: first, Layers: layers()[:1]}
	default:
		return nil
	}
}

// synced tells whether Flux was told to reconcile the tree that is in Git.
func (p *planner) synced() bool {
	seen := p.seen.FluxBootstrap.Spec.ForProvider.Sync
	_, second := p.passes()

	return second == "" || seen != nil && seen.TreeHash == second && complete(seen.Layers)
}

// layers of a complete tree, each after the one before it.
func layers() []v1alpha1.Layer {
	return []v1alpha1.Layer{v1alpha1.LayerInfrastructure, v1alpha1.LayerSecrets, v1alpha1.LayerApps}
}

// git is the repository that the spec names, if it names one.
func (p *planner) git() (v1alpha1.Git, bool) {
	s := p.hc.Spec
	if s.GitOpsRepoURL == nil || s.GitOpsPath == nil || s.GitCredentialsSecretRef == nil {
		return v1alpha1.Git{}, false
	}

	return v1alpha1.Git{
		URL:                  *s.GitOpsRepoURL,
		Branch:               cmp.Or(s.GitOpsBranch, defaultBranch),
		CredentialsSecretRef: v1alpha1.SecretReference{Name: *s.GitCredentialsSecretRef},
	}, true
}

// path of the tree in the repository.
func (p *planner) path() string {
	if p.hc.Spec.GitOpsPath == nil {
		return ""
	}

	return string(*p.hc.Spec.GitOpsPath)
}
