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

package gitopsenvironment

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/seal"
)

// secrets that the tree brings, before they are sealed.
func (w *workflow) secrets(ctx context.Context, mg *v1alpha1.GitOpsEnvironment, in render.Input, sealing *corev1.Secret) ([]seal.Input, error) {
	out := []seal.Input{{
		Namespace: v1alpha1.PlatformNamespace,
		Name:      render.PlatformSecret,
		Type:      corev1.SecretTypeOpaque,
		Data:      map[string][]byte{"session-key": sealing.Data[keySession]},
	}}

	if in.Wants("monitoring") {
		out = append(out, seal.Input{
			Namespace: render.GrafanaNamespace,
			Name:      render.GrafanaSecret,
			Type:      corev1.SecretTypeOpaque,
			Data:      map[string][]byte{"username": []byte("admin"), "password": sealing.Data[keyGrafanaPassword]},
		})
	}

	ref := mg.Spec.ForProvider.RegistryPullSecretRef
	if ref == nil {
		return out, nil
	}

	sec, err := w.secret(ctx, mg.Namespace, ref.Name, "registry pull Secret")
	if err != nil {
		return nil, err
	}

	if sec.Type != corev1.SecretTypeDockerConfigJson || len(sec.Data[corev1.DockerConfigJsonKey]) == 0 {
		return nil, fault.Newf(fault.Refused, "registry pull Secret %s is not of type %s", ref.Name, corev1.SecretTypeDockerConfigJson)
	}

	return append(out, seal.Input{
		Namespace: v1alpha1.PlatformNamespace,
		Name:      render.PullSecret,
		Type:      corev1.SecretTypeDockerConfigJson,
		Data:      map[string][]byte{corev1.DockerConfigJsonKey: sec.Data[corev1.DockerConfigJsonKey]},
	}), nil
}

// secret reads a Secret that somebody is to provide. It may come later.
func (w *workflow) secret(ctx context.Context, namespace, name, what string) (*corev1.Secret, error) {
	sec := &corev1.Secret{}

	err := w.kube.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, sec)
	if kerrors.IsNotFound(err) {
		return nil, fault.Newf(fault.Waiting, "%s %s is not there yet", what, name)
	}

	return sec, errors.Wrapf(err, "cannot get %s %s", what, name)
}
