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
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// lines is a logger that keeps what it is told.
type lines struct {
	logging.Logger

	all []string
}

func (l *lines) Info(msg string, kv ...any) {
	words := []string{msg}
	for _, v := range kv {
		if s, ok := v.(string); ok && s != "command" {
			words = append(words, s)
		}
	}
	l.all = append(l.all, strings.Join(words, ": "))
}

// TestSayMissing fails if the provider does not say which rights it lacks, or says so of the Roles that are documented.
func TestSayMissing(t *testing.T) {
	cp := kt.Shared(t)
	ns, jobs := cp.Namespace(t), cp.Namespace(t)
	plain := with(func(o *options) { o.namespace, o.jobNamespace = ns, jobs })
	packaged := with(func(o *options) { o.namespace, o.jobNamespace, o.allNamespaces = ns, jobs, true })
	secrets := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get", "create", "update", "delete"}}

	cases := map[string]struct {
		reason string
		grant  map[string][]rbacv1.PolicyRule
		o      options
		want   []string
	}{
		"Documented": {
			reason: "The documented Roles are all that is needed.",
			grant:  map[string][]rbacv1.PolicyRule{ns: roles(t, "provider/rbac.yaml", "host-cluster-controller"), jobs: roles(t, "provisioning/provisioner.yaml", "cluster-provisioner")},
			o:      plain,
		},
		"NoJobs": {
			reason: "Without the bundle there are no Jobs.",
			grant:  map[string][]rbacv1.PolicyRule{ns: roles(t, "provider/rbac.yaml", "host-cluster-controller"), jobs: {secrets}},
			o:      plain,
			want: []string{
				"Right is missing: may not get, list, create, delete jobs in namespace " + jobs + ", which is needed to provision clusters with Jobs: kubectl apply -k cluster/install/provisioning",
				"Right is missing: may not list pods in namespace " + jobs + ", which is needed to provision clusters with Jobs: kubectl apply -k cluster/install/provisioning",
				"Right is missing: may not get pods/log in namespace " + jobs + ", which is needed to provision clusters with Jobs: kubectl apply -k cluster/install/provisioning",
				"Right is missing: may not get, create, update, delete configmaps in namespace " + jobs + ", which is needed to provision clusters with Jobs: kubectl apply -k cluster/install/provisioning",
			},
		},
		"Crossplane": {
			reason: "Crossplane lets no provider delete its own kinds.",
			grant:  map[string][]rbacv1.PolicyRule{jobs: roles(t, "provisioning/provisioner.yaml", "cluster-provisioner")},
			o:      packaged,
			want: []string{
				"Right is missing: may not delete clusteraccesses in all namespaces, which is needed to disconnect and destroy clusters: kubectl apply -k cluster/install/crossplane",
				"Right is missing: may not delete fluxbootstraps in all namespaces, which is needed to disconnect and destroy clusters: kubectl apply -k cluster/install/crossplane",
				"Right is missing: may not delete gitopsenvironments in all namespaces, which is needed to disconnect and destroy clusters: kubectl apply -k cluster/install/crossplane",
				"Right is missing: may not delete administrators in all namespaces, which is needed to disconnect and destroy clusters: kubectl apply -k cluster/install/crossplane",
				"Right is missing: may not delete provisionedclusters in all namespaces, which is needed to disconnect and destroy clusters: kubectl apply -k cluster/install/crossplane",
				"Role bundle is for ServiceAccount provider-kubeopera, and this is crossplane-of-" + ns + ": give the Provider the bundle's runtime config: " + bundleCommand("crossplane-of-"+ns),
			},
		},
		"CrossplaneBundle": {
			reason: "Its bundle adds that.",
			grant: map[string][]rbacv1.PolicyRule{
				"": roles(t, "crossplane/rbac.yaml", "provider-kubeopera"), jobs: roles(t, "provisioning/provisioner.yaml", "cluster-provisioner"),
			},
			o: packaged,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			user := strings.ToLower(name) + "-of-" + ns
			for namespace, rules := range tc.grant {
				cp.Grant(t.Context(), t, user, namespace, rules...)
			}
			cfg, err := cp.UserConfig(kt.User{Name: user})
			if err != nil {
				t.Fatal(err)
			}
			log := &lines{Logger: logging.NewNopLogger()}
			if err := sayMissing(t.Context(), cfg, tc.o, log); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, log.all); diff != "" {
				t.Errorf("%s\nsayMissing(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestBundleCommand(t *testing.T) {
	const patch = ` --type=merge --patch='{"spec":{"runtimeConfigRef":{"name":"provider-kubeopera"}}}'`
	cases := map[string]struct {
		reason  string
		account string
		want    string
	}{
		"Crossplane": {"Crossplane calls a ServiceAccount after the Provider and its package's digest.", "kubeopera-provider-kubeopera-0123456789ab", "kubeopera-provider-kubeopera"},
		"Other":      {"A name that somebody else gave tells nothing about the Provider's.", "provider-of-acme", "NAME"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want := "kubectl patch providers.pkg.crossplane.io " + tc.want + patch
			if diff := cmp.Diff(want, bundleCommand(tc.account)); diff != "" {
				t.Errorf("%s\nbundleCommand(%s): -want, +got:\n%s", tc.reason, tc.account, diff)
			}
		})
	}
}

// roles are the rules of a Role or ClusterRole of cluster/install.
func roles(t *testing.T, file, name string) []rbacv1.PolicyRule {
	t.Helper()
	root, err := kt.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "cluster", "install", file))
	if err != nil {
		t.Fatal(err)
	}
	for doc := range strings.SplitSeq(string(data), "\n---\n") {
		r := &rbacv1.ClusterRole{}
		if err := yaml.Unmarshal([]byte(doc), r); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(r.Kind, "Role") && r.GetName() == name {
			return r.Rules
		}
	}
	t.Fatalf("%s has no Role %s", file, name)
	return nil
}
