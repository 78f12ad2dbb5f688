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

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// Do one step.
func (w *workflow) Do(ctx context.Context, pc *v1alpha1.ProvisionedCluster, s State, step external.Step) error {
	e := w.executors.At(s.Place)
	switch step {
	case Identify:
		return w.identify(ctx, pc.GetNamespace())
	case Track:
		return w.track(ctx, pc)
	case Move:
		return w.move(ctx, s)
	case Record:
		if err := w.checked(ctx, s); err != nil {
			return err
		}
		if err := w.unchanged(ctx, pc); err != nil {
			return err
		}
		return faster(e.Record(ctx, s.Cluster, nextRecord(s)))
	case Supply:
		return faster(e.Supply(ctx, s.Cluster, s.Wanted.Setup))
	case Clear:
		return faster(e.Clear(ctx, s.Cluster, s.Seen.Execution))
	case Start:
		return e.Start(ctx, s.Cluster, *s.Seen.Record, s.Wanted.Setup)
	case Blocked:
		return blocked(s.Users)
	case Stuck:
		return fault.Wrap(s.Problem, fault.ClassOf(stays(s.Problem)), "cannot destroy the cluster, its infrastructure stays")
	case Forget:
		return faster(e.Forget(ctx, s.Cluster))
	case ForgetReport:
		return faster(e.ForgetReport(ctx, s.Cluster))
	default:
		return errors.Errorf("unknown step %s", step)
	}
}

// checked asks the cloud whether it takes the credentials, before anything is
// made. What it does not answer to us it may answer to the run; and a Job that
// has an identity of its own has another one than we.
func (w *workflow) checked(ctx context.Context, s State) error {
	if c := s.Wanted.credentials; s.Place.Mode == v1alpha1.ExecutionLocal || !c.Injected() {
		if err := w.check(ctx, c, s.Wanted.Spec.Region); fault.Is(err, fault.Denied) {
			return err
		}
	}
	return nil
}

// unchanged makes sure, at the last moment, that a run is still asked for as it was
// decided on: to ask the cloud takes a while. What begins for an object that is
// gone nobody would know of.
func (w *workflow) unchanged(ctx context.Context, pc *v1alpha1.ProvisionedCluster) error {
	now := &v1alpha1.ProvisionedCluster{}
	err := w.live.Get(ctx, client.ObjectKeyFromObject(pc), now)
	switch {
	case client.IgnoreNotFound(err) != nil:
		return errors.Wrap(err, "cannot get ProvisionedCluster")
	case err != nil, now.GetUID() != pc.GetUID(), now.GetGeneration() != pc.GetGeneration():
		return fault.New(fault.Waiting, "The ProvisionedCluster was changed just now: it is looked at again")
	default:
		return nil
	}
}

// track the use of the ProviderConfig.
func (w *workflow) track(ctx context.Context, pc *v1alpha1.ProvisionedCluster) error {
	// The owner reference needs the kind, which clients without a cache leave out.
	pc.SetGroupVersionKind(v1alpha1.Kind(v1alpha1.ProvisionedClusterKind))
	err := w.tracker.Track(ctx, pc)
	if kerrors.IsAlreadyExists(err) {
		return nil // The cache is behind.
	}
	return err
}

// move away from another place: what is left there goes, one thing after the other.
func (w *workflow) move(ctx context.Context, s State) error {
	e := w.executors.At(s.Earlier.Place)
	if err := e.Clear(ctx, s.Cluster, s.Earlier.Seen.Execution); err != nil {
		return faster(err)
	}
	if len(s.Earlier.Seen.Execution.Left) > 0 {
		return fault.Newf(fault.Waiting, "Waits until the last run's Job in namespace %s is gone", s.Earlier.Place.Namespace)
	}
	where, err := e.Unsaved(ctx, s.Cluster)
	if err != nil {
		return err
	}
	if where != "" {
		return fault.Newf(fault.Refused, "the only copy of the state is in %s: set execution of the ProviderConfig back until a run has written it to its bucket", where)
	}
	if err := e.Forget(ctx, s.Cluster); err != nil {
		return faster(err)
	}
	return faster(e.ForgetReport(ctx, s.Cluster))
}

// faster says that another process was faster, which is no error: we look
// again, a little later.
func faster(err error) error {
	if kerrors.IsConflict(err) || kerrors.IsAlreadyExists(err) {
		return fault.New(fault.Waiting, "Another process works on this cluster, too: looking again")
	}
	return err
}

// stays makes what is only waited for otherwise an error: whoever deletes a
// cluster has to learn why it does not go.
func stays(err error) error {
	if fault.Is(err, fault.Waiting) {
		return fault.New(fault.Refused, err.Error())
	}
	return err
}
