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
	"strings"

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
	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
)

// Manifest reads a HostCluster's manifest and puts the sandbox's repository into it. The rest stays as it is.
func (s *Sandbox) Manifest(file string) (*unstructured.Unstructured, error) {
	objects, err := s.manifests(file)
	if err != nil {
		return nil, err
	}
	return objects[len(objects)-1], nil
}

// manifests reads the objects of a file, of which the last is a HostCluster, and puts the sandbox's repository into it.
func (s *Sandbox) manifests(file string) ([]*unstructured.Unstructured, error) {
	content, err := os.ReadFile(file) //nolint:gosec // the caller's own
	if err != nil {
		return nil, errors.Wrap(err, "cannot read the HostCluster's manifest")
	}
	var out []*unstructured.Unstructured
	for document := range strings.SplitSeq(string(content), "\n---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), u); err != nil {
			return nil, errors.Wrap(err, "cannot parse the HostCluster's manifest")
		}
		out = append(out, u)
	}
	return out, errors.Wrap(fieldpath.Pave(out[len(out)-1].Object).SetString("spec.gitOpsRepoURL", s.Git.URL), "cannot set the repository")
}

// Connect creates a HostCluster from a manifest, with the Secrets that it names.
func (s *Sandbox) Connect(ctx context.Context, file string) (*v1alpha1.HostCluster, error) {
	u, err := s.Manifest(file)
	if err != nil {
		return nil, err
	}
	hc := &v1alpha1.HostCluster{}
	if err := strictly(u, hc); err != nil {
		return nil, err
	}
	return hc, s.create(ctx, hc,
		secret(hc.GetNamespace(), ptr.Deref(hc.Spec.ConnectKubeconfigSecretRef, ""), map[string][]byte{v1alpha1.KubeconfigKey: s.TargetKubeconfig}))
}

// Provision creates a ProviderConfig and a HostCluster from a manifest, with the Secrets that they name. The
// ProviderConfig is made to use the sandbox's cloud. change may do more to both.
func (s *Sandbox) Provision(ctx context.Context, file string, change func(*v1alpha1.ProviderConfig, *v1alpha1.HostCluster)) (*v1alpha1.HostCluster, error) {
	objects, err := s.manifests(file)
	if err != nil {
		return nil, err
	}
	pc, hc := &v1alpha1.ProviderConfig{}, &v1alpha1.HostCluster{}
	for i, into := range []client.Object{pc, hc} {
		if err := strictly(objects[i], into); err != nil {
			return nil, err
		}
	}
	pc.Spec.Modules = &v1alpha1.Modules{RepoURL: v1alpha1.GitURL(s.Cloud.ModulesURL), Ref: s.Cloud.ModulesRef}
	pc.Spec.State = &v1alpha1.StateSettings{S3Endpoint: &s.Cloud.URL}
	if change != nil {
		change(pc, hc)
	}
	key := pc.Spec.Credentials.SecretRef
	return hc, s.create(ctx, hc, pc, secret(hc.GetNamespace(), key.Name, map[string][]byte{key.Key: []byte(cloudtest.DefaultKey.File())}))
}

// create creates a HostCluster, before it what it needs, and before that its namespace if that is missing.
func (s *Sandbox) create(ctx context.Context, hc *v1alpha1.HostCluster, needs ...client.Object) error {
	c, namespace := s.Management.Client, hc.GetNamespace()
	err := c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
	if client.IgnoreAlreadyExists(err) != nil {
		return errors.Wrapf(err, "cannot create namespace %s", namespace)
	}
	needs = append(needs, secret(namespace, ptr.Deref(hc.Spec.GitCredentialsSecretRef, ""), s.Git.Credentials), hc)
	for _, o := range needs {
		if err := c.Create(ctx, o); err != nil {
			return errors.Wrapf(err, "cannot create %T %s", o, o.GetName())
		}
	}
	return nil
}

// strictly reads an object that may have no field that its kind has not.
func strictly(u *unstructured.Unstructured, into client.Object) error {
	err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(u.Object, into, true)
	return errors.Wrapf(err, "cannot use the manifest of %s %s", u.GetKind(), u.GetName())
}

func secret(namespace, name string, data map[string][]byte) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: data}
}
