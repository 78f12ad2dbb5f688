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

package web

import (
	"net/http"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/web/auth"
	"github.com/kubeopera/provider-kubeopera/internal/web/provisions"
)

// TestRights holds the documented Roles against what is said of them: no
// Secret of the Jobs' namespace, where cloud keys are, and nothing that the
// API does not do.
func TestRights(t *testing.T) {
	w := newWorld(t)
	kinds := func(verb, resource, ns string) auth.Right {
		return auth.Right{Verb: verb, Group: v1alpha1.Group, Resource: resource, Namespace: ns}
	}
	for name, right := range map[string]auth.Right{
		"credentials of runs":  {Verb: "get", Resource: "secrets", Namespace: w.jobs},
		"all Secrets at once":  {Verb: "list", Resource: "secrets", Namespace: w.ns},
		"write Secrets":        {Verb: "create", Resource: "secrets", Namespace: w.ns},
		"start Jobs":           {Verb: "create", Group: "batch", Resource: "jobs", Namespace: w.jobs},
		"end pods":             {Verb: "delete", Resource: "pods", Namespace: w.jobs},
		"run in pods":          {Verb: "create", Resource: "pods", Subresource: "exec", Namespace: w.jobs},
		"change accounts":      kinds("update", "providerconfigs", w.ns),
		"change HostClusters":  kinds("patch", "hostclusters", w.ns),
		"delete HostClusters":  kinds("delete", "hostclusters", w.ns),
		"say how clusters are": {Verb: "patch", Group: v1alpha1.Group, Resource: "provisionedclusters", Subresource: "status", Namespace: w.ns},
		"other namespaces":     kinds("get", "provisionedclusters", "default"),
		"act as others":        {Verb: "impersonate", Resource: "users"},
	} {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: "system:serviceaccount:" + w.ns + ":kubeopera-api", ResourceAttributes: &right,
		}}
		w.Expect(w.kube.Create(t.Context(), review)).To(Succeed())
		if review.Status.Allowed {
			t.Errorf("kubeopera-api may %s", name)
		}
	}
}

// TestWithoutSecrets leaves out the Role for Secrets: all works but for kubeconfigs.
func TestWithoutSecrets(t *testing.T) {
	w := newWorld(t)
	token := w.everything()
	w.config("no-secret")
	w.publish(w.provisioned("there", succeeded))
	binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: "kubeopera-api-kubeconfigs"}}
	w.Expect(w.kube.Delete(t.Context(), binding)).To(Succeed())
	w.Eventually(func() int {
		return w.request(token, http.MethodGet, provisions.Path+"/there/kubeconfig", "").status
	}).Should(Equal(http.StatusServiceUnavailable))
	a := w.request(token, http.MethodPost, provisions.Path, strings.Replace(spec, "acme", "no-secret", 1))
	w.Expect(a.status).To(Equal(http.StatusAccepted), a.body)
}
