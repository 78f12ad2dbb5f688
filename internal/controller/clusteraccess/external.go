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

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// A Connector leads into the cluster of a kubeconfig that is not stored yet.
type Connector interface {
	ConnectTo(ctx context.Context, k *kubeconfig.Kubeconfig, from types.NamespacedName) (*target.Cluster, error)
}

var _ external.Workflow[*v1alpha1.ClusterAccess, State] = &workflow{}

// workflow is the work behind a ClusterAccess.
type workflow struct {
	// kube is the management cluster, read through a cache.
	kube client.Client
	// live reads the management cluster without a cache: what we have just
	// stored has to be seen.
	live client.Reader
	// targets lead into the clusters of kubeconfigs.
	targets Connector
	// local is the cluster that the provider runs on.
	local *target.Cluster
	clock clock.PassiveClock
}

// Collect what is there. While a ClusterAccess is being deleted neither its
// source nor the cluster is looked at, so both may be gone.
func (w *workflow) Collect(ctx context.Context, ca *v1alpha1.ClusterAccess) (State, error) {
	s := State{ID: ca.GetName(), Hold: holds(ca)}
	stored, err := w.stored(ctx, ca)
	if err != nil {
		return s, err
	}
	s.Stored = stored

	if meta.WasDeleted(ca) {
		if s.Users, err = w.users(ctx, ca); err != nil {
			return s, err
		}
		s.Remade, err = w.remade(ctx, ca)
		return s, err
	}
	if stored != nil && !ours(stored, s.ID) {
		return s, fault.Newf(fault.Conflict, "Secret %s belongs to somebody else: delete or rename it, the kubeconfig is to be stored there", client.ObjectKeyFromObject(stored))
	}
	if ca.Spec.ForProvider.InCluster != nil {
		return w.collectInCluster(ctx, ca, s)
	}
	return w.collectSource(ctx, ca, s)
}

// collectSource validates a kubeconfig from elsewhere.
func (w *workflow) collectSource(ctx context.Context, ca *v1alpha1.ClusterAccess, s State) (State, error) {
	src, err := w.source(ctx, ca, s.Stored)
	if err != nil {
		return s, err
	}
	k, err := kubeconfig.Parse(src.data)
	if err != nil {
		return s, fault.As(err, fault.Refused)
	}
	c, err := w.targets.ConnectTo(ctx, k, src.secret)
	if err != nil {
		return s, w.explain(err, k, src)
	}
	seen, err := look(ctx, c, needsAdmin)
	if err != nil {
		return s, w.explain(err, k, src)
	}
	seen.Server = k.Server.String()
	seen.Warnings = append(append(src.warnings, k.Warnings(w.clock.Now())...), seen.Warnings...)
	if k.Expires != nil {
		seen.ExpiresAt = &k.Expires.At
	}
	if s.Stored != nil && !s.Stored.DeletionTimestamp.IsZero() {
		seen.Warnings = append(seen.Warnings, "Secret "+s.Stored.GetName()+" is marked for deletion: it stays as long as it is used")
	}
	if err := w.identify(ctx, ca, seen.UID); err != nil {
		return s, err
	}
	s.Seen = seen
	s.Kubeconfig = src.data
	return s, nil
}

// stored reads the Secret with the stored kubeconfig. It is nil if there is none.
func (w *workflow) stored(ctx context.Context, ca *v1alpha1.ClusterAccess) (*corev1.Secret, error) {
	s := &corev1.Secret{}
	if err := w.live.Get(ctx, storedKey(ca), s); err != nil {
		if kerrors.IsNotFound(err) {
			return nil, nil //nolint:nilnil // None is no error.
		}
		return nil, errors.Wrapf(err, "cannot get Secret %s", storedKey(ca))
	}
	return s, nil
}

func storedKey(ca *v1alpha1.ClusterAccess) types.NamespacedName {
	return types.NamespacedName{Namespace: ca.GetNamespace(), Name: v1alpha1.KubeconfigSecretName(ca.GetName())}
}

// Next step towards a stored, up-to-date kubeconfig.
func (w *workflow) Next(s State) external.Step { return next(s) }

// NextDelete is the next step towards nothing of ours being left.
func (w *workflow) NextDelete(s State) external.Step { return nextDelete(s) }
