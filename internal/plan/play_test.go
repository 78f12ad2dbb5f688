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
	"strings"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// play a history: the first bytes choose the HostCluster, the others what
// happens to it. After each of them every property must hold.
func play(t *testing.T, script []byte) {
	t.Helper()

	if len(script) < 2 {
		return
	}

	modes := []v1alpha1.Mode{
		v1alpha1.ModeConnectExisting, v1alpha1.ModeInCluster,
		v1alpha1.ModeProvisionVanilla, v1alpha1.ModeProvisionEKS, v1alpha1.ModeProvisionGKE,
	}
	w := newWorld(modes[int(script[0])%len(modes)])

	if script[1]&1 == 0 && w.hc.Spec.Mode == v1alpha1.ModeInCluster {
		w.withoutGit()
	}

	if script[1]&2 == 0 {
		w.withoutAdministrator()
	}

	if script[1]&4 == 0 {
		w.hc.Spec.DeletionPolicy = v1alpha1.DeletionDestroy
	}

	for i, b := range script[2:] {
		w.happen(b, script[(i+1)%len(script)])
		check(t, w.input())

		if t.Failed() {
			t.Fatalf("script %v fails at %d", script[:i+3], i)
		}
	}

	if checkPreviews(t, w.input()); t.Failed() {
		t.Fatalf("script %v fails at its end", script)
	}
}

// happen does one thing, if it can be done at all.
func (w *world) happen(b, arg byte) {
	w.pass(time.Duration(arg) * 3 * time.Second)

	fb, ge := w.seen.FluxBootstrap, w.seen.GitOpsEnvironment

	switch b % 32 {
	case 0, 1, 2, 3, 4:
		w.reconcile()
	case 10, 5:
		if w.seen.ProvisionedCluster != nil {
			w.provisioned()
		}
		w.reconcile()
		if w.seen.ClusterAccess != nil {
			w.validated()
		}
		w.reconcile()
	case 11, 12:
		if fb != nil {
			w.fluxInstalled()
		}
		w.reconcile()
	case 13:
		if ge != nil {
			w.pushed(1, string('a'+rune(arg%4)))
		}
		w.reconcile()
	case 14, 16:
		if fb != nil && fb.Spec.ForProvider.Sync != nil {
			w.applied()
		}
		w.reconcile()
	case 15:
		if ge != nil {
			w.pushed(1, "h1")
			w.pushed(2, string('a'+rune(arg%4)))
		}
		w.reconcile()
	case 17:
		if w.seen.Administrator != nil {
			w.administered()
		}
		w.reconcile()
	case 6, 7, 8, 18:
		w.disturb(arg)
	case 19:
		w.remove(arg)
	case 20:
		w.foreign(arg)
	default:
		w.meddle(b, arg)
	}
}

// meddle with the HostCluster itself.
func (w *world) meddle(b, arg byte) {
	switch b % 32 {
	case 21:
		w.change(func(s *v1alpha1.HostClusterSpec) {
			s.Domain = new(v1alpha1.DNSName(string('a' + rune(arg%4))))
			if s.GitOpsRepoURL == nil {
				s.Domain = nil
			}
		})
	case 22:
		w.hc.Status.KubeOperaInstalled = arg%2 == 0
	case 23:
		w.hc.Spec.DeletionPolicy = []v1alpha1.DeletionPolicy{v1alpha1.DeletionDestroy, v1alpha1.DeletionDisconnect, ""}[arg%3]
	case 24:
		w.hc.Spec.Region = ""
	case 25:
		w.hc.Status.PhaseHistory = append(w.hc.Status.PhaseHistory, v1alpha1.PhaseRecord{Phase: v1alpha1.Phase(string(rune(arg)))})
	case 26:
		w.hc.Status = v1alpha1.HostClusterStatus{}
	case 27:
		if arg%8 == 0 {
			w.hc.DeletionTimestamp = new(metav1.NewTime(w.now))
		}
	case 28:
		w.pass(time.Hour)
	case 29:
		if arg%16 == 0 {
			w.hc.Spec.GitOpsPath = nil
		}
	case 30:
		w.hc.Status.SetConditions(xpv2.Condition{Type: xpv2.ConditionType([]string{"Synced", "FluxReady", "Responsive"}[arg%3]), Status: corev1.ConditionTrue})
	default:
		w.pass(time.Duration(arg) * time.Millisecond)
	}
}

// reconcile as the controller does.
func (w *world) reconcile() {
	out, err := Plan(w.input())
	if err != nil {
		return
	}

	w.apply(out.Desired)

	if out, err = Plan(w.input()); err == nil {
		out.Status.DeepCopyInto(&w.hc.Status)
	}
}

// disturb makes a child unready in some way.
func (w *world) disturb(arg byte) {
	l := w.seen.List()
	if len(l) == 0 {
		return
	}

	o, ok := l[int(arg)%len(l)].Object.(stamped)
	if !ok {
		return
	}

	reasons := []xpv2.ConditionReason{
		v1alpha1.ReasonWaiting, v1alpha1.ReasonInProgress, v1alpha1.ReasonUnreachable, v1alpha1.ReasonUnhealthy, v1alpha1.ReasonFailing,
		v1alpha1.ReasonDenied, v1alpha1.ReasonRefused, v1alpha1.ReasonConflict, xpv2.ReasonCreating, xpv2.ReasonUnavailable, xpv2.ReasonDeleting, "",
	}
	messages := []string{"", "connection refused", "x\xffy\n z", strings.Repeat("ä", 3000), "a. ", "Wrong user name or password for https://github.com/acme/gitops-iac.git"}

	if arg%5 == 0 {
		w.condition(o, xpv2.TypeSynced, corev1.ConditionFalse, []xpv2.ConditionReason{xpv2.ReasonReconcileError, xpv2.ReasonReconcilePaused}[arg%2], messages[int(arg/5)%len(messages)])
	}

	w.unready(o, reasons[int(arg/3)%len(reasons)], messages[int(arg/7)%len(messages)])

	if arg%4 == 0 {
		o.SetGeneration(o.GetGeneration() + 1)
	}
}

// remove a child, or begin to.
func (w *world) remove(arg byte) {
	l := w.seen.List()
	if len(l) == 0 {
		return
	}

	c := l[int(arg)%len(l)]
	if arg%2 == 0 {
		w.seen = w.seen.without(c.Kind)

		return
	}

	c.SetDeletionTimestamp(new(metav1.NewTime(w.now)))
}

// foreign gives a child to somebody else.
func (w *world) foreign(arg byte) {
	l := w.seen.List()
	if len(l) == 0 {
		return
	}

	c := l[int(arg)%len(l)]
	c.SetLabels(nil)

	switch arg % 3 {
	case 0:
		c.SetOwnerReferences(nil)
	case 1:
		c.SetOwnerReferences([]metav1.OwnerReference{{Kind: "XCluster", Name: "other", UID: "other", Controller: new(true)}})
	case 2:
		c.SetOwnerReferences([]metav1.OwnerReference{{Kind: v1alpha1.HostClusterKind, Name: w.hc.GetName(), UID: "earlier", Controller: new(true)}})
	}
}
