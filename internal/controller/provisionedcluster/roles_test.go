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
	"testing"

	. "github.com/onsi/gomega"
	authorizationv1 "k8s.io/api/authorization/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestRoles: the two identities have the documents' rights and no more. That
// these suffice shows in every other test, which works with them.
func TestRoles(t *testing.T) {
	w := newWorld(t)
	provider := w.client(w.provider)
	cases := map[string]struct {
		as                                      client.Client
		group, resource, subresource, namespace string
		may, mayNot                             []string
	}{
		"ProviderJobs":       {provider, "batch", "jobs", "", w.jobs, []string{"get", "list", "watch", "create", "delete"}, []string{"update", "patch", "deletecollection"}},
		"ProviderPods":       {provider, "", "pods", "", w.jobs, []string{"get", "list", "watch"}, []string{"create", "delete"}},
		"ProviderLogs":       {provider, "", "pods", "log", w.jobs, []string{"get"}, []string{"create"}},
		"ProviderExec":       {provider, "", "pods", "exec", w.jobs, nil, []string{"get", "create"}},
		"ProviderSecrets":    {provider, "", "secrets", "", w.jobs, []string{"get", "list", "create", "update", "delete"}, []string{"watch", "patch"}},
		"ProviderConfigMaps": {provider, "", "configmaps", "", w.jobs, []string{"get", "list", "create", "update", "delete"}, []string{"watch", "patch"}},
		"ProviderElsewhere":  {provider, "", "secrets", "", "default", nil, []string{"get", "list", "create"}},
		"RunnerSecrets":      {w.runner, "", "secrets", "", w.jobs, []string{"create", "update"}, []string{"get", "list", "watch", "patch", "delete"}},
		"RunnerConfigMaps":   {w.runner, "", "configmaps", "", w.jobs, nil, []string{"get", "update"}},
		"RunnerJobs":         {w.runner, "batch", "jobs", "", w.jobs, nil, []string{"get", "create", "delete"}},
		"RunnerElsewhere":    {w.runner, "", "secrets", "", w.ns, nil, []string{"create", "update"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			allowed := func(verb string) bool {
				r := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
					ResourceAttributes: &authorizationv1.ResourceAttributes{
						Namespace: tc.namespace, Verb: verb, Group: tc.group, Resource: tc.resource, Subresource: tc.subresource,
					},
				}}
				w.Expect(tc.as.Create(t.Context(), r)).To(Succeed())
				return r.Status.Allowed
			}
			for _, verb := range tc.may {
				w.Eventually(func() bool { return allowed(verb) }).Should(BeTrue(), "%s %s", verb, tc.resource)
			}
			for _, verb := range tc.mayNot {
				w.Expect(allowed(verb)).To(BeFalse(), "%s %s", verb, tc.resource)
			}
		})
	}
}
