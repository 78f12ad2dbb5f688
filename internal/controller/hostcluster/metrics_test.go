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

package hostcluster

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// TestCensus: the clusters of each phase are counted when somebody asks, so
// one that is gone leaves nothing behind.
func TestCensus(t *testing.T) {
	hc := &v1alpha1.HostCluster{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "b"}, Status: v1alpha1.HostClusterStatus{Phase: v1alpha1.PhaseFailed}}
	c := fake.NewClientBuilder().WithScheme(kt.Scheme()).WithObjects(hc).Build()
	reg := prometheus.NewRegistry()
	reg.MustRegister(&census{client: c, desc: prometheus.NewDesc("kubeopera_hostclusters", "", []string{"phase"}, nil)})

	failed := func() (float64, int) {
		t.Helper()

		families, err := reg.Gather()
		if err != nil {
			t.Fatal(err)
		}

		for _, m := range families[0].GetMetric() {
			if m.GetLabel()[0].GetValue() == string(v1alpha1.PhaseFailed) {
				return m.GetGauge().GetValue(), len(families[0].GetMetric())
			}
		}

		return -1, 0
	}

	if n, series := failed(); n != 1 || series != 9 {
		t.Errorf("want 1 failed cluster in 9 series, got %v in %d", n, series)
	}

	if err := c.Delete(t.Context(), hc, client.GracePeriodSeconds(0)); err != nil {
		t.Fatal(err)
	}

	if n, series := failed(); n != 0 || series != 9 {
		t.Errorf("want no failed cluster in 9 series, got %v in %d", n, series)
	}
}

// TestDurations: a phase is measured when it ends, once.
func TestDurations(t *testing.T) {
	at := func(s int64) *metav1.Time { return &metav1.Time{Time: time.Unix(s, 0)} }
	record := func(from, to *metav1.Time) []v1alpha1.PhaseRecord {
		return []v1alpha1.PhaseRecord{{Phase: v1alpha1.PhaseBootstrappingFlux, StartedAt: from, FinishedAt: to}}
	}

	cases := map[string]struct {
		reason      string
		before, now []v1alpha1.PhaseRecord
		want        uint64
	}{
		"Began":   {"A phase that goes on has no duration yet.", nil, record(at(10), nil), 0},
		"Ended":   {"It has one when it ends.", record(at(10), nil), record(at(10), at(40)), 1},
		"Skipped": {"One that began and ended at once counts too.", nil, record(at(10), at(10)), 1},
		"Over":    {"One that ended before was counted then.", record(at(10), at(40)), record(at(10), at(40)), 0},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := &metrics{durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "x_seconds", Help: "x"}, []string{"phase", "mode"})}
			m.observe(v1alpha1.ModeInCluster, tc.before, tc.now)

			reg := prometheus.NewRegistry()
			reg.MustRegister(m.durations)

			families, err := reg.Gather()
			if err != nil {
				t.Fatal(err)
			}

			var got uint64
			for _, f := range families {
				got += f.GetMetric()[0].GetHistogram().GetSampleCount()
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
