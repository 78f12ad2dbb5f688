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
	"bytes"
	"context"
	"encoding/base64"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// kubeconfig returns how to reach the cluster that was made: the outputs of a
// successful run.
func (r *runner) kubeconfig(ctx context.Context) (map[string][]byte, error) {
	if r.spec.Topology == v1alpha1.TopologyVanilla {
		r.pub.step("Waiting for the control plane to publish its kubeconfig")
		data, err := r.cloud.Kubeconfig(ctx, names.ParameterPrefix(r.spec.CloudName), r.Poll, r.PollFor)
		if err != nil {
			return nil, err
		}
		return describe(data)
	}
	outputs, err := r.tofu.outputs(ctx)
	if err != nil {
		return nil, errors.Wrap(err, "cannot read the outputs")
	}
	data, err := cloudKubeconfig(r.spec, outputs["endpoint"], outputs["cluster_ca"])
	if err != nil {
		return nil, err
	}
	return describe(data)
}

// describe returns a kubeconfig and what it says of the cluster. Its errors
// show nothing of it.
func describe(data []byte) (map[string][]byte, error) {
	cfg, err := clientcmd.Load(data)
	if err != nil {
		return nil, failf(run.ClassInvalid, "kubeconfig of the new cluster cannot be read")
	}
	c := &clientcmdapi.Cluster{}
	if x := cfg.Contexts[cfg.CurrentContext]; x != nil && cfg.Clusters[x.Cluster] != nil {
		c = cfg.Clusters[x.Cluster]
	}
	if c.Server == "" {
		return nil, failf(run.ClassInvalid, "kubeconfig of the new cluster has no current context with a server")
	}
	return map[string][]byte{
		run.KubeconfigKey: data,
		run.EndpointKey:   []byte(c.Server),
		run.ClusterCAKey:  c.CertificateAuthorityData,
	}, nil
}

// cloudKubeconfig builds the kubeconfig of an EKS or GKE cluster: with a
// token of the cloud for each use, without any credentials in it. The CA is
// PEM in base64, as both clouds give it.
func cloudKubeconfig(s run.Spec, endpoint, ca string) ([]byte, error) {
	if endpoint == "" || ca == "" {
		return nil, failf(run.ClassInvalid, "modules have no outputs endpoint and cluster_ca: see docs/modules.md")
	}
	pem := []byte(strings.TrimSpace(ca))
	if !bytes.HasPrefix(pem, []byte("-----BEGIN")) {
		var err error
		if pem, err = base64.StdEncoding.DecodeString(string(pem)); err != nil {
			return nil, failf(run.ClassInvalid, "output cluster_ca is neither PEM nor PEM in base64")
		}
	}
	if !strings.Contains(endpoint, "://") {
		endpoint = "https://" + endpoint // GKE gives an address.
	}
	return clientcmd.Write(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{s.CloudName: {Server: endpoint, CertificateAuthorityData: pem}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{s.CloudName: {Exec: helperStanza(s)}},
		Contexts:       map[string]*clientcmdapi.Context{s.CloudName: {Cluster: s.CloudName, AuthInfo: s.CloudName}},
		CurrentContext: s.CloudName,
	})
}

// helperStanza names the token helper, in the form that package kubeconfig takes.
func helperStanza(s run.Spec) *clientcmdapi.ExecConfig {
	e := &clientcmdapi.ExecConfig{
		APIVersion:      "client.authentication.k8s.io/v1",
		InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
	}
	if s.Topology == v1alpha1.TopologyGKE {
		e.Command = kubeconfig.GKETokenHelper
		if s.Project != "" {
			e.Args = []string{"--project", s.Project}
		}
		return e
	}
	e.Command = kubeconfig.EKSTokenHelper
	e.Args = []string{"--cluster-name", s.CloudName, "--region", s.Region}
	if s.RoleARN != "" {
		e.Args = append(e.Args, "--role-arn", s.RoleARN)
	}
	if s.ExternalID != "" {
		e.Args = append(e.Args, "--external-id", s.ExternalID)
	}
	return e
}
