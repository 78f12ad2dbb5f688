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

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// users returns who needs the stored kubeconfig of a ClusterAccess.
func (w *workflow) users(ctx context.Context, ca *v1alpha1.ClusterAccess) ([]User, error) {
	secret := storedKey(ca).Name
	var users []User
	add := func(o client.Object, kind string, ref v1alpha1.SecretReference) {
		if ref.Name == secret {
			users = append(users, User{Kind: kind, Name: o.GetName(), Deleting: meta.WasDeleted(o)})
		}
	}

	fb := &v1alpha1.FluxBootstrapList{}
	if err := w.kube.List(ctx, fb, client.InNamespace(ca.GetNamespace())); err != nil {
		return nil, errors.Wrap(err, "cannot list FluxBootstraps")
	}
	for i := range fb.Items {
		add(&fb.Items[i], v1alpha1.FluxBootstrapKind, fb.Items[i].Spec.ForProvider.KubeconfigSecretRef)
	}

	ge := &v1alpha1.GitOpsEnvironmentList{}
	if err := w.kube.List(ctx, ge, client.InNamespace(ca.GetNamespace())); err != nil {
		return nil, errors.Wrap(err, "cannot list GitOpsEnvironments")
	}
	for i := range ge.Items {
		add(&ge.Items[i], v1alpha1.GitOpsEnvironmentKind, ge.Items[i].Spec.ForProvider.KubeconfigSecretRef)
	}

	ad := &v1alpha1.AdministratorList{}
	if err := w.kube.List(ctx, ad, client.InNamespace(ca.GetNamespace())); err != nil {
		return nil, errors.Wrap(err, "cannot list Administrators")
	}
	for i := range ad.Items {
		add(&ad.Items[i], v1alpha1.AdministratorKind, ad.Items[i].Spec.ForProvider.KubeconfigSecretRef)
	}
	return users, nil
}
