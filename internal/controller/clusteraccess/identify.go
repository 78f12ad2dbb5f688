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
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// identify makes sure that a cluster is the one that is meant, and that nobody
// else has it. A cluster whose UID we may not see has neither check.
func (w *workflow) identify(ctx context.Context, ca *v1alpha1.ClusterAccess, uid string) error {
	if uid == "" {
		return nil
	}
	if want := ca.Spec.ForProvider.ExpectedClusterUID; want != nil && *want != uid {
		return fault.Newf(fault.Refused, "kubeconfig leads to another cluster: its UID is %s, and expectedClusterUID is %s", uid, *want)
	}
	if pinned := ca.Status.AtProvider.ClusterUID; pinned != "" && pinned != uid {
		return fault.Newf(fault.Refused, "kubeconfig leads to another cluster than before: its UID is %s instead of %s", uid, pinned)
	}

	l := &v1alpha1.ClusterAccessList{}
	if err := w.kube.List(ctx, l, client.InNamespace(ca.GetNamespace())); err != nil {
		return errors.Wrap(err, "cannot list ClusterAccesses")
	}
	h := holder(ca, uid, l.Items)
	switch {
	case h == nil:
		return nil
	case meta.WasDeleted(h):
		return fault.Newf(fault.Waiting, "cluster is still connected as %q, which is being deleted", h.GetName())
	default:
		return fault.Newf(fault.Conflict, "cluster is connected already, as %q: delete that or this one", h.GetName())
	}
}

// holder returns who has a cluster already. The first to come into it has it,
// which is who has its UID in the status. Two that came at the same time both
// have it; then the older one keeps it, or of equally old ones the first by
// name. Nil if ca has it, or may have it.
func holder(ca *v1alpha1.ClusterAccess, uid string, all []v1alpha1.ClusterAccess) *v1alpha1.ClusterAccess {
	var h *v1alpha1.ClusterAccess
	if ca.Status.AtProvider.ClusterUID == uid {
		h = ca
	}
	for i := range all {
		other := &all[i]
		if other.GetName() == ca.GetName() || other.Status.AtProvider.ClusterUID != uid {
			continue
		}
		if h == nil || before(other, h) {
			h = other
		}
	}
	if h == ca {
		return nil
	}
	return h
}

func before(a, b *v1alpha1.ClusterAccess) bool {
	if at, bt := a.GetCreationTimestamp(), b.GetCreationTimestamp(); !at.Equal(&bt) {
		return at.Before(&bt)
	}
	return a.GetName() < b.GetName()
}
