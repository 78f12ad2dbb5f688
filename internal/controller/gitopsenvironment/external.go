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
	"cmp"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/gitauth"
	"github.com/kubeopera/provider-kubeopera/internal/gitops"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/git"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// repository is what an environment needs of Git.
type repository interface {
	Head(ctx context.Context) (string, error)
	Fetch(ctx context.Context) (*git.Snapshot, error)
	Write(ctx context.Context, decide func(*git.Snapshot) (*git.Change, error)) (*git.Snapshot, error)
}

var _ repository = &git.Repository{}

// workflow is the work behind a GitOpsEnvironment.
type workflow struct {
	kube    client.Client
	live    client.Reader
	targets target.Connector
	events  event.Recorder
	clock   clock.PassiveClock
	log     logging.Logger

	// assets and version are those of this provider.
	assets  func() (render.Assets, error)
	version string

	apps   *gitauth.Apps
	open   func(git.Options) (repository, error)
	memory *memory
}

var _ external.Workflow[*v1alpha1.GitOpsEnvironment, State] = &workflow{}

// Next step.
func (w *workflow) Next(s State) external.Step { return next(s) }

// NextDelete is the next step of a deletion.
func (w *workflow) NextDelete(s State) external.Step { return nextDelete(s) }

// Do one step.
func (w *workflow) Do(ctx context.Context, mg *v1alpha1.GitOpsEnvironment, s State, step external.Step) error {
	switch step {
	case ensureSealing:
		return w.ensureSealing(ctx, mg)
	case pushInfrastructure:
		return w.push(ctx, mg, s, render.Infrastructure)
	case pushEnvironment:
		return w.push(ctx, mg, s, render.Environment)
	case removeTree:
		return w.removeTree(ctx, mg, s)
	case deleteSealing:
		return w.deleteSealing(ctx, mg, s)
	default:
		return errors.Errorf("there is no step %s", step)
	}
}

// push the tree of a pass. It is rendered on what the clone holds, so that a
// push that went through before a crash is found, and makes no second commit.
func (w *workflow) push(ctx context.Context, mg *v1alpha1.GitOpsEnvironment, s State, pass render.Pass) error {
	pushed := ""

	after, err := s.run.repo.Write(ctx, func(sn *git.Snapshot) (*git.Change, error) {
		r, err := gitops.ReadRemote(s.run.draft.in.Path, sn, s.run.draft.owner)
		if err != nil {
			return nil, err
		}

		t, hash, err := s.run.draft.write(pass, sn)
		if err != nil {
			return nil, err
		}

		c, err := gitops.Put(s.run.draft.in.Path, t, sn, r)
		if c != nil {
			pushed = hash
			c.Message = message(mg, pass, hash)
		}

		return c, err
	})
	if err != nil {
		return err
	}

	w.memory.keep(mg, after)

	if pushed != "" {
		w.events.Event(mg, event.Normal("Pushed", "Pushed "+title(pass)+" to "+string(mg.Spec.ForProvider.Git.Path), "commit", after.Commit, "tree-hash", pushed))
	}

	return nil
}

// removeTree removes our files.
func (w *workflow) removeTree(ctx context.Context, mg *v1alpha1.GitOpsEnvironment, s State) error {
	path := string(mg.Spec.ForProvider.Git.Path)

	after, err := s.run.repo.Write(ctx, func(sn *git.Snapshot) (*git.Change, error) {
		r, err := gitops.ReadRemote(path, sn, ownerOf(mg))
		if err != nil || r.Pass == render.None {
			return nil, err
		}

		c := gitops.Remove(sn, r)
		c.Message = fmt.Sprintf("Remove the environment of %s\n\nHostCluster: %s/%s\n", mg.Name, mg.Namespace, mg.Name)

		return c, nil
	})
	if err != nil {
		return err
	}

	w.memory.keep(mg, after)

	return nil
}

// deleteSealing is the last step: whatever was left behind is said now.
func (w *workflow) deleteSealing(ctx context.Context, mg *v1alpha1.GitOpsEnvironment, s State) error {
	if d := s.Deletion; d.Remove && (d.Tree || d.Err != nil) {
		w.tellLeftBehind(mg, cmp.Or(d.Err, errNotRemoved))
	}

	sec := &corev1.Secret{}
	sec.SetNamespace(mg.Namespace)
	sec.SetName(v1alpha1.SealingSecretName(mg.Name))

	err := w.kube.Delete(ctx, sec, client.Preconditions{UID: &s.run.sealingUID})
	if client.IgnoreNotFound(err) != nil {
		return errors.Wrap(err, "cannot delete the Secret with the generated values")
	}

	w.memory.forget(mg)

	return nil
}

// errNotRemoved: we could look at the tree, but not remove it.
var errNotRemoved = errors.New("the Git server did not let us remove it in time")

// tellLeftBehind says, in an event and in the log since a terminating namespace
// takes no events, that the tree is still there.
func (w *workflow) tellLeftBehind(mg *v1alpha1.GitOpsEnvironment, cause error) {
	err := errors.Wrapf(cause, "the tree at %s stays in Git", mg.Spec.ForProvider.Git.Path)
	w.log.Info(err.Error(), "namespace", mg.GetNamespace(), "name", mg.GetName())
	w.events.Event(mg, event.Warning("LeftBehind", err))
}

func title(p render.Pass) string {
	if p == render.Infrastructure {
		return "the infrastructure"
	}

	return "the environment"
}

// message of a commit.
func message(mg *v1alpha1.GitOpsEnvironment, pass render.Pass, hash string) string {
	return fmt.Sprintf("Write %s of %s (pass %d of 2)\n\nHostCluster: %s/%s\nTree: %s\n", title(pass), mg.Name, pass, mg.Namespace, mg.Name, hash)
}
