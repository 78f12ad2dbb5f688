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
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// maxCause bounds what is quoted of a child's message, in bytes. A status
// message may have four times as many.
const maxCause = 1024

// retry is the longest wait between two tries of a child that cannot go on.
// It is the back-off's upper bound in package external.
const retry = "It is tried again at least once a minute."

// message of the status. What people need to know comes first.
func (p *planner) message(o outcome) string {
	switch {
	case o.phase == v1alpha1.PhaseDeleting:
		return p.deletingMessage()
	case o.cause == nil:
		return p.readyMessage()
	}

	cause := o.cause.message
	if cause == "" {
		cause = "Waits for " + string(o.cause.condition)
	}

	cause = strings.TrimRight(cause, ". ")

	switch {
	case o.phase == v1alpha1.PhaseFailed && p.installed:
		return fmt.Sprintf("%s. %s is False since %s. %s", cause, o.cause.condition, o.cause.since.UTC().Format(time.RFC3339), retry)
	case o.phase == v1alpha1.PhaseFailed && v1alpha1.IsTerminal(o.cause.reason) && o.cause.condition == v1alpha1.TypeInfrastructureReady && p.seen.ProvisionedCluster != nil:
		// What makes a cluster is not tried over and over; its message says when it is.
		return fmt.Sprintf("%s. %s failed.", cause, o.cause.phase)
	case o.phase == v1alpha1.PhaseFailed && v1alpha1.IsTerminal(o.cause.reason):
		return fmt.Sprintf("%s. %s failed. %s", cause, o.cause.phase, retry)
	case o.phase == v1alpha1.PhaseFailed:
		return fmt.Sprintf("%s. %s is not done after %s. %s", cause, o.cause.phase, minutes(o.cause.deadline), retry)
	case p.installed && o.cause.reason != v1alpha1.ReasonInProgress:
		return fmt.Sprintf("%s. It counts as failed from %s on.", cause, o.cause.expires.UTC().Format(time.RFC3339))
	default:
		return cause
	}
}

// readyMessage reads as the product's documents have it.
func (p *planner) readyMessage() string {
	if !p.managed() {
		return "This cluster is registered. It is not managed from Git."
	}

	msg := fmt.Sprintf("Flux healthy and reconciling %s.", p.path())

	ad := p.seen.Administrator
	if ad == nil {
		return msg
	}

	what := "created"
	if ad.GetCondition(xpv2.TypeReady).Reason == v1alpha1.ReasonExists {
		what = "existed already"
	}

	return strings.TrimSpace(fmt.Sprintf("%s Administrator %s %s. %s", msg, ad.Spec.ForProvider.Email, what, p.ignored()))
}

// deletingMessage says what a HostCluster waits for before it goes.
func (p *planner) deletingMessage() string {
	var (
		left  []string
		cause string
	)

	for _, c := range p.seen.List() {
		if pc, ok := c.Object.(*v1alpha1.ProvisionedCluster); ok && Stays(p.hc, pc) {
			continue
		}

		left = append(left, c.Kind)

		// Each goes only after those that were made after it: the last one is the cause.
		if why := stuck(c); why != "" {
			cause = fmt.Sprintf("%s: %s. ", c.Kind, why)
		}
	}

	if len(left) == 0 {
		return "Everything is disconnected."
	}

	return fmt.Sprintf("%sWaits until these are deleted: %s.", cause, strings.Join(left, ", "))
}

// stuck says why a child that is to go is still there. Those that nobody has
// asked to go yet go with the next write, but for a ProvisionedCluster, which is
// waited for to be idle.
func stuck(c Child) string {
	o, ok := c.Object.(conditioned)
	if !ok || c.GetDeletionTimestamp() == nil && c.Kind != v1alpha1.ProvisionedClusterKind {
		return ""
	}

	r, s := o.GetCondition(xpv2.TypeReady), o.GetCondition(xpv2.TypeSynced)

	switch {
	case s.Reason == xpv2.ReasonReconcilePaused:
		return "it is paused by its annotation crossplane.io/paused"
	case s.Status == corev1.ConditionFalse && s.Message != "":
		return strings.TrimRight(clean(s.Message), ". ")
	case r.Status == corev1.ConditionFalse:
		return strings.TrimRight(clean(r.Message), ". ")
	}

	return ""
}

// clean makes a message one line of bounded length.
func clean(msg string) string {
	msg = strings.Join(strings.Fields(strings.ToValidUTF8(msg, "")), " ")
	if len(msg) <= maxCause {
		return msg
	}

	end := maxCause - len("…")
	for !utf8.RuneStart(msg[end]) {
		end--
	}

	return msg[:end] + "…"
}

func minutes(d time.Duration) string { return fmt.Sprintf("%d minutes", int(d.Minutes())) }
