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
	"errors"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

func TestDeletionPoll(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	cases := map[string]struct {
		reason string
		ago    time.Duration // since the deletion; negative if there is none
		synced xpv2.Condition
		want   time.Duration
	}{
		"Alive":  {"Nothing is being deleted.", -1, xpv2.ReconcileSuccess(), 0},
		"Failed": {"After an error the wait doubles.", time.Minute, xpv2.ReconcileError(errors.New("x")), 0},
		"New":    {"Somebody waits.", time.Second, xpv2.ReconcileSuccess(), time.Second},
		"Long":   {"A destroy run takes its time.", 10 * time.Minute, xpv2.ReconcileSuccess(), 20 * time.Second},
		"Longer": {"No later than the poll interval.", 5 * time.Hour, xpv2.ReconcileSuccess(), time.Minute},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := &v1alpha1.ProvisionedCluster{}
			mg.SetConditions(tc.synced)
			if tc.ago >= 0 {
				mg.SetDeletionTimestamp(&metav1.Time{Time: now.Add(-tc.ago)})
			}
			if diff := cmp.Diff(tc.want, deletionPoll(mg, now, time.Minute)); diff != "" {
				t.Errorf("\n%s\ndeletionPoll(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
