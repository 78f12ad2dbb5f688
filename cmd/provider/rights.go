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
	"regexp"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/executor"
)

// deleted are the kinds that the provider deletes. Crossplane lets no provider delete its own kinds.
var deleted = []string{"clusteraccesses", "fluxbootstraps", "gitopsenvironments", "administrators", "provisionedclusters"}

// A right to do something with a resource in a namespace, or in all of them.
type right struct {
	group, resource, subresource, namespace string
	verbs                                   []string
	// why it is needed, and what adds it.
	why, command string
}

func (r right) String() string {
	name := r.resource
	if r.subresource != "" {
		name += "/" + r.subresource
	}
	where := "in namespace " + r.namespace
	if r.namespace == "" {
		where = "in all namespaces"
	}
	return strings.Join(r.verbs, ", ") + " " + name + " " + where
}

// rights that somebody has to grant besides those without which the provider does not start.
func (o *options) rights() []right {
	own, command, bundle := o.namespace, "kubectl apply -k cluster/install/provider", executor.Bundle
	if o.packaged() {
		own, command, bundle = "", executor.PackagedBundle, executor.PackagedBundle
	}
	var out []right
	for _, kind := range deleted {
		out = append(out, right{group: v1alpha1.Group, resource: kind, namespace: own, verbs: []string{"delete"}, why: "to disconnect and destroy clusters", command: command})
	}
	for _, r := range []right{
		{group: batchv1.GroupName, resource: "jobs", verbs: []string{"get", "list", "create", "delete"}},
		{resource: "pods", verbs: []string{"list"}},
		{resource: "pods", subresource: "log", verbs: []string{"get"}},
		{resource: "configmaps", verbs: []string{"get", "create", "update", "delete"}},
		{resource: "secrets", verbs: []string{"get", "create", "update", "delete"}},
	} {
		r.namespace, r.why, r.command = o.jobNamespace, "to provision clusters with Jobs", bundle
		out = append(out, r)
	}
	return out
}

// sayMissing logs each right that the provider has not, with the command that adds it. It goes on without them:
// whatever needs one says so, too, in its conditions.
func sayMissing(ctx context.Context, cfg *rest.Config, o options, log logging.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1 // Some thirty questions, once.
	c, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return errors.Wrap(err, "cannot make a client")
	}
	complete := true
	for _, r := range o.rights() {
		missing, err := lacking(ctx, c.AuthorizationV1().SelfSubjectAccessReviews(), r)
		if err != nil {
			return errors.Wrap(err, "cannot ask the API server for the provider's own rights")
		}
		if len(missing.verbs) > 0 {
			complete = false
			log.Info("Right is missing: may not "+missing.String()+", which is needed "+r.why, "command", r.command)
		}
	}
	if complete || !o.packaged() {
		return nil
	}
	return sayUnbundled(ctx, c.AuthenticationV1().SelfSubjectReviews(), o, log)
}

// bundled is the ServiceAccount that the role bundle is for, and the runtime config that has Crossplane use it.
const bundled = "provider-kubeopera"

// sayUnbundled logs how the role bundle comes to apply to a provider that runs under the name that Crossplane has for
// it by itself. That has the package's hash in it, which no bundle can know.
func sayUnbundled(ctx context.Context, c authenticationclient.SelfSubjectReviewInterface, o options, log logging.Logger) error {
	self, err := c.Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return errors.Wrap(err, "cannot ask the API server who the provider is")
	}
	account := strings.TrimPrefix(self.Status.UserInfo.Username, "system:serviceaccount:"+o.namespace+":")
	if account != bundled {
		log.Info("Role bundle is for ServiceAccount "+bundled+", and this is "+account+": give the Provider the bundle's runtime config", "command", bundleCommand(account))
	}
	return nil
}

// ofRevision is what Crossplane appends to the name of a Provider, for its revision and the ServiceAccount of that.
var ofRevision = regexp.MustCompile(`-[0-9a-f]{12}$`)

// bundleCommand has Crossplane run the Provider of a ServiceAccount under the one that the bundle is for.
func bundleCommand(account string) string {
	name := ofRevision.ReplaceAllString(account, "")
	if name == account {
		name = "NAME"
	}
	return "kubectl patch providers.pkg.crossplane.io " + name + ` --type=merge --patch='{"spec":{"runtimeConfigRef":{"name":"` + bundled + `"}}}'`
}

// lacking returns a right with the verbs alone that are not granted.
func lacking(ctx context.Context, c authorizationclient.SelfSubjectAccessReviewInterface, r right) (right, error) {
	missing := r
	missing.verbs = nil
	for _, verb := range r.verbs {
		got, err := c.Create(ctx, &authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: r.namespace, Verb: verb, Group: r.group, Resource: r.resource, Subresource: r.subresource,
			}},
		}, metav1.CreateOptions{})
		if err != nil {
			return missing, err
		}
		if !got.Status.Allowed {
			missing.verbs = append(missing.verbs, verb)
		}
	}
	return missing, nil
}
