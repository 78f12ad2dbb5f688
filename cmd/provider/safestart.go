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

package main

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// maySeeCRDs tells whether the provider may watch CustomResourceDefinitions. Crossplane grants that to a package that
// can start safely, whose CRDs it makes as they are activated; the Role of plain manifests does not, and there all CRDs
// are installed before.
func maySeeCRDs(ctx context.Context, cfg *rest.Config) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	c, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return false, errors.Wrap(err, "cannot make a client")
	}
	for _, verb := range []string{"list", "watch"} {
		r, err := c.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
				Group: apiextensionsv1.GroupName, Resource: "customresourcedefinitions", Verb: verb,
			}},
		}, metav1.CreateOptions{})
		if err != nil || !r.Status.Allowed {
			return false, errors.Wrap(err, "cannot ask the API server for the provider's own rights")
		}
	}
	return true, nil
}
