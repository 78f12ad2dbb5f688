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

package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

func TestProgress(t *testing.T) {
	cases := map[string]struct {
		reason string
		status v1alpha1.HostClusterStatus
		want   string
	}{
		"New": {reason: "nobody has looked at it", want: "(no phase yet)"},
		"Phase": {
			reason: "a phase has a message beside it",
			status: v1alpha1.HostClusterStatus{Phase: v1alpha1.PhaseReady, Message: "Flux healthy."},
			want:   "Ready                 Flux healthy.",
		},
		"NoMessage": {
			reason: "a phase without a message stands alone",
			status: v1alpha1.HostClusterStatus{Phase: v1alpha1.PhasePending},
			want:   "Pending",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, progress(&v1alpha1.HostCluster{Status: tc.status})); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
