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

package provisions

import (
	"net/http"
	"slices"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/web/auth"
	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

// destroy a cluster. While it is being destroyed, the same request changes nothing.
func (a *API) destroy(w http.ResponseWriter, r *http.Request, who auth.Identity) error {
	pc, err := a.find(r, who, "delete", "")
	if err != nil {
		return err
	}
	if !meta.WasDeleted(pc) {
		if pc, err = a.delete(r, who, pc); err != nil {
			return err
		}
	}
	j := jobOf(pc, nil, a.Namespace)
	if !meta.WasDeleted(pc) {
		j.Status, j.Message = InDestroy, defaultMessage(InDestroy) // It had nothing that held it, and is gone.
	}
	return reply.JSON(w, http.StatusAccepted, j)
}

// delete a ProvisionedCluster that no HostCluster has, with its cluster.
func (a *API) delete(r *http.Request, who auth.Identity, pc *v1alpha1.ProvisionedCluster) (*v1alpha1.ProvisionedCluster, error) {
	if err := a.unused(r, pc); err != nil {
		return nil, err
	}
	pc, err := a.destroyable(r, who, pc)
	if err != nil {
		return nil, err
	}
	uid := pc.GetUID()
	err = a.Kube.Delete(r.Context(), pc, client.Preconditions{UID: &uid})
	if client.IgnoreNotFound(err) != nil {
		return nil, explain(err, "delete "+resource, pc.GetNamespace())
	}
	now, err := a.read(r.Context(), client.ObjectKeyFromObject(pc))
	if err != nil && reply.As(err).Status == http.StatusNotFound {
		return pc, nil
	}
	return now, err
}

// unused tells whether no HostCluster has the cluster.
func (a *API) unused(r *http.Request, pc *v1alpha1.ProvisionedCluster) error {
	name := pc.GetLabels()[v1alpha1.LabelHostCluster]
	if name == "" {
		return nil
	}
	hc := &v1alpha1.HostCluster{}
	err := a.Kube.Get(r.Context(), client.ObjectKey{Namespace: pc.GetNamespace(), Name: name}, hc)
	switch {
	case kerrors.IsNotFound(err):
		return nil // It was disconnected.
	case err != nil:
		return explain(err, "get hostclusters", pc.GetNamespace())
	case meta.WasDeleted(hc):
		return reply.Errorf(http.StatusConflict, InUse, "HostCluster %s, which has this cluster, is being deleted: ask again once it is gone", name)
	}
	return reply.Errorf(http.StatusConflict, InUse, "HostCluster %s has this cluster: set its deletionPolicy to Destroy and delete the HostCluster", name)
}

// destroyable makes the deletion of a ProvisionedCluster destroy its cluster.
// If it does not by itself, whoever asks has to have the right to change that.
func (a *API) destroyable(r *http.Request, who auth.Identity, pc *v1alpha1.ProvisionedCluster) (*v1alpha1.ProvisionedCluster, error) {
	ctx, key := r.Context(), client.ObjectKeyFromObject(pc)
	if destroys(pc.Spec.ManagementPolicies) {
		return pc, nil
	}
	if err := a.may(r, who, "update", "", key); err != nil {
		return nil, err
	}
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		now, err := a.read(ctx, key)
		if err != nil {
			return err
		}
		pc = now
		before := client.MergeFromWithOptions(pc.DeepCopy(), client.MergeFromWithOptimisticLock{})
		pc.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionAll}
		return a.Kube.Patch(ctx, pc, before, fieldOwner)
	})
	if reply.Is(err) {
		return nil, err
	}
	return pc, explain(err, "patch "+resource, key.Namespace)
}

// destroys tells whether management policies let a deletion destroy the cluster.
func destroys(p xpv2.ManagementPolicies) bool {
	return slices.Contains(p, xpv2.ManagementActionAll) || slices.Contains(p, xpv2.ManagementActionDelete)
}
