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

// Package provisionedcluster makes clusters in cloud accounts: it starts
// Terraform runs, looks after them, and publishes what comes of them. It does
// not block: whatever takes long is a run, and how that stands is read anew
// each time.
package provisionedcluster

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/executor"
)

// Executors of runs by their place.
type Executors interface {
	At(p v1alpha1.RunPlace) executor.Executor
}

// Setup adds the controllers of ProvisionedClusters and of ProviderConfigs to a manager.
func Setup(mgr ctrl.Manager, o external.Options, settings Settings) error {
	settings = settings.withDefaults()
	e, err := newExecutors(mgr, settings)
	if err != nil {
		return err
	}
	if err := mgr.Add(manager.RunnableFunc(e.local.Run)); err != nil {
		return errors.Wrap(err, "cannot look after local runs")
	}
	w := &workflow{
		kube:      mgr.GetClient(),
		live:      mgr.GetAPIReader(),
		accounts:  settings.Accounts(mgr),
		executors: e,
		tracker:   resource.NewProviderConfigUsageTracker(mgr.GetClient(), &v1alpha1.ProviderConfigUsage{}),
		check:     func(ctx context.Context, c *cloud.Credentials, region string) error { return c.Check(ctx, region) },
		settings:  settings,
		clock:     clock.RealClock{},
	}

	kind := v1alpha1.Kind(v1alpha1.ProvisionedClusterKind)
	m := mapper{kube: mgr.GetClient(), clusterWide: settings.ClusterProviderConfigs}
	b := external.NewBuilder(mgr, o, kind, &v1alpha1.ProvisionedCluster{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(m.ofSecret)).
		Watches(&v1alpha1.ProviderConfig{}, handler.EnqueueRequestsFromMapFunc(m.ofConfig(v1alpha1.ProviderConfigKind)), specChanged()).
		Watches(&v1alpha1.ClusterAccess{}, handler.EnqueueRequestsFromMapFunc(ofUser), gone())
	if settings.ClusterProviderConfigs {
		b = b.Watches(&v1alpha1.ClusterProviderConfig{}, handler.EnqueueRequestsFromMapFunc(m.ofConfig(v1alpha1.ClusterProviderConfigKind)), specChanged())
	}
	err = b.Complete(external.NewReconciler(mgr, o, kind, w, managed.WithPollIntervalHook(pollInterval(o.PollJitter))))
	if err != nil {
		return errors.Wrap(err, "cannot set up controller of ProvisionedClusters")
	}
	return setupConfigs(mgr, o, settings)
}

// executors of one process. Those of Jobs differ in the namespace.
type executors struct {
	mgr      ctrl.Manager
	pods     kubernetes.Interface
	local    *executor.Local
	starting *sync.Mutex
	max      int
	bundle   string
}

func newExecutors(mgr ctrl.Manager, s Settings) (*executors, error) {
	pods, err := kubernetes.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a client of pods")
	}
	e := &executors{mgr: mgr, pods: pods, starting: &sync.Mutex{}, max: s.MaxRuns, bundle: s.bundle()}
	e.local, err = executor.NewLocal(mgr.GetClient(), mgr.GetAPIReader(), executor.LocalOptions{
		Dir: s.LocalRunDir, Runner: s.RunnerPath, Kubeconfig: s.Kubeconfig, MaxRuns: s.MaxRuns, Starting: e.starting, Bundle: e.bundle,
	})
	return e, err
}

// At returns the executor of a place.
func (e *executors) At(p v1alpha1.RunPlace) executor.Executor {
	if p.Mode == v1alpha1.ExecutionLocal {
		return e.local
	}
	return executor.NewJobs(e.mgr.GetClient(), e.mgr.GetAPIReader(), e.pods, executor.JobOptions{
		Namespace: p.Namespace, MaxRuns: e.max, Starting: e.starting, Bundle: e.bundle,
	})
}
