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

package node

import (
	"context"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

const (
	nodeName = "node1"
	// dnsIP is the address of CoreDNS' Service.
	dnsIP = "10.96.0.10"
	// etcdURL is where etcd listens; without fsync, since nobody needs its data after a crash.
	etcdURL = "http://127.0.0.1:2379"
)

// controlPlane starts etcd, the API server, its controllers and the scheduler.
func (n *inside) controlPlane(ctx context.Context) error {
	if err := n.kube("etcd", "--data-dir", filepath.Join(n.Dir, "etcd"), "--unsafe-no-fsync", "--log-level", "warn",
		"--listen-client-urls", etcdURL, "--advertise-client-urls", etcdURL,
		"--listen-peer-urls", "http://127.0.0.1:2380"); err != nil {
		return err
	}
	if err := n.apiServer(); err != nil {
		return err
	}
	if err := n.waitFor(ctx, "API server", func(ctx context.Context, c kubernetes.Interface) error {
		return c.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	}); err != nil {
		return err
	}
	controllers := n.pki.File("controllers.kubeconfig")
	if err := n.kube("kube-controller-manager", "--leader-elect=false", "--bind-address=127.0.0.1",
		"--kubeconfig="+controllers, "--authentication-kubeconfig="+controllers, "--authorization-kubeconfig="+controllers,
		"--root-ca-file="+n.pki.File("ca.crt"), "--service-account-private-key-file="+n.pki.File("sa.key"),
		"--use-service-account-credentials=true",
		"--cluster-signing-cert-file="+n.pki.File("ca.crt"), "--cluster-signing-key-file="+n.pki.File("ca.key"),
		"--kube-api-qps=500", "--kube-api-burst=1000", // it makes a service account for each of its controllers first
		"--allocate-node-cidrs=true", "--cluster-cidr=10.244.0.0/16", "--node-cidr-mask-size=24"); err != nil {
		return err
	}
	scheduler := n.pki.File("scheduler.kubeconfig")
	return n.kube("kube-scheduler", "--leader-elect=false", "--bind-address=127.0.0.1",
		"--kubeconfig="+scheduler, "--authentication-kubeconfig="+scheduler, "--authorization-kubeconfig="+scheduler)
}

func (n *inside) apiServer() error {
	return n.kube("kube-apiserver", "--etcd-servers="+etcdURL,
		"--bind-address=0.0.0.0", "--secure-port=6443", "--advertise-address="+IP, "--service-cluster-ip-range=10.96.0.0/16",
		"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction", "--allow-privileged=true",
		"--client-ca-file="+n.pki.File("ca.crt"),
		"--tls-cert-file="+n.pki.File("apiserver.crt"), "--tls-private-key-file="+n.pki.File("apiserver.key"),
		"--kubelet-certificate-authority="+n.pki.File("ca.crt"), "--kubelet-preferred-address-types=InternalIP",
		"--kubelet-client-certificate="+n.pki.File("apiserver-kubelet-client.crt"),
		"--kubelet-client-key="+n.pki.File("apiserver-kubelet-client.key"),
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file="+n.pki.File("sa.pub"), "--service-account-signing-key-file="+n.pki.File("sa.key"),
		"--requestheader-client-ca-file="+n.pki.File("ca.crt"), "--requestheader-allowed-names=front-proxy",
		"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file="+n.pki.File("front.crt"), "--proxy-client-key-file="+n.pki.File("front.key"))
}

// waitFor waits until a check of the cluster passes.
func (n *inside) waitFor(ctx context.Context, what string, check func(context.Context, kubernetes.Interface) error) error {
	cfg, err := clientcmd.BuildConfigFromFlags("", n.pki.File(adminKubeconfig))
	if err != nil {
		return errors.Wrap(err, "cannot read the administrator's kubeconfig")
	}
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return errors.Wrap(err, "cannot make a client")
	}
	var last error
	if err := wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		last = check(ctx, client)
		return last == nil, nil
	}); err != nil {
		return errors.Wrapf(last, "%s did not become ready", what)
	}
	n.say(what + " is ready")
	return nil
}
