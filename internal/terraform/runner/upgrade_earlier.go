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

package runner

import (
	"context"
	"strings"
	"time"

	"k8s.io/client-go/discovery"

	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/bootstrap"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// maxVersion bounds the question for a cluster's version.
const maxVersion = 30 * time.Second

// earlier refuses another minor version for a cluster of an earlier release. Its
// control planes do not upgrade themselves, and have no version by which workers
// would see that they are too new: the API server tells it.
func (u upgrade) earlier(ctx context.Context) error {
	data, err := u.cloud.Kubeconfig(ctx, u.prefix, u.Poll, min(u.PollFor, maxQuestion))
	if err != nil {
		return err
	}
	have, err := servedBy(data)
	if err != nil {
		return failf(run.ClassDependency, "cannot ask the cluster for its Kubernetes version: %v: let the provider reach it, or write the version of its control planes into the SSM parameter %s", err, u.prefix+bootstrap.VersionParameter)
	}
	from, ok := parseRelease(have)
	to, ok2 := parseRelease(u.to)
	if ok && ok2 && from.minor == to.minor {
		return nil
	}
	return failf(run.ClassInvalid, "control planes of an earlier release cannot upgrade themselves from Kubernetes %s to %s: set kubernetesVersion back, or upgrade them with kubeadm by hand first", have, u.to)
}

// servedBy is the version of the API server of a kubeconfig, without what a
// distribution appends. The kubeconfig is as trusted as the machine that wrote
// it: nothing is executed for it, and no file of ours is read.
func servedBy(data []byte) (string, error) {
	k, err := kubeconfig.Parse(data)
	if err != nil {
		return "", err
	}
	cfg := k.RESTConfig()
	cfg.Timeout = maxVersion
	client, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return "", err
	}
	info, err := client.ServerVersion()
	if err != nil {
		return "", err
	}
	version, _, _ := strings.Cut(strings.TrimPrefix(info.GitVersion, "v"), "+")
	return version, nil
}
