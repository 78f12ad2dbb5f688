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

package provisionedcluster

import (
	"cmp"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/executor"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
	"github.com/kubeopera/provider-kubeopera/internal/version"
)

const (
	// DefaultMaxRuns is the number of runs that go on at the same time: one
	// takes up to 2 GiB.
	DefaultMaxRuns = 10

	// runnerRepository is where the image of terraform-runner is.
	runnerRepository = "ghcr.io/kubeopera/terraform-runner"
)

// DefaultRunnerImage is the image of terraform-runner of this release.
func DefaultRunnerImage() string { return runnerRepository + ":" + version.String() }

// Settings of the whole provider. The zero value has sensible defaults.
type Settings struct {
	// Namespace of the provider, where it keeps the key of sealed credentials.
	Namespace string
	// Packaged says that Crossplane has installed the provider, whose missing
	// rights another command adds.
	Packaged bool
	// MaxRuns is the number of runs that go on at the same time.
	MaxRuns int
	// RunnerImage of Jobs that name none.
	RunnerImage string
	// JobNamespace is where Jobs run that name no other.
	JobNamespace string
	// Modules of ProviderConfigs that name none; nil for those built in.
	Modules *run.Modules
	// RunnerPath of terraform-runner, for runs as child processes.
	RunnerPath string
	// LocalRunDir holds the directories of such runs.
	LocalRunDir string
	// Kubeconfig that such runs report with.
	Kubeconfig string
	// ClusterProviderConfigs may be used, which needs cluster-wide reads.
	ClusterProviderConfigs bool
}

func (s Settings) withDefaults() Settings {
	s.Namespace = cmp.Or(s.Namespace, v1alpha1.PlatformNamespace)
	s.MaxRuns = cmp.Or(s.MaxRuns, DefaultMaxRuns)
	s.RunnerImage = cmp.Or(s.RunnerImage, DefaultRunnerImage())
	s.JobNamespace = cmp.Or(s.JobNamespace, v1alpha1.ProvisioningNamespace)
	return s
}

// bundle is the command that adds missing rights; empty for the usual ones.
func (s Settings) bundle() string {
	if s.Packaged {
		return executor.PackagedBundle
	}
	return ""
}

// Accounts reads ProviderConfigs and credentials: from the cache, unless they
// may be anywhere.
func (s Settings) Accounts(mgr ctrl.Manager) cloud.Resolver {
	var r client.Reader = mgr.GetClient()
	if s.ClusterProviderConfigs {
		r = mgr.GetAPIReader()
	}
	return cloud.Resolver{Reader: r, Namespace: s.withDefaults().Namespace, ClusterWide: s.ClusterProviderConfigs}
}
