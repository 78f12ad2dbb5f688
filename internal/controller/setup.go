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

// Package controller lists the controllers of this provider.
package controller

import (
	"context"
	"net/http"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/token"
	"github.com/kubeopera/provider-kubeopera/internal/controller/administrator"
	"github.com/kubeopera/provider-kubeopera/internal/controller/clusteraccess"
	"github.com/kubeopera/provider-kubeopera/internal/controller/fluxbootstrap"
	"github.com/kubeopera/provider-kubeopera/internal/controller/gitopsenvironment"
	"github.com/kubeopera/provider-kubeopera/internal/controller/hostcluster"
	"github.com/kubeopera/provider-kubeopera/internal/controller/provisionedcluster"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/target"
	"github.com/kubeopera/provider-kubeopera/internal/version"
)

// syncPatience is how long a readiness probe waits for caches that are still filling; less than kubelet's 1 s.
const syncPatience = 500 * time.Millisecond

// UserAgent is how this provider introduces itself to API servers.
func UserAgent() string { return "provider-kubeopera/" + version.String() }

// A unit is a controller and the kinds that it cannot run without, its own first.
type unit struct {
	setup setup
	needs []string
}

// setup adds a controller to the manager.
type setup func(mgr ctrl.Manager, o external.Options, targets *target.Pool) error

// units are all controllers.
func units(provisioning provisionedcluster.Settings) []unit {
	return []unit{
		{
			setup: alone(hostcluster.Setup),
			needs: []string{
				v1alpha1.HostClusterKind, v1alpha1.ClusterAccessKind, v1alpha1.ProvisionedClusterKind,
				v1alpha1.FluxBootstrapKind, v1alpha1.GitOpsEnvironmentKind, v1alpha1.AdministratorKind,
			},
		},
		{
			setup: func(mgr ctrl.Manager, o external.Options, targets *target.Pool) error {
				return clusteraccess.Setup(mgr, o, targets)
			},
			// It waits for those who use a kubeconfig, and may come from a ProvisionedCluster.
			needs: []string{
				v1alpha1.ClusterAccessKind, v1alpha1.HostClusterKind, v1alpha1.ProvisionedClusterKind,
				v1alpha1.FluxBootstrapKind, v1alpha1.GitOpsEnvironmentKind, v1alpha1.AdministratorKind,
			},
		},
		{
			setup: func(mgr ctrl.Manager, o external.Options, _ *target.Pool) error {
				return provisionedcluster.Setup(mgr, o, provisioning)
			},
			needs: provisioningKinds(provisioning),
		},
		{setup: connected(fluxbootstrap.Setup), needs: []string{v1alpha1.FluxBootstrapKind}},
		{
			setup: func(mgr ctrl.Manager, o external.Options, targets *target.Pool) error {
				return gitopsenvironment.Setup(mgr, o, targets, version.String())
			},
			needs: []string{v1alpha1.GitOpsEnvironmentKind, v1alpha1.FluxBootstrapKind},
		},
		{setup: connected(administrator.Setup), needs: []string{v1alpha1.AdministratorKind}},
	}
}

// provisioningKinds are those that no cluster can be made without. Clusters are left only after those who lead into them.
func provisioningKinds(s provisionedcluster.Settings) []string {
	kinds := []string{v1alpha1.ProvisionedClusterKind, v1alpha1.ProviderConfigKind, v1alpha1.ProviderConfigUsageKind, v1alpha1.ClusterAccessKind}
	if s.ClusterProviderConfigs {
		kinds = append(kinds, v1alpha1.ClusterProviderConfigKind)
	}
	return kinds
}

// alone is a controller that works on no target itself.
func alone(s func(mgr ctrl.Manager, o external.Options) error) setup {
	return func(mgr ctrl.Manager, o external.Options, _ *target.Pool) error { return s(mgr, o) }
}

// connected is a controller that works on targets.
func connected(s func(mgr ctrl.Manager, o external.Options, targets target.Connector) error) setup {
	return func(mgr ctrl.Manager, o external.Options, targets *target.Pool) error { return s(mgr, o, targets) }
}

// newPool returns the ways into targets. All controllers share it, so a cluster has one client and one circuit
// breaker, whoever works on it.
func newPool(mgr ctrl.Manager, provisioning provisionedcluster.Settings) *target.Pool {
	return target.NewPool(mgr.GetClient(), target.Options{UserAgent: UserAgent(), Tokens: token.New(provisioning.Accounts(mgr))})
}

// Setup adds every controller to the manager.
func Setup(mgr ctrl.Manager, o external.Options, provisioning provisionedcluster.Settings) error {
	targets := newPool(mgr, provisioning)
	for _, u := range units(provisioning) {
		if err := u.add(mgr, o, targets); err != nil {
			return err
		}
	}
	return nil
}

// add the unit's controller to the manager, and have its managed resources counted.
func (u unit) add(mgr ctrl.Manager, o external.Options, targets *target.Pool) error {
	if err := u.setup(mgr, o, targets); err != nil {
		return err
	}
	kind := u.needs[0]
	if kind == v1alpha1.HostClusterKind {
		return nil // it is a composite
	}
	return o.Count(mgr, v1alpha1.Kind(kind))
}

// Ready is a readiness check: the caches of the controllers that run are filled, and the kinds of every controller
// are served, unless each waits behind a gate for those that it needs.
func Ready(mgr ctrl.Manager, gated bool) healthz.Checker {
	return func(req *http.Request) error {
		for _, u := range units(provisionedcluster.Settings{}) {
			if gated {
				break
			}
			for _, kind := range u.kinds() {
				if _, err := mgr.GetRESTMapper().RESTMapping(kind.GroupKind(), kind.Version); err != nil {
					return errors.Wrapf(err, "cannot find kind %s", kind.Kind)
				}
			}
		}
		ctx, cancel := context.WithTimeout(req.Context(), syncPatience)
		defer cancel()
		if !mgr.GetCache().WaitForCacheSync(ctx) {
			return errors.New("caches are not filled yet")
		}
		return nil
	}
}
