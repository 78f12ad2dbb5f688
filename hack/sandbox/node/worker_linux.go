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
	"embed"
	"os"
	"path/filepath"
	"slices"
	"text/template"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

//go:embed files
var files embed.FS

// write renders an embedded file.
func (n *inside) write(name, path string) error {
	tmpl, err := template.New(name).Option("missingkey=error").ParseFS(files, "files/"+name)
	if err != nil {
		return errors.Wrapf(err, "cannot parse %s", name)
	}
	f, err := os.Create(path) //nolint:gosec // a file of the node
	if err != nil {
		return errors.Wrapf(err, "cannot create %s", path)
	}
	defer f.Close()
	return errors.Wrapf(tmpl.Execute(f, map[string]string{
		"Pause": PauseImage, "CoreDNS": CoreDNSImage, "Cgroup": n.cgroup, "DNS": dnsIP, "Node": nodeName,
		"PKI": filepath.Join(n.Dir, pkiDir), "Resolv": filepath.Join(n.Dir, "pods-resolv.conf"),
	}), "cannot render %s", name)
}

// containerd starts containerd with the images that the node itself needs.
func (n *inside) containerd(ctx context.Context) error {
	config := filepath.Join(n.Dir, "containerd.toml")
	if err := n.write("containerd.toml", config); err != nil {
		return err
	}
	if err := n.write("10-bridge.conflist", "/etc/cni/net.d/10-bridge.conflist"); err != nil {
		return err
	}
	if err := makeCgroups(n.cgroup); err != nil {
		return err
	}
	if err := n.daemon("containerd", "--config", config); err != nil {
		return err
	}
	var last error
	if err := wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		last = run(ctx, "ctr", "version")
		return last == nil, nil
	}); err != nil {
		return errors.Wrap(last, "containerd did not become ready")
	}
	return n.importImages(ctx, n.System)
}

// importImages hands image tarballs to containerd.
func (n *inside) importImages(ctx context.Context, tarballs []string) error {
	for _, tarball := range tarballs {
		if err := run(ctx, "ctr", "--namespace", "k8s.io", "images", "import", tarball); err != nil {
			return err
		}
	}
	return nil
}

// kubelet starts the kubelet and kube-proxy, waits for the node, and gives it DNS.
func (n *inside) kubelet(ctx context.Context) error {
	// Nothing outside of the cluster is there to be resolved.
	if err := os.WriteFile(filepath.Join(n.Dir, "pods-resolv.conf"), nil, 0o600); err != nil {
		return errors.Wrap(err, "cannot write the pods' resolv.conf")
	}
	if err := n.configured("kubelet", "--kubeconfig="+n.pki.File("kubelet.kubeconfig"),
		"--hostname-override="+nodeName, "--node-ip="+IP); err != nil {
		return err
	}
	if err := n.configured("kube-proxy"); err != nil {
		return err
	}
	if err := n.waitFor(ctx, "node", nodeReady); err != nil {
		return err
	}
	if err := n.waitFor(ctx, "default service account", serviceAccountReady); err != nil {
		return err
	}
	manifest := filepath.Join(n.Dir, "coredns.yaml")
	if err := n.write("coredns.yaml", manifest); err != nil {
		return err
	}
	if err := run(ctx, filepath.Join(n.Binaries, "kubectl"), "--kubeconfig", n.pki.File(adminKubeconfig), "apply", "-f", manifest); err != nil {
		return err
	}
	return n.waitFor(ctx, "CoreDNS", dnsReady)
}

// configured starts a program that has a configuration file.
func (n *inside) configured(program string, args ...string) error {
	config := filepath.Join(n.Dir, program+".yaml")
	if err := n.write(program+".yaml", config); err != nil {
		return err
	}
	return n.kube(program, append(args, "--config="+config)...)
}

func nodeReady(ctx context.Context, c kubernetes.Interface) error {
	node, err := c.CoreV1().Nodes().Get(ctx, nodeName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	ready := slices.ContainsFunc(node.Status.Conditions, func(cond corev1.NodeCondition) bool {
		return cond.Type == corev1.NodeReady && cond.Status == corev1.ConditionTrue
	})
	if !ready {
		return errors.New("node is not Ready")
	}
	return nil
}

// serviceAccountReady checks for what every pod needs and the first may come too early for.
func serviceAccountReady(ctx context.Context, c kubernetes.Interface) error {
	if _, err := c.CoreV1().ServiceAccounts(corev1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{}); err != nil {
		return err
	}
	_, err := c.CoreV1().ConfigMaps(corev1.NamespaceDefault).Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
	return err
}

func dnsReady(ctx context.Context, c kubernetes.Interface) error {
	dns, err := c.AppsV1().Deployments(metav1.NamespaceSystem).Get(ctx, "coredns", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if dns.Status.ReadyReplicas == 0 {
		return errors.New("no pod of it is ready")
	}
	return nil
}
