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
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

const (
	// grantPatience bounds the wait for Crossplane's grant. Crossplane binds a provider's role once it sees the
	// Deployment, and the first pod may be faster.
	grantPatience = 10 * time.Second
	grantInterval = 250 * time.Millisecond
)

// maySeeCRDs tells whether the provider may watch CustomResourceDefinitions. Crossplane grants that to a package that
// can start safely, whose CRDs it makes as they are activated; the Role of plain manifests does not, and there all CRDs
// are installed before.
func maySeeCRDs(ctx context.Context, cfg *rest.Config, packaged bool) (bool, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1 // A few questions, each once in a while.
	c, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return false, errors.Wrap(err, "cannot make a client")
	}
	patience := time.Duration(0)
	if packaged {
		patience = grantPatience
	}
	return seesCRDs(ctx, c.AuthorizationV1().SelfSubjectAccessReviews(), patience)
}

// seesCRDs asks until the right is there or the patience is at an end, once at least.
func seesCRDs(ctx context.Context, c authorizationclient.SelfSubjectAccessReviewInterface, patience time.Duration) (bool, error) {
	see := right{group: apiextensionsv1.GroupName, resource: "customresourcedefinitions", verbs: []string{"list", "watch"}}
	granted := false
	var failed error
	ask := func(context.Context) (bool, error) { // The patience bounds the wait, not the answer.
		ctx, cancel := context.WithTimeout(ctx, lookTimeout)
		defer cancel()
		missing, err := lacking(ctx, c, see)
		granted, failed = err == nil && len(missing.verbs) == 0, err
		return granted || failed != nil, nil
	}
	err := wait.PollUntilContextTimeout(ctx, grantInterval, patience, true, ask)
	if failed == nil && !wait.Interrupted(err) {
		failed = err
	}
	return granted, errors.Wrap(failed, "cannot ask the API server for the provider's own rights")
}
