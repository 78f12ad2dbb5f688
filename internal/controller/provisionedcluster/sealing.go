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

package provisionedcluster

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/cloud"
)

// sealing makes the provider's sealing key as soon as a ProviderConfig wants
// sealed credentials: whoever seals them has to know whom for, before there is
// a cluster. It looks only when a ProviderConfig or its use changes.
type sealing struct {
	reconcile.Reconciler

	of        client.Object
	kube      client.Client
	live      client.Reader
	namespace string
}

// Reconcile a ProviderConfig.
func (s *sealing) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	if err := s.seal(ctx, req); err != nil {
		return reconcile.Result{}, err
	}
	return s.Reconciler.Reconcile(ctx, req)
}

func (s *sealing) seal(ctx context.Context, req reconcile.Request) error {
	pc, ok := s.of.DeepCopyObject().(client.Object)
	if !ok {
		return errors.Errorf("%T is no object", s.of)
	}
	if err := s.kube.Get(ctx, req.NamespacedName, pc); err != nil {
		return errors.Wrap(client.IgnoreNotFound(err), "cannot get ProviderConfig")
	}
	if sourceOf(pc) != v1alpha1.CredentialsSealed || !pc.GetDeletionTimestamp().IsZero() {
		return nil
	}
	_, err := cloud.EnsureSealing(ctx, s.live, s.kube, s.namespace)
	return errors.Wrap(err, "cannot make the sealing key")
}

// sourceOf a ProviderConfig's credentials, of either kind.
func sourceOf(pc client.Object) v1alpha1.CredentialsSource {
	switch pc := pc.(type) {
	case *v1alpha1.ProviderConfig:
		return pc.Spec.Credentials.Source
	case *v1alpha1.ClusterProviderConfig:
		return pc.Spec.Credentials.Source
	default:
		return ""
	}
}
