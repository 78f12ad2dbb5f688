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

package clusteraccess

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// source is a kubeconfig and where it comes from.
type source struct {
	secret   types.NamespacedName
	data     []byte
	warnings []string
}

// source reads the kubeconfig of a ClusterAccess. Once it is stored, its source
// may vanish: the stored one is used, with a warning.
func (w *workflow) source(ctx context.Context, ca *v1alpha1.ClusterAccess, stored *corev1.Secret) (source, error) {
	src, err := w.read(ctx, ca)
	if !fault.Is(err, fault.Waiting) || stored == nil || len(stored.Data[v1alpha1.KubeconfigKey]) == 0 {
		return src, err
	}
	return source{
		secret:   storedKey(ca),
		data:     stored.Data[v1alpha1.KubeconfigKey],
		warnings: []string{err.Error() + ": the stored kubeconfig is used"},
	}, nil
}

// read reads the kubeconfig from its source.
func (w *workflow) read(ctx context.Context, ca *v1alpha1.ClusterAccess) (source, error) {
	p := ca.Spec.ForProvider
	if p.KubeconfigSecretRef != nil {
		key := types.NamespacedName{Namespace: ca.GetNamespace(), Name: p.KubeconfigSecretRef.Name}
		return w.readSecret(ctx, ca, key, fmt.Sprintf("Secret %s with key %s is not there yet", key, v1alpha1.KubeconfigKey))
	}

	name := p.ProvisionedClusterRef.Name
	pc := &v1alpha1.ProvisionedCluster{}
	if err := w.kube.Get(ctx, types.NamespacedName{Namespace: ca.GetNamespace(), Name: name}, pc); err != nil {
		if kerrors.IsNotFound(err) {
			return source{}, fault.Newf(fault.Waiting, "ProvisionedCluster %s is not there yet", name)
		}
		return source{}, errors.Wrapf(err, "cannot get ProvisionedCluster %s", name)
	}
	ref := pc.GetWriteConnectionSecretToReference()
	if ref == nil {
		return source{}, fault.Newf(fault.Refused, "ProvisionedCluster %s publishes no kubeconfig: set its spec.writeConnectionSecretToRef", name)
	}
	key := types.NamespacedName{Namespace: ca.GetNamespace(), Name: ref.Name}
	return w.readSecret(ctx, ca, key, fmt.Sprintf("ProvisionedCluster %s has no kubeconfig yet", name))
}

// readSecret reads a kubeconfig from a Secret, and waits for it if it is not there.
func (w *workflow) readSecret(ctx context.Context, ca *v1alpha1.ClusterAccess, key types.NamespacedName, missing string) (source, error) {
	if key == storedKey(ca) {
		return source{}, fault.Newf(fault.Refused, "Secret %s is where the kubeconfig is stored: give the Secret that you supply another name", key)
	}
	s := &corev1.Secret{}
	if err := w.kube.Get(ctx, key, s); err != nil {
		if kerrors.IsNotFound(err) {
			return source{}, fault.New(fault.Waiting, missing)
		}
		return source{}, errors.Wrapf(err, "cannot get Secret %s", key)
	}
	data, ok := s.Data[v1alpha1.KubeconfigKey]
	switch {
	case !ok && ca.Spec.ForProvider.KubeconfigSecretRef != nil:
		return source{}, target.LacksKubeconfig(s)
	case !ok:
		return source{}, fault.New(fault.Waiting, missing) // Terraform may write other keys first.
	}
	return source{secret: key, data: data}, nil
}
