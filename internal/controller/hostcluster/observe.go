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

package hostcluster

import (
	"context"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/plan"
)

// observe the children of a HostCluster, whoever they belong to.
func observe(ctx context.Context, c client.Reader, key types.NamespacedName) (plan.Children, error) {
	var (
		seen plan.Children
		errs [5]error
	)

	seen.ProvisionedCluster, errs[0] = get(ctx, c, key, &v1alpha1.ProvisionedCluster{})
	seen.ClusterAccess, errs[1] = get(ctx, c, key, &v1alpha1.ClusterAccess{})
	seen.FluxBootstrap, errs[2] = get(ctx, c, key, &v1alpha1.FluxBootstrap{})
	seen.GitOpsEnvironment, errs[3] = get(ctx, c, key, &v1alpha1.GitOpsEnvironment{})
	seen.Administrator, errs[4] = get(ctx, c, key, &v1alpha1.Administrator{})

	return seen, errors.Join(errs[:]...)
}

// get an object; nil if it is not there.
func get[T client.Object](ctx context.Context, c client.Reader, key types.NamespacedName, o T) (T, error) {
	var none T

	err := c.Get(ctx, key, o)
	if kerrors.IsNotFound(err) {
		return none, nil
	}

	if err != nil {
		return none, errors.Wrapf(err, "cannot get %T", o)
	}

	return o, nil
}
