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

package testing

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"k8s.io/client-go/kubernetes"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/testing/pki"
)

// controllers are the ones that tests need: what ends objects, what makes tokens, and Jobs. Everything else costs time
// at the start and would only wait for Nodes.
const controllers = "garbage-collector-controller,namespace-controller,job-controller,serviceaccount-controller," +
	"serviceaccount-token-controller,root-ca-certificate-publisher-controller"

// startAPIServer starts etcd and kube-apiserver on three free ports (etcd clients, etcd peers, API) at the same time:
// the API server waits for its etcd itself.
func (c *ControlPlane) startAPIServer(ctx context.Context, bins binaries, ports []int) error {
	clients, peers := fmt.Sprintf("http://127.0.0.1:%d", ports[0]), fmt.Sprintf("http://127.0.0.1:%d", ports[1])
	etcd, err := startProcess(c.Dir, bins.etcd,
		"--name=test", "--data-dir="+filepath.Join(c.Dir, "etcd"), "--log-level=warn",
		"--unsafe-no-fsync", // The data is thrown away anyhow.
		"--listen-client-urls="+clients, "--advertise-client-urls="+clients,
		"--listen-peer-urls="+peers, "--initial-advertise-peer-urls="+peers, "--initial-cluster=test="+peers)
	if err != nil {
		return err
	}
	c.processes = []*process{etcd}

	if err := c.ca.Issue(pki.Identity{
		File: "apiserver", Name: apiServerBinary,
		Hosts: []string{"localhost", "kubernetes.default.svc", "127.0.0.1"},
	}); err != nil {
		return err
	}
	c.server = fmt.Sprintf("https://127.0.0.1:%d", ports[2])
	in := func(name string) string { return filepath.Join(c.Dir, name) }
	api, err := startProcess(c.Dir, bins.apiServer,
		"--etcd-servers="+clients,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", ports[2]),
		"--endpoint-reconciler-type=none", // No Pod asks for the Service `kubernetes`, and it refuses loopback.
		"--service-cluster-ip-range=10.96.0.0/16",
		"--authorization-mode=RBAC", "--allow-privileged=true",
		"--client-ca-file="+in("ca.crt"), "--tls-cert-file="+in("apiserver.crt"), "--tls-private-key-file="+in("apiserver.key"),
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		// The CA's key signs tokens too: one key fewer, and nothing here is secret.
		"--service-account-key-file="+in("ca.crt"), "--service-account-signing-key-file="+in("ca.key"),
		"--enable-priority-and-fairness=false", "--profiling=false")
	if err != nil {
		return err
	}
	c.processes = []*process{api, etcd}

	cfg, err := c.UserConfig(admin)
	if err != nil {
		return err
	}
	cs, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return errors.Wrap(err, "cannot make client")
	}
	if err := c.until(ctx, "kube-apiserver", c.serving(cs)); err != nil {
		return err
	}
	return c.writeServer()
}

// startControllers starts kube-controller-manager and waits until it does its work.
func (c *ControlPlane) startControllers(ctx context.Context, bins binaries) error {
	kubeconfig, err := c.Kubeconfig(User{Name: "system:kube-controller-manager", Groups: admin.Groups})
	if err != nil {
		return errors.Wrap(err, "cannot make kubeconfig")
	}
	path := filepath.Join(c.Dir, "controller-manager.kubeconfig")
	if err := writeFile(path, kubeconfig); err != nil {
		return err
	}
	kcm, err := startProcess(c.Dir, bins.controllerManager,
		"--kubeconfig="+path, "--leader-elect=false",
		"--secure-port=0", // Its own endpoints are of no use here.
		"--controllers="+strings.ReplaceAll(controllers, " ", ""),
		"--root-ca-file="+filepath.Join(c.Dir, "ca.crt"),
		"--service-account-private-key-file="+filepath.Join(c.Dir, "ca.key"),
		"--kube-api-qps=500", "--kube-api-burst=1000", "--concurrent-gc-syncs=20", "--concurrent-namespace-syncs=20")
	if err != nil {
		return err
	}
	c.processes = append([]*process{kcm}, c.processes...)
	return c.until(ctx, "kube-controller-manager", c.controlling)
}
