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
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// check what is true of every plan.
func check(t *testing.T, in Input) {
	t.Helper()

	before := copyOf(in)
	out, err := Plan(in)

	if !equality.Semantic.DeepEqual(before.HostCluster, in.HostCluster) || !equality.Semantic.DeepEqual(before.Observed, in.Observed) {
		t.Fatalf("the plan has changed its input: -before, +after:\n%s", cmp.Diff(before, in))
	}

	again, errAgain := Plan(copyOf(in))
	if !equality.Semantic.DeepEqual(out, again) || (err == nil) != (errAgain == nil) {
		t.Fatalf("the same input gives another plan: -first, +second:\n%s", cmp.Diff(out, again))
	}

	if err != nil {
		return // The spec is one that the API does not take.
	}

	checkMessage(t, out)
	checkChildren(t, in, out)
	checkReady(t, in, out)

	if out.RequeueAfter < 0 {
		t.Errorf("RequeueAfter is negative: %s", out.RequeueAfter)
	}

	// The status of the status is the same status.
	in = copyOf(in)
	in.HostCluster.Status = out.Status

	fed, err := Plan(in)
	if err != nil {
		t.Fatalf("Plan(...) of its own status: %v", err)
	}

	if !equality.Semantic.DeepEqual(out, fed) {
		t.Fatalf("its own status gives another plan: -first, +second:\n%s", cmp.Diff(out, fed))
	}
}

func copyOf(in Input) Input {
	in.HostCluster = in.HostCluster.DeepCopy()
	in.Observed = Children{
		ProvisionedCluster: in.Observed.ProvisionedCluster.DeepCopy(),
		ClusterAccess:      in.Observed.ClusterAccess.DeepCopy(),
		FluxBootstrap:      in.Observed.FluxBootstrap.DeepCopy(),
		GitOpsEnvironment:  in.Observed.GitOpsEnvironment.DeepCopy(),
		Administrator:      in.Observed.Administrator.DeepCopy(),
	}

	return in
}

// checkMessage: there is one, and its first 64 characters hold the cause.
func checkMessage(t *testing.T, out Output) {
	t.Helper()

	s := out.Status
	if s.Phase == "" || s.Message == "" || len(s.Message) > 4096 || !utf8.ValidString(s.Message) {
		t.Errorf("phase %q has message %q", s.Phase, s.Message)
	}

	ready := s.GetCondition(xpv2.TypeReady)
	if ready.Status == corev1.ConditionTrue || s.Phase == v1alpha1.PhaseDeleting {
		return
	}

	if !slices.ContainsFunc(s.Conditions, func(c xpv2.Condition) bool {
		return Ours(c.Type) && c.Type != xpv2.TypeReady && c.Status != corev1.ConditionTrue &&
			strings.HasPrefix(s.Message, strings.TrimRight(start(c.Message), ". "))
	}) {
		t.Errorf("message %q does not begin with the message of a condition that is not True: %+v", s.Message, s.Conditions)
	}

	for _, c := range s.Conditions {
		if Ours(c.Type) && (c.Reason == "" || c.LastTransitionTime.IsZero()) {
			t.Errorf("condition is not complete: %+v", c)
		}
	}
}

func start(msg string) string {
	r := []rune(msg)

	return string(r[:min(len(r), 64)])
}

