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

package external

import (
	"context"
	"fmt"
	"slices"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane/crossplane-runtime/v2/pkg/conditions"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// maxSteps bounds the steps of one reconcile. No workflow has as many; one
// that comes back to a step again and again is stopped, and goes on with
// the next reconcile.
const maxSteps = 16

// connector makes a client for one reconcile.
type connector[M resource.Managed, S any] struct {
	workflow Workflow[M, S]
}

// NewConnector returns a connector whose clients drive a workflow.
func NewConnector[M resource.Managed, S any](w Workflow[M, S]) managed.TypedExternalConnector[M] {
	return &connector[M, S]{workflow: w}
}

// Connect returns a client. It cannot fail: a Connect that fails would block
// deletion, so whatever a workflow needs is looked up when it collects.
func (c *connector[M, S]) Connect(_ context.Context, _ M) (managed.TypedExternalClient[M], error) {
	return &client[M, S]{workflow: c.workflow}, nil
}

// client drives a workflow through one reconcile.
type client[M resource.Managed, S any] struct {
	workflow Workflow[M, S]

	// state is what Observe collected.
	state S
}

// Observe collects the state and projects it to the status.
func (c *client[M, S]) Observe(ctx context.Context, mg M) (managed.ExternalObservation, error) {
	s, err := c.workflow.Collect(ctx, mg)
	if err != nil {
		return c.unobserved(mg, err)
	}

	c.state = s
	p := c.project(mg, s)

	if meta.WasDeleted(mg) {
		return managed.ExternalObservation{ResourceExists: c.workflow.NextDelete(s) != Done, ResourceUpToDate: true}, nil
	}

	step := c.workflow.Next(s)
	acts := step.acts()

	if missing := missingPolicy(mg, p.Exists); acts && missing != "" {
		conditionsOf(mg).MarkConditions(NotReady(fault.Waiting,
			fmt.Sprintf("spec.managementPolicies allow no %s: the next step would be %s", missing, step)))
	}

	return managed.ExternalObservation{
		// What may be created and updated counts as existing from the start,
		// so that its first step is an update like the rest: no step needs
		// the time stamps that the reconciler puts around Create, and it
		// would replace the Ready condition of a first step that failed by
		// one that does not say why.
		ResourceExists:    p.Exists || !acts || createsByUpdate(mg),
		ResourceUpToDate:  !acts,
		ConnectionDetails: p.Details,
	}, nil
}

// missingPolicy is the management policy that the next step needs and that the
// managed resource does not have; empty if it has it, or names none at all.
func missingPolicy(mg resource.Manageable, exists bool) xpv2.ManagementAction {
	need := xpv2.ManagementActionCreate
	if exists {
		need = xpv2.ManagementActionUpdate
	}

	if allows(mg, need) {
		return ""
	}

	return need
}

// createsByUpdate tells whether an update may do what a creation would.
func createsByUpdate(mg resource.Manageable) bool {
	return allows(mg, xpv2.ManagementActionCreate) && allows(mg, xpv2.ManagementActionUpdate)
}

// allows tells whether the management policies allow an action. None at all
// allow every one.
func allows(mg resource.Manageable, a xpv2.ManagementAction) bool {
	p := mg.GetManagementPolicies()

	return len(p) == 0 || slices.Contains(p, xpv2.ManagementActionAll) || slices.Contains(p, a)
}

// unobserved reports a state that could not be collected. Waiting is no error.
func (c *client[M, S]) unobserved(mg M, err error) (managed.ExternalObservation, error) {
	mark(mg, err)

	if fault.Is(err, fault.Waiting) {
		return managed.ExternalObservation{ResourceExists: true, ResourceUpToDate: true}, nil
	}

	return managed.ExternalObservation{}, err
}

// Create does the first steps of what may be created but not updated.
func (c *client[M, S]) Create(ctx context.Context, mg M) (managed.ExternalCreation, error) {
	return managed.ExternalCreation{}, c.advance(ctx, mg, c.workflow.Next)
}

// Update does the next steps.
func (c *client[M, S]) Update(ctx context.Context, mg M) (managed.ExternalUpdate, error) {
	return managed.ExternalUpdate{}, c.advance(ctx, mg, c.workflow.Next)
}

// Delete does the next steps towards nothing being left. It is called again
// until Observe says so.
func (c *client[M, S]) Delete(ctx context.Context, mg M) (managed.ExternalDelete, error) {
	return managed.ExternalDelete{}, c.advance(ctx, mg, c.workflow.NextDelete)
}

// Disconnect has nothing to do: connections to targets are shared.
func (c *client[M, S]) Disconnect(_ context.Context) error { return nil }

// advance does one step after the other, looking again after each, until there
// is nothing to do or something to wait for.
func (c *client[M, S]) advance(ctx context.Context, mg M, next func(S) Step) error {
	for range maxSteps {
		step := next(c.state)
		if !step.acts() {
			return nil
		}

		if err := c.workflow.Do(ctx, mg, c.state, step); err != nil {
			return stopped(mg, err)
		}

		s, err := c.workflow.Collect(ctx, mg)
		if err != nil {
			return stopped(mg, err)
		}

		c.state = s
		c.project(mg, s)
	}

	return nil
}

// project writes a state to the status.
func (c *client[M, S]) project(mg M, s S) Projection {
	p := c.workflow.Project(mg, s)
	if meta.WasDeleted(mg) && p.Ready.Message == "" {
		// Else the message of an earlier look would stay: see SetConditions.
		p.Ready.Message = "Cleaning up"
	}

	conditionsOf(mg).MarkConditions(p.Ready)
	observed(mg)

	return p
}

// stopped marks the managed resource with the error that stopped its work. To
// wait is no error.
func stopped(mg resource.Managed, err error) error {
	mark(mg, err)

	if fault.Is(err, fault.Waiting) {
		return nil
	}

	return err
}

// mark makes an error the Ready condition.
func mark(mg resource.Managed, err error) {
	conditionsOf(mg).MarkConditions(NotReady(fault.ClassOf(err), err.Error()))
	observed(mg)
}

func conditionsOf(mg resource.Managed) conditions.ConditionSet {
	return conditions.ObservedGenerationPropagationManager{}.For(mg)
}

// observed says which generation the status is about.
func observed(mg resource.Managed) {
	if o, ok := mg.(resource.ReconciliationObserver); ok {
		o.SetObservedGeneration(mg.GetGeneration())
	}
}
