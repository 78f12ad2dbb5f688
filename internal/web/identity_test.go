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
	"strings"

	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/web/auth"
)

// token of a ServiceAccount of the namespace, which is made if it is not there.
func (w *world) token(name string, audiences ...string) string {
	w.t.Helper()
	if t := w.tokens[name]; t != "" {
		return t
	}
	sa := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: name}}
	w.Expect(client.IgnoreAlreadyExists(w.kube.Create(w.t.Context(), sa))).To(Succeed())
	tr := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{Audiences: audiences}}
	w.Expect(w.kube.SubResource("token").Create(w.t.Context(), sa, tr)).To(Succeed())
	w.tokens[name] = tr.Status.Token
	return tr.Status.Token
}

// rule about our kinds.
func rule(resource string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{v1alpha1.Group}, Resources: []string{resource}, Verbs: verbs}
}

// secrets may be got.
var secrets = rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}}

// may lets a ServiceAccount do something, and returns its token.
func (w *world) may(name string, rules ...rbacv1.PolicyRule) string {
	w.t.Helper()
	w.cp.Grant(w.t.Context(), w.t, "system:serviceaccount:"+w.ns+":"+name, w.ns, rules...)
	for _, r := range rules {
		resource, subresource, _ := strings.Cut(r.Resources[0], "/")
		right := auth.Right{Verb: r.Verbs[0], Group: r.APIGroups[0], Resource: resource, Subresource: subresource, Namespace: w.ns}
		if len(r.ResourceNames) > 0 {
			right.Name = r.ResourceNames[0]
		}
		w.granted(name, right)
	}
	return w.token(name)
}

// granted waits until the API server knows of a right.
func (w *world) granted(name string, right auth.Right) {
	w.t.Helper()
	w.Eventually(func(g Gomega) {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: "system:serviceaccount:" + w.ns + ":" + name, ResourceAttributes: &right,
		}}
		g.Expect(w.kube.Create(w.t.Context(), review)).To(Succeed())
		g.Expect(review.Status.Allowed).To(BeTrue())
	}).Should(Succeed())
}

// everything may be done by whoever has this token.
func (w *world) everything() string {
	return w.may("everything", rule("provisionedclusters", "*"), rule("provisionedclusters/log", "get"), secrets)
}
