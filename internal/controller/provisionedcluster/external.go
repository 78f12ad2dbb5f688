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

package provisionedcluster

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/executor"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

var _ external.Workflow[*v1alpha1.ProvisionedCluster, State] = &workflow{}

// workflow is the work behind a ProvisionedCluster.
type workflow struct {
	// kube is the management cluster, read through a cache.
	kube client.Client
	// live reads it without a cache: what decides whether a run starts has to
	// be as it is.
	live client.Reader
	// accounts reads ProviderConfigs and credentials.
	accounts Accounts
	// executors of runs.
	executors Executors
	tracker   resource.ModernTracker
	// check asks the cloud whether it takes credentials.
	check    func(ctx context.Context, c *cloud.Credentials, region string) error
	settings Settings
	clock    clock.PassiveClock
}

// Next step towards the cluster that is asked for.
func (w *workflow) Next(s State) external.Step { return next(s) }

// NextDelete is the next step towards nothing being left.
func (w *workflow) NextDelete(s State) external.Step { return nextDelete(s) }

// Collect what is there.
func (w *workflow) Collect(ctx context.Context, pc *v1alpha1.ProvisionedCluster) (State, error) {
	s := State{Now: w.clock.Now(), UID: string(pc.GetUID()), Cluster: executor.Cluster{ID: pc.GetName(), Namespace: pc.GetNamespace()}, Limit: w.settings.MaxRuns}
	if meta.WasDeleted(pc) {
		if err := w.collectLeaving(ctx, pc, &s); err != nil {
			return s, err
		}
	}
	var err error
	if s.Cluster.Owner, err = w.owner(ctx, pc.GetNamespace(), pc.GetName()); err != nil {
		return s, err
	}
	if s.Published, err = w.published(ctx, pc); err != nil {
		return s, err
	}

	account, problem := w.accounts.Config(ctx, pc.GetProviderConfigReference(), pc.GetNamespace())
	if problem != nil && !meta.WasDeleted(pc) {
		return s, problem
	}
	if problem != nil {
		account = nil
	}
	s.Place = w.place(account, pc)
	if err := w.collectRuns(ctx, pc, &s); err != nil {
		return s, err
	}
	if problem == nil {
		problem = w.collectWanted(ctx, pc, *account, &s)
	}
	if problem != nil && !meta.WasDeleted(pc) {
		observe(pc, s) // A run that was seen is remembered, whatever else is missing.
		return s, problem
	}
	if s.Problem = problem; problem != nil {
		return s, nil //nolint:nilerr // The problem is part of the state.
	}
	if s.Tracked, err = w.tracked(ctx, pc); err != nil {
		return s, err
	}
	err = w.collectQueue(ctx, pc, &s)
	return s, err
}

// collectLeaving collects what only matters while the cluster is deleted. Its
// status is read from the API server: only what is kept counts.
func (w *workflow) collectLeaving(ctx context.Context, pc *v1alpha1.ProvisionedCluster, s *State) error {
	var err error
	if s.Users, err = w.users(ctx, pc); err != nil {
		return err
	}
	kept := &v1alpha1.ProvisionedCluster{}
	if err := w.live.Get(ctx, client.ObjectKeyFromObject(pc), kept); err != nil {
		return errors.Wrap(err, "cannot get ProvisionedCluster")
	}
	at := kept.Status.AtProvider
	s.Known = at.RunID != ""
	s.Destroyed = at.Action == v1alpha1.RunDestroy && at.RunStatus == v1alpha1.RunSucceeded
	return nil
}

// place where runs are executed: what the ProviderConfig says, or where the
// last run was if there is none.
func (w *workflow) place(account *v1alpha1.ProviderConfigSpec, pc *v1alpha1.ProvisionedCluster) v1alpha1.RunPlace {
	p := v1alpha1.RunPlace{Mode: v1alpha1.ExecutionJob, Namespace: w.settings.JobNamespace}
	if account == nil {
		if last := pc.Status.AtProvider.Place; last != nil {
			return *last
		}
		return p
	}
	if e := account.Execution; e != nil && e.Mode == v1alpha1.ExecutionLocal {
		return v1alpha1.RunPlace{Mode: v1alpha1.ExecutionLocal, Namespace: pc.GetNamespace()}
	} else if e != nil && e.Namespace != "" && e.Namespace != v1alpha1.ProvisioningNamespace {
		p.Namespace = e.Namespace
	}
	return p
}

// collectRuns looks at the runs, also at those of another place.
func (w *workflow) collectRuns(ctx context.Context, pc *v1alpha1.ProvisionedCluster, s *State) error {
	var err error
	s.Seen, err = w.executors.At(s.Place).Look(ctx, s.Cluster)
	switch {
	case fault.Is(err, fault.Denied) && meta.WasDeleted(pc) && !s.Known:
		s.Seen = executor.Seen{} // Where we may not look we have started nothing.
	case err != nil:
		return err
	}
	last := pc.Status.AtProvider.Place
	if last == nil || *last == s.Place {
		return nil
	}
	seen, err := w.executors.At(*last).Look(ctx, s.Cluster)
	if err != nil {
		return err
	}
	if left(seen) {
		s.Earlier = &Earlier{Place: *last, Seen: seen}
	}
	return nil
}

// collectQueue tells whether there is room for a run that is about to start.
func (w *workflow) collectQueue(ctx context.Context, pc *v1alpha1.ProvisionedCluster, s *State) error {
	step := next(*s)
	if meta.WasDeleted(pc) {
		step = nextDelete(*s)
	}
	if step != Start {
		return nil
	}
	var err error
	if s.Running, err = w.executors.At(s.Place).Running(ctx); err != nil {
		return err
	}
	s.Queued = s.Running >= s.Limit
	return nil
}

// published is the connection Secret as it is: a run that is under way has
// taken the last one's outputs away.
func (w *workflow) published(ctx context.Context, pc *v1alpha1.ProvisionedCluster) (map[string][]byte, error) {
	ref := pc.GetWriteConnectionSecretToReference()
	if ref == nil {
		return nil, nil //nolint:nilnil // None is no error.
	}
	secret := &corev1.Secret{}
	err := w.kube.Get(ctx, types.NamespacedName{Namespace: pc.GetNamespace(), Name: ref.Name}, secret)
	if kerrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // None is no error.
	}
	if err != nil {
		return nil, errors.Wrap(err, "cannot get the connection Secret")
	}
	if len(secret.Data[run.KubeconfigKey]) == 0 {
		return nil, nil //nolint:nilnil // None is no error.
	}
	return secret.Data, nil
}
