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
	"fmt"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/seal"
)

// reasonPushed: the pass is in Git.
const reasonPushed xpv2.ConditionReason = "Pushed"

// Project a State to the status.
func (w *workflow) Project(mg *v1alpha1.GitOpsEnvironment, s State) external.Projection {
	if meta.WasDeleted(mg) {
		return external.Projection{Exists: true, Ready: deleting(s.Deletion)}
	}

	infrastructure := s.Pass == render.Environment || s.Pass == render.Infrastructure && s.Current
	environment := next(s) == external.Done

	observe(mg, s, environment)

	p := mg.Spec.ForProvider.Git.Path
	reason, msg := progress(s, string(p))
	mg.SetConditions(
		pushed(v1alpha1.TypeInfrastructurePushed, infrastructure, reason, msg),
		pushed(v1alpha1.TypeEnvironmentPushed, environment, reason, msg),
	)

	ready := external.NotReady(reason, msg)
	if environment {
		ready = external.Ready(xpv2.ReasonAvailable, fmt.Sprintf("Environment is in Git at %s.", p))
	}

	return external.Projection{Exists: s.Sealing, Ready: ready}
}

func pushed(t xpv2.ConditionType, is bool, reason xpv2.ConditionReason, msg string) xpv2.Condition {
	if is {
		return external.Condition(t, corev1.ConditionTrue, reasonPushed, "")
	}

	return external.Condition(t, corev1.ConditionFalse, reason, msg)
}

// progress says what the environment is about, while it is not complete.
func progress(s State, path string) (xpv2.ConditionReason, string) {
	switch {
	case s.Pass == render.None, s.Pass == render.Infrastructure && !s.Current:
		return v1alpha1.ReasonInProgress, "Pushing the infrastructure to " + path + "."
	case s.Blocked != nil:
		return fault.ClassOf(s.Blocked), s.Blocked.Error()
	case s.Secrets == seal.Missing, s.Secrets == seal.Stale:
		return v1alpha1.ReasonInProgress, "No sealing key on the cluster yet: Flux has to bring up Sealed Secrets first."
	}

	return v1alpha1.ReasonInProgress, "Pushing the environment to " + path + "."
}

func deleting(d Deletion) xpv2.Condition {
	switch {
	case d.Remove && d.InUse:
		return external.NotReady(xpv2.ReasonDeleting, "Flux still reconciles the tree: it is removed once the FluxBootstrap of this name is gone.")
	case d.Err != nil:
		return external.NotReady(xpv2.ReasonDeleting, d.Err.Error())
	}

	return external.NotReady(xpv2.ReasonDeleting, "")
}

// observe writes what was seen of the tree. The commit of a pass is the one at
// which its tree was seen first; later ones of other people do not matter.
func observe(mg *v1alpha1.GitOpsEnvironment, s State, environment bool) {
	o := &mg.Status.AtProvider
	o.RunID = fmt.Sprintf("%.8s-%d", mg.UID, mg.Generation)

	if s.Pass == render.None {
		return
	}

	if s.facts.treeHash != "" {
		// While the tree of pass 2 is not complete, it is the infrastructure
		// in it that counts.
		if s.Pass == render.Infrastructure && s.Current || s.Pass == render.Environment && (!environment || o.Infrastructure == nil) {
			o.Infrastructure = seenPass(o.Infrastructure, s.facts)
		}

		if environment {
			o.Environment = seenPass(o.Environment, s.facts)
		}
	}

	if s.facts.fingerprint != "" {
		o.SealingKeyFingerprint = s.facts.fingerprint
	}

	o.Files = int32(s.facts.files) //nolint:gosec // A tree has some dozens of files.
}

func seenPass(old *v1alpha1.Pass, f facts) *v1alpha1.Pass {
	if old != nil && old.TreeHash == f.treeHash {
		return old
	}

	t := metav1.NewTime(f.time)

	return &v1alpha1.Pass{Commit: f.commit, Time: &t, TreeHash: f.treeHash}
}
