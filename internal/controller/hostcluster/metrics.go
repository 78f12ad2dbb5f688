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
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	crmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// scrapeTimeout bounds the look into the cache when metrics are scraped.
const scrapeTimeout = 5 * time.Second

// metrics of HostClusters.
type metrics struct {
	durations *prometheus.HistogramVec
}

// newMetrics registers the metrics. A second manager in one process shares the
// durations of the first and takes over the count of clusters.
func newMetrics(c client.Reader) (*metrics, error) {
	d := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "kubeopera_hostcluster_phase_duration_seconds",
		Help: "How long HostClusters took for a phase, from when it began to when it was left for the next one.",
		// From a second to about two hours: a minimal install takes seconds, provisioning up to an hour.
		Buckets: prometheus.ExponentialBuckets(1, 2, 14),
	}, []string{"phase", "mode"})

	if err := crmetrics.Registry.Register(d); err != nil {
		there := prometheus.AlreadyRegisteredError{}
		if !errors.As(err, &there) {
			return nil, errors.Wrap(err, "cannot register phase durations")
		}

		var ok bool
		if d, ok = there.ExistingCollector.(*prometheus.HistogramVec); !ok {
			return nil, errors.Wrap(err, "cannot share phase durations")
		}
	}

	n := &census{client: c, desc: prometheus.NewDesc("kubeopera_hostclusters", "Number of HostClusters by phase.", []string{"phase"}, nil)}
	crmetrics.Registry.Unregister(n)

	return &metrics{durations: d}, errors.Wrap(crmetrics.Registry.Register(n), "cannot register number of HostClusters")
}

// observe the phases that have just ended.
func (m *metrics) observe(mode v1alpha1.Mode, before, now []v1alpha1.PhaseRecord) {
	ended := map[v1alpha1.Phase]bool{}
	for _, r := range before {
		ended[r.Phase] = r.FinishedAt != nil
	}

	for _, r := range now {
		if r.StartedAt != nil && r.FinishedAt != nil && !ended[r.Phase] {
			m.durations.WithLabelValues(string(r.Phase), string(mode)).Observe(r.FinishedAt.Sub(r.StartedAt.Time).Seconds())
		}
	}
}

// census counts HostClusters by phase when it is asked, so no series of one
// that is gone is ever left.
type census struct {
	client client.Reader
	desc   *prometheus.Desc
}

var _ prometheus.Collector = &census{}

// Describe the metric.
func (n *census) Describe(ch chan<- *prometheus.Desc) { ch <- n.desc }

// Collect the metric.
func (n *census) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()

	l := &v1alpha1.HostClusterList{}
	if err := n.client.List(ctx, l, client.UnsafeDisableDeepCopy); err != nil {
		return // An error would take all other metrics of the scrape with it.
	}

	count := map[v1alpha1.Phase]int{
		v1alpha1.PhasePending: 0, v1alpha1.PhaseValidatingAccess: 0, v1alpha1.PhaseProvisioning: 0,
		v1alpha1.PhaseBootstrappingFlux: 0, v1alpha1.PhaseGeneratingGitOpsTree: 0, v1alpha1.PhaseInstallingKubeOpera: 0,
		v1alpha1.PhaseReady: 0, v1alpha1.PhaseFailed: 0, v1alpha1.PhaseDeleting: 0,
	}

	for i := range l.Items {
		if phase := l.Items[i].Status.Phase; phase != "" {
			count[phase]++
		}
	}

	for phase, of := range count {
		ch <- prometheus.MustNewConstMetric(n.desc, prometheus.GaugeValue, float64(of), string(phase))
	}
}
