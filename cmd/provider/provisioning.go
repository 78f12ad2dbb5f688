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
	"flag"

	"sigs.k8s.io/controller-runtime/pkg/client/config"

	"github.com/kubeopera/provider-kubeopera/internal/controller/provisionedcluster"
	tfrun "github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// forProvisioning returns what the making of clusters depends on.
func (o *options) forProvisioning() provisionedcluster.Settings {
	s := provisionedcluster.Settings{
		Namespace: o.namespace, Packaged: o.packaged(), ClusterProviderConfigs: o.clusterProviderConfigs, MaxRuns: o.maxRuns, RunnerImage: o.runnerImage,
		JobNamespace: o.jobNamespace, RunnerPath: o.runnerPath, LocalRunDir: o.localRunDir, Kubeconfig: kubeconfigFlag(),
	}
	if o.modulesRepoURL != "" {
		s.Modules = &tfrun.Modules{RepoURL: o.modulesRepoURL, Ref: o.modulesRepoRef}
	}
	return s
}

// packaged tells whether Crossplane has installed the provider: its package asks
// for all namespaces, and plain manifests do not.
func (o *options) packaged() bool { return o.allNamespaces }

// kubeconfigFlag is the value of --kubeconfig, which controller-runtime keeps to itself.
func kubeconfigFlag() string {
	if f := flag.CommandLine.Lookup(config.KubeconfigFlagName); f != nil {
		return f.Value.String()
	}
	return ""
}
