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

package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

const (
	// account is what the composition of cluster/configuration expects in the platform's namespace, without its Secret.
	account = `
apiVersion: v1
kind: Namespace
metadata:
  name: kubeopera-system
---
apiVersion: kubeopera.io/v1alpha1
kind: ProviderConfig
metadata:
  name: platform-aws
  namespace: kubeopera-system
spec:
  type: AWSAccessKey
  credentials:
    source: Secret
    secretRef:
      name: platform-aws
      key: credentials
`
	// pending has no kubeconfig yet.
	pending = `
apiVersion: kubeopera.io/v1alpha1
kind: HostCluster
metadata:
  name: pending
  namespace: kubeopera-system
spec:
  mode: connect_existing
  connectKubeconfigSecretRef: pending
  gitOpsRepoURL: https://github.com/acme/gitops-iac.git
  gitOpsPath: clusters/pending
  gitCredentialsSecretRef: pending
  domain: pending.acme.com
`
	// shared is a cluster of a team's namespace with an account of the platform's. Its Job never gets an image, and it
	// is let go without one.
	shared = `
apiVersion: kubeopera.io/v1alpha1
kind: ClusterProviderConfig
metadata:
  name: shared
spec:
  type: AWSAccessKey
  credentials:
    source: None
  execution:
    image: ` + registry + `/kubeopera/terraform-runner:none
---
apiVersion: v1
kind: Namespace
metadata:
  name: team
---
apiVersion: kubeopera.io/v1alpha1
kind: ProvisionedCluster
metadata:
  name: shared
  namespace: team
spec:
  managementPolicies: [Observe, Create, Update, LateInitialize]
  providerConfigRef:
    kind: ClusterProviderConfig
    name: shared
  forProvider:
    topology: eks
    provider: aws
    region: eu-north-1
    nodeCount: 2
    instanceType: m7i.large
    kubernetesVersion: "1.36"
`
)

// connecting is a composition of the same API that connects the sandbox's target, with the Secrets that it names.
func (w *world) connecting() string {
	GinkgoHelper()
	input := map[string]any{
		"apiVersion": "function.kubeopera.io/v1beta1", "kind": "Input",
		"hostCluster": map[string]any{
			"base": map[string]any{"spec": map[string]any{
				"mode": v1alpha1.ModeConnectExisting, "provider": "aws", "profile": v1alpha1.ProfileMinimal,
				"connectKubeconfigSecretRef": "payments-kubeconfig",
				"gitOpsRepoURL":              w.sandbox.Git.URL, "gitCredentialsSecretRef": "gitops-iac-credentials", "adminUsername": "owner",
			}},
			"patches": []map[string]any{
				{"fromFieldPath": "spec.region", "required": true},
				{"fromFieldPath": "spec.owner", "toFieldPath": "spec.adminEmail", "required": true},
				{"fromFieldPath": "metadata.name", "toFieldPath": "spec.gitOpsPath", "format": "clusters/%s"},
				{"fromFieldPath": "metadata.name", "toFieldPath": "spec.domain", "format": "%s.clusters.acme.com"},
			},
			"statusPatches": []map[string]any{
				{"fromFieldPath": "status.phase"},
				{"fromFieldPath": "status.message"},
				{"fromFieldPath": "status.kubernetesVersion"},
				{"fromFieldPath": "status.kubeconfigSecret"},
				{"fromFieldPath": "status.nodes.total", "toFieldPath": "status.nodes"},
				{"fromFieldPath": "status.adminPasswordSecretRef", "toFieldPath": "status.adminPasswordSecret"},
			},
		},
	}
	var out []byte
	for _, o := range []any{
		map[string]any{
			"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition", "metadata": map[string]any{"name": "teamclusters-connect"},
			"spec": map[string]any{
				"compositeTypeRef": map[string]any{"apiVersion": teamCluster.GroupVersion().String(), "kind": teamCluster.Kind}, "mode": "Pipeline",
				"pipeline": []map[string]any{{"step": "cluster", "functionRef": map[string]any{"name": "kubeopera-function-kubeopera"}, "input": input}},
			},
		},
		w.secret("payments-kubeconfig", map[string][]byte{v1alpha1.KubeconfigKey: w.sandbox.TargetKubeconfig}),
		w.secret("gitops-iac-credentials", w.sandbox.Git.Credentials),
	} {
		doc, err := json.Marshal(o)
		Expect(err).NotTo(HaveOccurred())
		out = append(append(out, doc...), "\n---\n"...)
	}
	return string(out)
}

func (w *world) secret(name string, data map[string][]byte) map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": name, "namespace": w.hc.GetNamespace()}, "data": data,
	}
}

// teamCluster is the kind that cluster/configuration defines.
var teamCluster = schema.GroupVersionKind{Group: "platform.example.org", Version: "v1alpha1", Kind: "TeamCluster"}

// order creates the example of a TeamCluster, made by a composition or by the default one.
func (w *world) order(ctx context.Context, composition string) {
	GinkgoHelper()
	content, err := os.ReadFile(filepath.Join(root, "examples", "render", "team-cluster-eks", "xr.yaml"))
	Expect(err).NotTo(HaveOccurred())
	xr := &unstructured.Unstructured{}
	Expect(yaml.Unmarshal(content, &xr.Object)).To(Succeed())
	Expect(xr.GetNamespace()).To(Equal(w.hc.GetNamespace()))
	Expect(xr.GetName()).To(Equal(w.hc.GetName()))
	if composition != "" {
		Expect(fieldpath.Pave(xr.Object).SetString("spec.crossplane.compositionRef.name", composition)).To(Succeed())
	}
	Expect(w.management.Create(ctx, xr)).To(Succeed())
}

// An order is what a TeamCluster says of itself.
type order struct {
	Conditions          []xpv2.Condition `json:"conditions"`
	Phase               string           `json:"phase"`
	Message             string           `json:"message"`
	KubernetesVersion   string           `json:"kubernetesVersion"`
	KubeconfigSecret    string           `json:"kubeconfigSecret"`
	AdminPasswordSecret string           `json:"adminPasswordSecret"`
}

// ordered is the status of the TeamCluster.
func (w *world) ordered(ctx context.Context) (order, error) {
	xr, o := &unstructured.Unstructured{}, order{}
	xr.SetGroupVersionKind(teamCluster)
	if err := w.management.Get(ctx, client.ObjectKeyFromObject(w.hc), xr); err != nil {
		return o, err
	}
	err := fieldpath.Pave(xr.Object).GetValueInto("status", &o)
	if fieldpath.IsNotFound(err) {
		return o, nil
	}
	return o, err
}

// awaitGone waits until the HostCluster is gone.
func (w *world) awaitGone(ctx context.Context) {
	GinkgoHelper()
	Eventually(ctx, func(ctx context.Context) bool {
		return kerrors.IsNotFound(w.management.Get(ctx, client.ObjectKeyFromObject(w.hc), &v1alpha1.HostCluster{}))
	}, readyTimeout, "200ms").Should(BeTrue())
}
