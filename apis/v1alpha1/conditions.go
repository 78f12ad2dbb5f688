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
)

// Condition types of a HostCluster, besides Ready and Synced.
const (
	TypeAccessValidated     xpv2.ConditionType = "AccessValidated"
	TypeInfrastructureReady xpv2.ConditionType = "InfrastructureReady"
	TypeFluxReady           xpv2.ConditionType = "FluxReady"
	TypeEnvironmentReady    xpv2.ConditionType = "EnvironmentReady"
	TypePlatformInstalled   xpv2.ConditionType = "PlatformInstalled"
	TypeAdministratorReady  xpv2.ConditionType = "AdministratorReady"
)

// Condition types of the managed resources, besides Ready and Synced.
const (
	// TypeFluxInstalled says that every controller of Flux runs on the target.
	TypeFluxInstalled xpv2.ConditionType = "FluxInstalled"
	// TypeLayersReady says that every layer of the tree that was asked for is applied and healthy.
	TypeLayersReady xpv2.ConditionType = "LayersReady"
	// TypeInfrastructurePushed says that pass 1 is in Git.
	TypeInfrastructurePushed xpv2.ConditionType = "InfrastructurePushed"
	// TypeEnvironmentPushed says that pass 2 is in Git.
	TypeEnvironmentPushed xpv2.ConditionType = "EnvironmentPushed"
	// TypeAsyncOperation and TypeLastAsyncOperation mean what they mean in upjet providers.
	TypeAsyncOperation     xpv2.ConditionType = "AsyncOperation"
	TypeLastAsyncOperation xpv2.ConditionType = "LastAsyncOperation"
)

// Reasons of a Ready condition that is not True. They are also the classes of
// package fault: what an error means for the one who waits.
const (
	// ReasonWaiting: something outside has to happen first, for instance a Secret has to appear.
	ReasonWaiting xpv2.ConditionReason = "Waiting"
	// ReasonInProgress: the work goes on as it should.
	ReasonInProgress xpv2.ConditionReason = "InProgress"
	// ReasonUnreachable: a cluster or a Git server does not answer.
	ReasonUnreachable xpv2.ConditionReason = "Unreachable"
	// ReasonUnhealthy: it is there but not healthy yet, or not any more.
	ReasonUnhealthy xpv2.ConditionReason = "Unhealthy"
	// ReasonFailing: any other error that may pass by itself.
	ReasonFailing xpv2.ConditionReason = "Failing"
	// ReasonDenied: the other side refuses our credentials or lacks rights for them.
	ReasonDenied xpv2.ConditionReason = "Denied"
	// ReasonRefused: the input is of a kind that this provider does not take.
	ReasonRefused xpv2.ConditionReason = "Refused"
	// ReasonConflict: what we would have to write belongs to somebody else.
	ReasonConflict xpv2.ConditionReason = "Conflict"
	// ReasonExists: an earlier object made it already; it counts as ready.
	ReasonExists xpv2.ConditionReason = "Exists"
)

// Reasons of the conditions AsyncOperation and LastAsyncOperation, as upjet providers have them.
const (
	// ReasonOngoing: a run goes on; AsyncOperation is False.
	ReasonOngoing xpv2.ConditionReason = "Ongoing"
	// ReasonFinished: no run goes on; AsyncOperation is True.
	ReasonFinished xpv2.ConditionReason = "Finished"
	// ReasonSuccess: the last run succeeded.
	ReasonSuccess xpv2.ConditionReason = "Success"
	// ReasonApplyFailure: the last run failed to apply.
	ReasonApplyFailure xpv2.ConditionReason = "ApplyFailure"
	// ReasonDestroyFailure: the last run failed to destroy.
	ReasonDestroyFailure xpv2.ConditionReason = "DestroyFailure"
)

// IsTerminal tells whether a reason does not pass without somebody's action.
// The work is retried all the same, so that it goes on once the cause is gone.
func IsTerminal(r xpv2.ConditionReason) bool {
	return r == ReasonDenied || r == ReasonRefused || r == ReasonConflict
}

// setConditions sets conditions as xpv2 does, but keeps the time of the last
// transition while the status stays the same: deadlines count from that time,
// and a new message must not start them again. While an object is being deleted,
// crossplane-runtime says Deleting and nothing else after every look; what the
// look has found out, for instance why it takes so long, stays in the message.
func setConditions(s *xpv2.ConditionedStatus, conditions ...xpv2.Condition) {
	for _, c := range conditions {
		if old := s.GetCondition(c.Type); old.Status == c.Status && !old.LastTransitionTime.IsZero() {
			c.LastTransitionTime = old.LastTransitionTime

			if c.Type == xpv2.TypeReady && c.Reason == xpv2.ReasonDeleting && c.Message == "" {
				c.Message = old.Message
			}
		}

		s.SetConditions(c)
	}
}
