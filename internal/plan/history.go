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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// phases that the mode walks through, in order.
func (p *planner) phases() []v1alpha1.Phase {
	var phases []v1alpha1.Phase

	for _, s := range p.steps() {
		if n := len(phases); n == 0 || phases[n-1] != s.phase {
			phases = append(phases, s.phase)
		}
	}

	return append(phases, v1alpha1.PhaseReady)
}

// history lists every phase of the mode in order. Those before the present one
// have ended, and those after it have not begun; should the walk have to go
// back, they begin anew.
func (p *planner) history(o outcome) []v1alpha1.PhaseRecord {
	phases := p.phases()
	at := len(phases) // Nothing changes any more once the HostCluster is being deleted.

	if !p.deleting() {
		at = index(phases, o.walking)
	}

	var (
		now     = p.stamp()
		records = make([]v1alpha1.PhaseRecord, len(phases))
	)

	for i, phase := range phases {
		old := record(p.hc.Status.PhaseHistory, phase)

		switch {
		case p.deleting():
			records[i] = old
		case i < at:
			records[i] = v1alpha1.PhaseRecord{Phase: phase, StartedAt: or(old.StartedAt, now), FinishedAt: or(old.FinishedAt, now)}
		case i == at:
			records[i] = v1alpha1.PhaseRecord{Phase: phase, StartedAt: or(old.StartedAt, now)}
		default:
			records[i] = v1alpha1.PhaseRecord{Phase: phase}
		}
	}

	return records
}

// index of a phase; -1 for one that is not walked through.
func index(phases []v1alpha1.Phase, phase v1alpha1.Phase) int {
	for i := range phases {
		if phases[i] == phase {
			return i
		}
	}

	return -1
}

// record of a phase.
func record(records []v1alpha1.PhaseRecord, phase v1alpha1.Phase) v1alpha1.PhaseRecord {
	for _, r := range records {
		if r.Phase == phase {
			return *r.DeepCopy()
		}
	}

	return v1alpha1.PhaseRecord{Phase: phase}
}

func or(t *metav1.Time, now metav1.Time) *metav1.Time {
	if t != nil {
		return t
	}

	return &now
}
