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

package fluxbootstrap

import (
	"fmt"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// Project writes what there is to the status.
func (w *workflow) Project(fb *v1alpha1.FluxBootstrap, s State) external.Projection {
	if meta.WasDeleted(fb) {
		return external.Projection{Exists: nextDelete(s) != external.Done, Ready: leaving(s)}
	}

	at := &fb.Status.AtProvider
	at.Existing = s.Install.Existing != nil
	at.Version = ""
	at.Components = nil
	for _, c := range s.Install.Components {
		if at.Version == "" {
			at.Version = c.Version
		}
		at.Components = append(at.Components, v1alpha1.ComponentStatus{Name: c.Name, Ready: c.Ready})
	}

	installed := installedCondition(s.Install, namespace(fb))
	fb.SetConditions(observed(fb, installed))
	if !s.Sync.Wanted {
		return external.Projection{Exists: s.Install.Namespace, Ready: readyFrom(installed)}
	}

	at.SourceRevision = s.Sync.Health.Revision
	at.Layers = s.Sync.Health.Layers
	layers := layersCondition(s.Sync)
	fb.SetConditions(observed(fb, layers))
	return external.Projection{Exists: s.Install.Namespace, Ready: readyFrom(installed, layers)}
}

func installedCondition(i Install, namespace string) xpv2.Condition {
	not := func(reason xpv2.ConditionReason, msg string) xpv2.Condition {
		return external.Condition(v1alpha1.TypeFluxInstalled, corev1.ConditionFalse, reason, msg)
	}
	switch {
	case i.Terminating != nil:
		return not(v1alpha1.ReasonWaiting, i.Terminating.message(namespace))
	case i.Installed():
		return external.Condition(v1alpha1.TypeFluxInstalled, corev1.ConditionTrue, xpv2.ReasonAvailable, "")
	case i.Existing == nil && !i.Release.Deployed(i.Digest):
		return not(v1alpha1.ReasonInProgress, "Flux is being installed")
	default:
		return not(v1alpha1.ReasonInProgress, i.Unready)
	}
}

func layersCondition(s Sync) xpv2.Condition {
	not := func(reason xpv2.ConditionReason, msg string) xpv2.Condition {
		return external.Condition(v1alpha1.TypeLayersReady, corev1.ConditionFalse, reason, msg)
	}
	switch {
	case !s.Credentials || !s.Source || !s.Root:
		return not(v1alpha1.ReasonInProgress, "Flux is being told what to reconcile")
	case !s.Health.Ready:
		return not(s.Health.Reason, s.Health.Message)
	default:
		return external.Condition(v1alpha1.TypeLayersReady, corev1.ConditionTrue, xpv2.ReasonAvailable, "")
	}
}

// readyFrom is Ready if all conditions are True, else what the first of them says.
func readyFrom(cs ...xpv2.Condition) xpv2.Condition {
	for _, c := range cs {
		if c.Status != corev1.ConditionTrue {
			return external.NotReady(c.Reason, c.Message)
		}
	}
	return external.Ready(xpv2.ReasonAvailable, "")
}

// leaving is the Ready condition of a FluxBootstrap that is being deleted.
func leaving(s State) xpv2.Condition {
	if err := s.Leaving.Lost; err != nil {
		return external.NotReady(fault.ClassOf(err), fmt.Sprintf("Cannot disconnect: %v", err))
	}
	return external.NotReady(xpv2.ReasonDeleting, "Disconnecting: suspending and removing what the tree has brought, but for its workloads")
}

// observed stamps a condition with the generation that it is about.
func observed(fb *v1alpha1.FluxBootstrap, c xpv2.Condition) xpv2.Condition {
	c.ObservedGeneration = fb.GetGeneration()
	return c
}
