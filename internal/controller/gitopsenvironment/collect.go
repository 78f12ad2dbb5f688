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

package gitopsenvironment

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/gitauth"
	"github.com/kubeopera/provider-kubeopera/internal/gitops"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/git"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/seal"
)

// run is what the steps work with.
type run struct {
	repo       repository
	draft      draft
	sealingUID types.UID
}

// facts about the tree in Git, for the status.
type facts struct {
	commit      string
	time        time.Time
	treeHash    string
	fingerprint string
	files       int
}

// Collect what there is, in Git, on the cluster and on the management side.
func (w *workflow) Collect(ctx context.Context, mg *v1alpha1.GitOpsEnvironment) (State, error) {
	sealing, err := w.sealing(ctx, mg)
	if err != nil {
		if !meta.WasDeleted(mg) || !fault.Is(err, fault.Conflict) {
			return State{}, err
		}

		sealing = nil // It is not ours: it stays.
	}

	s := State{Sealing: sealing != nil && complete(sealing)}
	if sealing != nil {
		s.run.sealingUID = sealing.UID
	}

	if meta.WasDeleted(mg) {
		s.Sealing = sealing != nil

		return w.collectDeletion(ctx, mg, s), nil
	}

	if s.run.repo, err = w.repository(ctx, mg); err != nil {
		return s, err
	}

	sn, err := w.memory.look(ctx, mg, s.run.repo)
	if err != nil {
		return s, err
	}

	return w.compare(ctx, mg, s, sn, sealing)
}

// compare the tree in Git with what it is to be.
func (w *workflow) compare(ctx context.Context, mg *v1alpha1.GitOpsEnvironment, s State, sn *git.Snapshot, sealing *corev1.Secret) (State, error) {
	owner := ownerOf(mg)
	c, unreachable := w.connect(ctx, mg)
	owner.ClusterUID = c.uid

	remote, err := gitops.ReadRemote(string(mg.Spec.ForProvider.Git.Path), sn, owner)
	if err != nil && unreachable == nil {
		return s, err
	}

	existing, ring := remote.ExistingSealedSecrets, seal.Keyring{}
	if unreachable == nil {
		existing, ring, unreachable = c.keys(ctx, remote)
	}

	// A tree that is complete needs nothing of the cluster: whether it answers
	// is not for us to say.
	if unreachable != nil && (remote.Pass != render.Environment || remote.ClusterUID == "") {
		return s, unreachable
	}

	if owner.ClusterUID == "" {
		owner.ClusterUID = remote.ClusterUID
	}

	d, blocked, err := w.draft(ctx, mg, owner, sealing)
	if err != nil {
		return s, err
	}

	d.ring = ring
	d.in.ExistingSealedSecrets = existing
	s.run.draft = d
	s.Blocked = blocked
	s.Pass = remote.Pass
	s.facts = facts{commit: sn.Commit, time: sn.Time, treeHash: remote.TreeHash, files: len(remote.Files)}

	if blocked != nil && remote.Pass == render.Environment {
		return s, nil
	}

	s.Current, s.Secrets, s.facts.fingerprint, err = d.read(remote, sn)

	return s, err
}

// draft the tree. What blocks its secrets does not block its first pass.
func (w *workflow) draft(ctx context.Context, mg *v1alpha1.GitOpsEnvironment, owner gitops.Owner, sealing *corev1.Secret) (d draft, blocked, err error) {
	assets, err := w.assets()
	if err != nil {
		return d, nil, err
	}

	d = draft{in: input(mg, owner, w.version, assets), owner: owner, now: w.clock.Now()}

	if sealing == nil {
		return d, nil, nil
	}

	d.sealer = seal.Sealer{Key: sealing.Data[keySeal], Labels: map[string]string{
		v1alpha1.LabelAppManagedBy: v1alpha1.AppManagedBy,
		v1alpha1.LabelHostCluster:  d.in.ID,
	}}
	d.secrets, blocked = w.secrets(ctx, mg, d.in, sealing)

	return d, blocked, nil
}

