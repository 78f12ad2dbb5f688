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

// Package plan decides what a HostCluster needs next. It is pure: the same
// input always gives the same output. It has no client, no clock and no
// randomness, and it writes no logs. The controller and the composition
// function run the same plan.
//
// Nothing but the input's children is believed. What was written to the
// HostCluster's own status matters in three ways only: since when a condition
// has its status, so that deadlines can expire; that the platform was
// installed once, so that the phases are never walked again; and facts about
// the cluster, which are kept while nobody can see them.
package plan

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// An Input is everything that a plan depends on.
type Input struct {
	// HostCluster to plan for.
	HostCluster *v1alpha1.HostCluster

	// Observed children, whoever they belong to; nil for one that is not there.
	Observed Children

	// Refused says, by kind, why the API server does not take a child as it is
	// desired; usually it is empty.
	Refused map[string]error

	// Now is the present time. Deadlines are measured to the nanosecond;
	// times in the status have whole seconds, as the API keeps them.
	Now time.Time
}

// An Output is what should be.
type Output struct {
	// Desired children: metadata and spec, ready to be applied server-side.
	// A child that was observed and is ours is always among them.
	Desired Children

	// Status is the complete new status. Conditions that are not the plan's,
	// such as Synced, are as they were.
	Status v1alpha1.HostClusterStatus

	// Annotations that the HostCluster should have, besides those it has.
	Annotations map[string]string

	// RequeueAfter is the time until the next deadline expires; 0 if none does.
	RequeueAfter time.Duration
}

// Plan what a HostCluster needs next. An error means that the spec is one that
// the API would not have taken.
func Plan(in Input) (Output, error) {
	if in.HostCluster == nil {
		return Output{}, errors.New("cannot plan without a HostCluster")
	}

	if err := validate(in.HostCluster); err != nil {
		return Output{}, errors.Wrap(err, "cannot plan")
	}

	p := newPlanner(in)
	o := p.project()

	return Output{
		Desired:      p.desired(),
		Status:       p.status(o),
		Annotations:  p.annotations(),
		RequeueAfter: o.requeueAfter,
	}, nil
}

// planner holds what the parts of one plan share. None of them changes it.
type planner struct {
	hc  *v1alpha1.HostCluster
	now time.Time

	// seen are the observed children that are ours.
	seen Children

	// foreign says, by kind, why an observed child is not ours.
	foreign map[string]verdict

	// refused says, by kind, why a child is not as it is desired.
	refused map[string]error

	// installed tells whether the platform was ever installed. It becomes so
	// only when every step is done, with the administrator: before that the
	// cluster still walks through its phases.
	installed bool

	// results of the mode's steps, in order.
	results []result
}

func newPlanner(in Input) *planner {
	p := &planner{
		hc:        in.HostCluster,
		now:       in.Now,
		refused:   in.Refused,
		installed: in.HostCluster.Status.KubeOperaInstalled,
	}
	p.seen, p.foreign = own(in.HostCluster, in.Observed)
	p.results = p.walk()

	if p.managed() && p.first(func(r result) bool { return !r.done }) == nil {
		// Done for the first time. From now on the steps are judged otherwise.
		p.installed = true
		p.results = p.walk()
	}

	return p
}

// deleting tells whether the HostCluster is on its way out.
func (p *planner) deleting() bool { return p.hc.GetDeletionTimestamp() != nil }

// managed tells whether the cluster is to be managed from Git.
func (p *planner) managed() bool { return p.hc.Spec.GitOpsRepoURL != nil }

// stamp is the present time as the API keeps it.
func (p *planner) stamp() metav1.Time { return stamp(p.now) }

// stamp of a time as the API keeps it.
func stamp(t time.Time) metav1.Time { return metav1.NewTime(t.UTC().Truncate(time.Second)) }

// validate refuses a spec that the API would refuse too, but that may come
// from a file. Without it the plan could make children that make no sense. A
// HostCluster that is being deleted is taken as it is.
func validate(hc *v1alpha1.HostCluster) error {
	s := hc.Spec
	git := s.GitOpsRepoURL != nil && s.GitOpsPath != nil && s.GitCredentialsSecretRef != nil && s.Domain != nil

	switch {
	case hc.GetDeletionTimestamp() != nil:
		return nil
	case !known(s.Mode):
		return errors.Errorf("spec.mode %q is not a mode", s.Mode)
	case s.Mode == v1alpha1.ModeConnectExisting && s.ConnectKubeconfigSecretRef == nil:
		return errors.New("spec.connectKubeconfigSecretRef is required for mode connect_existing")
	case s.Mode.Provisions() && s.Provisioning == nil:
		return errors.Errorf("spec.provisioning is required for mode %s", s.Mode)
	case s.Mode != v1alpha1.ModeInCluster && !git, s.GitOpsRepoURL != nil && !git:
		return errors.New("spec.gitOpsRepoURL, gitOpsPath, gitCredentialsSecretRef and domain are required together, and unless mode is in_cluster")
	case (s.AdminEmail == nil) != (s.AdminUsername == nil):
		return errors.New("spec.adminEmail and adminUsername are required together")
	case s.AdminEmail != nil && !git:
		return errors.New("spec.adminEmail needs a Git repository")
	}

	return nil
}

func known(m v1alpha1.Mode) bool {
	switch m {
	case v1alpha1.ModeConnectExisting, v1alpha1.ModeInCluster:
		return true
	case v1alpha1.ModeProvisionVanilla, v1alpha1.ModeProvisionEKS, v1alpha1.ModeProvisionGKE:
		return true
	}

	return false
}
