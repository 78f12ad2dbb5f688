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
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// users returns the ClusterAccesses that lead into a cluster.
func (w *workflow) users(ctx context.Context, pc *v1alpha1.ProvisionedCluster) ([]User, error) {
	l := &v1alpha1.ClusterAccessList{}
	if err := w.kube.List(ctx, l, client.InNamespace(pc.GetNamespace())); err != nil {
		return nil, errors.Wrap(err, "cannot list ClusterAccesses")
	}
	var users []User
	for i := range l.Items {
		ca := &l.Items[i]
		if ref := ca.Spec.ForProvider.ProvisionedClusterRef; ref != nil && ref.Name == pc.GetName() {
			users = append(users, User{Name: ca.GetName(), Deleting: meta.WasDeleted(ca)})
		}
	}
	return users, nil
}

// blocked names those who need the cluster and are there to stay.
func blocked(users []User) error {
	var names []string
	for _, u := range users {
		if !u.Deleting {
			names = append(names, u.Name)
		}
	}
	slices.Sort(names)
	return fault.Newf(fault.Failing, "cluster is in use by ClusterAccess %s: delete it first", strings.Join(names, ", "))
}

// tracked tells whether the use of the ProviderConfig is recorded. A cluster
// that is deleted in the foreground is not asked for it: the garbage collector
// would delete the record again and again.
func (w *workflow) tracked(ctx context.Context, pc *v1alpha1.ProvisionedCluster) (bool, error) {
	if slices.Contains(pc.GetFinalizers(), metav1.FinalizerDeleteDependents) {
		return true, nil
	}
	u := &v1alpha1.ProviderConfigUsage{}
	err := w.kube.Get(ctx, types.NamespacedName{Namespace: pc.GetNamespace(), Name: string(pc.GetUID())}, u)
	if client.IgnoreNotFound(err) != nil {
		return false, errors.Wrap(err, "cannot get ProviderConfigUsage")
	}
	return err == nil && u.GetProviderConfigReference() == *pc.GetProviderConfigReference(), nil
}
