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

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/testing/pki"
)

// identities are everybody who needs a certificate.
func identities() []pki.Identity {
	masters, nodes := []string{"system:masters"}, []string{"system:nodes"}
	return []pki.Identity{
		{File: "apiserver", Name: "kube-apiserver", Hosts: []string{
			"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
			"127.0.0.1", "10.96.0.1", IP,
		}},
		{File: "kubelet-server", Name: "system:node:" + nodeName, Groups: nodes, Hosts: []string{nodeName, "127.0.0.1", IP}},
		{File: "apiserver-kubelet-client", Name: "apiserver-kubelet-client", Groups: masters},
		{File: "front", Name: "front-proxy"},
		{File: "admin", Name: "admin", Groups: masters},
		{File: "controllers", Name: "system:kube-controller-manager"},
		{File: "scheduler", Name: "system:kube-scheduler"},
		{File: "kubelet", Name: "system:node:" + nodeName, Groups: nodes},
		{File: "proxy", Name: "system:kube-proxy"},
	}
}

// certificates makes a certificate for everybody, and kubeconfigs for the clients.
func (n *inside) certificates(context.Context) error {
	var err error
	if n.pki, err = pki.New(filepath.Join(n.Dir, pkiDir)); err != nil {
		return err
	}
	for _, id := range identities() {
		if err := n.pki.Issue(id); err != nil {
			return err
		}
		if id.Hosts == nil {
			if err := n.writeKubeconfig(id.File); err != nil {
				return err
			}
		}
	}
	return n.pki.KeyPair("sa")
}

// writeKubeconfig writes a kubeconfig for a client, with all it needs inline.
func (n *inside) writeKubeconfig(client string) error {
	data := map[string][]byte{}
	for _, name := range []string{"ca.crt", client + ".crt", client + ".key"} {
		content, err := n.pki.Read(name)
		if err != nil {
			return err
		}
		data[name] = content
	}
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters["sandbox"] = &clientcmdapi.Cluster{Server: "https://" + IP + ":6443", CertificateAuthorityData: data["ca.crt"]}
	cfg.AuthInfos[client] = &clientcmdapi.AuthInfo{ClientCertificateData: data[client+".crt"], ClientKeyData: data[client+".key"]}
	cfg.Contexts["sandbox"] = &clientcmdapi.Context{Cluster: "sandbox", AuthInfo: client}
	cfg.CurrentContext = "sandbox"
	return errors.Wrap(clientcmd.WriteToFile(*cfg, n.pki.File(client+".kubeconfig")), "cannot write a kubeconfig")
}
