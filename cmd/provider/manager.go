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
	"time"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	rtconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	xpcontroller "github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/ratelimiter"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/statemetrics"

	"github.com/kubeopera/provider-kubeopera/internal/controller"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

const (
	leaseName = "provider-kubeopera"

	// shutdownTimeout bounds the wait for reconciles that run. It is less than the 30 s after which Kubernetes kills a
	// pod; a reconcile that is cut off is taken up again from what it left.
	shutdownTimeout = 20 * time.Second

	// stateInterval is how often managed resources are counted for the metrics; they come from the cache.
	stateInterval = 15 * time.Second
)

// newManager returns a manager that reads one namespace only, so that a Role is all the rights it needs, unless it is
// to read all. Its controllers may wait behind a gate.
func newManager(cfg *rest.Config, o options, gated bool) (manager.Manager, error) {
	cfg = ratelimiter.LimitRESTConfig(cfg, o.maxReconcileRate)
	cfg.UserAgent = controller.UserAgent()
	timeout := shutdownTimeout
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme: target.NewScheme(),
		Cache:  external.CacheOptions(o.watched()...),

		HealthProbeBindAddress: o.probeAddress,
		Metrics:                server.Options{BindAddress: o.metricsAddress},
		PprofBindAddress:       o.pprofAddress,

		LeaderElection:          o.leaderElection,
		LeaderElectionID:        leaseName,
		LeaderElectionNamespace: o.namespace,
		// The process ends right after, so nobody works without the lease, and the next one need not wait for it.
		LeaderElectionReleaseOnCancel: true,

		Controller:              rtconfig.Controller{CacheSyncTimeout: o.syncTimeout},
		GracefulShutdownTimeout: &timeout,
	})
	if err != nil {
		return nil, errors.Wrap(err, "cannot make manager")
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, errors.Wrap(err, "cannot add health check")
	}
	return mgr, errors.Wrap(mgr.AddReadyzCheck("controllers", controller.Ready(mgr, gated)), "cannot add readiness check")
}

// forControllers returns the options that all controllers share.
func (o *options) forControllers(log logging.Logger) external.Options {
	features := &feature.Flags{}
	features.Enable(feature.EnableBetaManagementPolicies)
	return external.Options{
		Options: xpcontroller.Options{
			Logger:                  log,
			GlobalRateLimiter:       ratelimiter.NewGlobal(o.maxReconcileRate),
			PollInterval:            o.pollInterval,
			MaxConcurrentReconciles: o.maxConcurrentReconciles,
			Features:                features,
		},
		PollJitter: o.pollJitter,
	}
}

// withMetrics has the controllers record Crossplane's metrics of managed resources.
func withMetrics(o external.Options) (external.Options, error) {
	m := &xpcontroller.MetricOptions{
		PollStateMetricInterval: stateInterval,
		MRMetrics:               managed.NewMRMetricRecorder(),
		MRStateMetrics:          statemetrics.NewMRStateMetrics(),
	}
	o.MetricOptions = m
	return o, errors.Wrap(errors.Join(metrics.Registry.Register(m.MRMetrics), metrics.Registry.Register(m.MRStateMetrics)), "cannot register metrics")
}