// checkChildren: what is there stays desired, and so does what was set.
func checkChildren(t *testing.T, in Input, out Output) {
	t.Helper()

	for _, c := range in.Observed.List() {
		_, foreign := inTheWay(in.HostCluster, c)
		if wanted := strings.Contains(names(out.Desired), c.Kind); wanted == foreign {
			t.Errorf("%s is there, foreign %t, but desired %t", c.Kind, foreign, wanted)
		}
	}

	for _, c := range out.Desired.List() {
		if c.GetName() != in.HostCluster.GetName() || c.GetNamespace() != in.HostCluster.GetNamespace() ||
			c.GetLabels()[v1alpha1.LabelHostCluster] != in.HostCluster.GetName() || c.GetResourceVersion() != "" || c.GetUID() != "" {
			t.Errorf("%s has wrong metadata: %s/%s %v", c.Kind, c.GetNamespace(), c.GetName(), c.GetLabels())
		}
	}

	if seen, want := in.Observed.FluxBootstrap, out.Desired.FluxBootstrap; seen != nil && want != nil && seen.Spec.ForProvider.Sync != nil {
		if want.Spec.ForProvider.Sync == nil {
			t.Fatal("sync was set, and is not desired any more")
		}

		if complete(seen.Spec.ForProvider.Sync.Layers) && !complete(want.Spec.ForProvider.Sync.Layers) {
			t.Error("layers were set, and are not desired any more")
		}
	}

	if seen, want := in.Observed.Administrator, out.Desired.Administrator; seen != nil && want != nil && seen.Spec.ForProvider != want.Spec.ForProvider {
		t.Error("an administrator is changed")
	}

	if pc := out.Desired.ProvisionedCluster; pc != nil {
		mayDelete := slices.Contains(pc.Spec.ManagementPolicies, xpv2.ManagementActionAll) || slices.Contains(pc.Spec.ManagementPolicies, xpv2.ManagementActionDelete)
		if mayDelete != (in.HostCluster.Spec.DeletionPolicy == v1alpha1.DeletionDestroy) {
			t.Errorf("deletionPolicy %q gives management policies %v", in.HostCluster.Spec.DeletionPolicy, pc.Spec.ManagementPolicies)
		}
	}
}

// checkReady: Ready means that every child is, and nothing else is missing.
func checkReady(t *testing.T, in Input, out Output) {
	t.Helper()

	s := out.Status
	if in.HostCluster.Status.KubeOperaInstalled && !s.KubeOperaInstalled {
		t.Error("kubeOperaInstalled is sticky, but it went")
	}

	if s.KubeOperaInstalled && s.Phase != v1alpha1.PhaseReady && s.Phase != v1alpha1.PhaseFailed && s.Phase != v1alpha1.PhaseDeleting {
		t.Errorf("an installed cluster walks the phases again: %s", s.Phase)
	}

	if s.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue {
		return
	}

	if s.Phase != v1alpha1.PhaseReady {
		t.Errorf("Ready in phase %s", s.Phase)
	}

	for _, c := range s.Conditions {
		if Ours(c.Type) && c.Status != corev1.ConditionTrue {
			t.Errorf("Ready, but not %s: %s", c.Type, c.Message)
		}
	}

	for _, c := range out.Desired.List() {
		o := find(in.Observed, c.Kind)

		// Not all modes need all kinds; what an earlier HostCluster has left does not count.
		if o == nil || !ready(c.Kind, o).done && needed(in.HostCluster, c.Kind) {
			t.Errorf("Ready, but not %s", c.Kind)
		}
	}
}

func needed(hc *v1alpha1.HostCluster, kind string) bool {
	switch kind {
	case v1alpha1.ProvisionedClusterKind:
		return hc.Spec.Mode.Provisions()
	case v1alpha1.ClusterAccessKind:
		return true
	default:
		return hc.Spec.GitOpsRepoURL != nil
	}
}

func find(cs Children, kind string) conditioned {
	for _, c := range cs.List() {
		if o, ok := c.Object.(conditioned); ok && c.Kind == kind {
			return o
		}
	}

	return nil
}

// TestProperties walks through random histories.
func TestProperties(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 0))
		script := make([]byte, 3+r.IntN(120))

		for i := range script {
			script[i] = byte(r.IntN(256))
		}

		play(t, script)
	}
}

// FuzzPlan looks for a history that breaks a property.
func FuzzPlan(f *testing.F) {
	for mode := range byte(5) {
		f.Add([]byte{mode, 0, 1})
		f.Add([]byte{mode, 7, 1, 10, 11, 12, 13, 14, 15, 14, 16, 17})
		f.Add([]byte{mode, 3, 1, 10, 11, 20, 12, 0, 21, 13, 9, 14, 22, 15, 14, 16, 17, 3, 9, 9, 4})
	}

	f.Fuzz(func(t *testing.T, script []byte) { play(t, script[:min(len(script), 256)]) })
}
