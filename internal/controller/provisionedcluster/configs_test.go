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

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// TestMapper: a changed Secret wakes those whose account it belongs to, and
// nobody else.
func TestMapper(t *testing.T) {
	user := func(namespace, name, kind, config string) *v1alpha1.ProvisionedCluster {
		pc := &v1alpha1.ProvisionedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
		pc.SetProviderConfigReference(&xpv2.ProviderConfigReference{Kind: kind, Name: config})
		return pc
	}
	account := func(ref v1alpha1.SecretKeySelector) v1alpha1.ProviderConfigSpec {
		return v1alpha1.ProviderConfigSpec{Credentials: v1alpha1.Credentials{SecretRef: &ref}}
	}
	kube := fake.NewClientBuilder().WithScheme(target.NewScheme()).WithObjects(
		user("a", "own", v1alpha1.ProviderConfigKind, "acme"),
		user("a", "shared", v1alpha1.ClusterProviderConfigKind, "acme"),
		user("a", "other", v1alpha1.ProviderConfigKind, "other"),
		user("b", "shared", v1alpha1.ClusterProviderConfigKind, "acme"),
		user("b", "own", v1alpha1.ProviderConfigKind, "acme"),
		&v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "acme"}, Spec: account(v1alpha1.SecretKeySelector{Name: "keys"})},
		&v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "other"}, Spec: account(v1alpha1.SecretKeySelector{Name: "others"})},
		&v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "acme"}, Spec: account(v1alpha1.SecretKeySelector{Namespace: "b", Name: "keys"})},
	).Build()

	cases := map[string]struct {
		reason      string
		secret      types.NamespacedName
		clusterWide bool
		want        []string
	}{
		"Own":      {"A ProviderConfig serves its own namespace.", types.NamespacedName{Namespace: "a", Name: "keys"}, true, []string{"a/own"}},
		"Shared":   {"A ClusterProviderConfig serves all.", types.NamespacedName{Namespace: "b", Name: "keys"}, true, []string{"a/shared", "b/shared"}},
		"Unshared": {"Where they are not used, they are not even listed.", types.NamespacedName{Namespace: "b", Name: "keys"}, false, nil},
		"Nobody":   {"Most Secrets are no credentials.", types.NamespacedName{Namespace: "a", Name: "kubeconfig"}, true, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := mapper{kube: kube, clusterWide: tc.clusterWide}
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: tc.secret.Namespace, Name: tc.secret.Name}}
			if diff := cmp.Diff(tc.want, keysOf(m.ofSecret(t.Context(), secret))); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func keysOf(reqs []reconcile.Request) []string {
	var out []string
	for _, r := range reqs {
		out = append(out, r.String())
	}
	return out
}