// input of the renderer.
func input(mg *v1alpha1.GitOpsEnvironment, o gitops.Owner, version string, a render.Assets) render.Input {
	p := mg.Spec.ForProvider

	in := render.Input{
		Namespace:     o.Namespace,
		Name:          o.Name,
		ID:            p.ClusterName,
		ClusterUID:    o.ClusterUID,
		Path:          string(p.Git.Path),
		FluxNamespace: p.FluxNamespace,
		Domain:        string(p.Domain),
		Provider:      p.Provider,
		Region:        p.Region,
		Profile:       p.Profile,
		Version:       version,
		PullSecret:    p.RegistryPullSecretRef != nil,
		Assets:        a,
	}

	for _, c := range p.Components {
		in.Components = append(in.Components, string(c))
	}

	return in
}

func ownerOf(mg *v1alpha1.GitOpsEnvironment) gitops.Owner {
	return gitops.Owner{Namespace: mg.Namespace, Name: mg.Name}
}

// Author of commits, unless the environment names another.
const (
	authorName  = "KubeOpera"
	authorEmail = "noreply@kubeopera.io"
)

// repository of an environment, with the credentials of the day.
func (w *workflow) repository(ctx context.Context, mg *v1alpha1.GitOpsEnvironment) (repository, error) {
	g := mg.Spec.ForProvider.Git

	sec, err := w.secret(ctx, mg.Namespace, g.CredentialsSecretRef.Name, "Git credentials Secret")
	if err != nil {
		return nil, err
	}

	creds, err := gitauth.FromSecret(sec, string(g.URL))
	if err != nil {
		return nil, err
	}

	if creds, err = w.apps.Resolve(ctx, creds); err != nil {
		return nil, err
	}

	o := git.Options{
		URL:         string(g.URL),
		Branch:      string(g.Branch),
		Path:        string(g.Path),
		Credentials: creds.Data,
		Origin:      origin(creds, sec.Name),
		Proxy:       creds.Proxy,
		Read:        gitops.Read,
		AuthorName:  authorName,
		AuthorEmail: authorEmail,
	}

	if g.Author != nil {
		o.AuthorName, o.AuthorEmail = g.Author.Name, string(g.Author.Email)
	}

	return w.open(o)
}

// origin says where credentials come from.
func origin(c gitauth.Credentials, secret string) string {
	switch {
	case c.Key == "":
		return "the credentials in Secret " + secret
	case c.DefaultUser:
		return c.Key + ", or add username, in Secret " + secret
	default:
		return c.Key + " in Secret " + secret
	}
}

// collectDeletion looks at what is left. Nothing that cannot be looked at
// keeps a deletion for longer than its patience.
func (w *workflow) collectDeletion(ctx context.Context, mg *v1alpha1.GitOpsEnvironment, s State) State {
	d := &s.Deletion
	d.Remove = mg.Spec.ForProvider.OnDelete == v1alpha1.OnDeleteRemove

	if !d.Remove {
		return s
	}

	d.Expired = w.clock.Since(mg.GetDeletionTimestamp().Time) > patience

	err := w.kube.Get(ctx, client.ObjectKeyFromObject(mg), &v1alpha1.FluxBootstrap{})
	if !kerrors.IsNotFound(err) {
		d.InUse = err == nil
		d.Err = errors.Wrap(err, "cannot tell whether Flux still reconciles the tree")

		return s
	}

	s.run.repo, d.Err = w.repository(ctx, mg)
	if d.Err != nil {
		return s
	}

	sn, err := w.memory.look(ctx, mg, s.run.repo)
	if err != nil {
		d.Err = err

		return s
	}

	remote, err := gitops.ReadRemote(string(mg.Spec.ForProvider.Git.Path), sn, ownerOf(mg))
	d.Tree = remote.Pass != render.None

	// What is not ours is nothing to wait for.
	if !fault.Is(err, fault.Conflict) {
		d.Err = err
	}

	return s
}
