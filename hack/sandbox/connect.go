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

package sandbox

import (
	"context"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// Manifest reads a HostCluster's manifest and puts the sandbox's repository into it. The rest stays as it is.
func (s *Sandbox) Manifest(file string) (*unstructured.Unstructured, error) {
	content, err := os.ReadFile(file) //nolint:gosec // the caller's own
	if err != nil {
		return nil, errors.Wrap(err, "cannot read the HostCluster's manifest")
	}
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(content, u); err != nil {
		return nil, errors.Wrap(err, "cannot parse the HostCluster's manifest")
	}
	return u, errors.Wrap(fieldpath.Pave(u.Object).SetString("spec.gitOpsRepoURL", s.Git.URL), "cannot set the repository")
}

// Connect creates a HostCluster from a manifest, with the Secrets that it names.
func (s *Sandbox) Connect(ctx context.Context, file string) (*v1alpha1.HostCluster, error) {
	u, err := s.Manifest(file)
	if err != nil {
		return nil, err
	}
	hc := &v1alpha1.HostCluster{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(u.Object, hc, true); err != nil {
		return nil, errors.Wrap(err, "cannot use the HostCluster's manifest")
	}
	c, namespace := s.Management.Client, hc.GetNamespace()
	objects := []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		secret(namespace, ptr.Deref(hc.Spec.ConnectKubeconfigSecretRef, ""), map[string][]byte{v1alpha1.KubeconfigKey: s.TargetKubeconfig}),
		secret(namespace, ptr.Deref(hc.Spec.GitCredentialsSecretRef, ""), s.Git.Credentials),
		hc,
	}
	for _, o := range objects {
		if err := c.Create(ctx, o); err != nil {
			return nil, errors.Wrapf(err, "cannot create %T %s", o, o.GetName())
		}
	}
	return hc, nil
}

func secret(namespace, name string, data map[string][]byte) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: data}
}
