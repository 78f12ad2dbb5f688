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

package clusteraccess

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func TestInCluster(t *testing.T) {
	inCluster := func(store bool) func(*v1alpha1.ClusterAccess) {
		return func(ca *v1alpha1.ClusterAccess) {
			ca.Spec.ForProvider.KubeconfigSecretRef = nil
			ca.Spec.ForProvider.InCluster = &v1alpha1.InClusterSource{StoreKubeconfig: store}
		}
	}

	t.Run("Powerless", func(t *testing.T) {
		wd := newWorld(t)
		wd.through(wd.kube, wd.serviceAccount("provider", false))
		wd.access("a", inCluster(false))
		wd.reconcile("a", 2)
		wd.wantReady("a", corev1.ConditionTrue, "Available", "")
		got := wd.get("a").Status.AtProvider
		want := []v1alpha1.Warning{
			"the cluster's UID is not known: the right to get the namespace kube-system is missing",
			"nodes are not known: the right to list nodes is missing",
		}
		if diff := cmp.Diff(want, got.Warnings); diff != "" {
			t.Errorf("warnings: -want, +got:\n%s", diff)
		}
		if got.Provider != "unknown" || got.Region != "unknown" || got.Nodes != nil || got.ClusterAdmin || wd.stored("a") != nil {
			t.Errorf("atProvider: %+v", got)
		}
		kt.Unchanged(t, wd.kube, 3, func() error { wd.reconcile("a", 1); return nil }, everything, client.InNamespace(wd.ns))
		wd.delete(&v1alpha1.ClusterAccess{}, "a")
		wd.reconcile("a", 2)
		wd.gone("a")
	})

	t.Run("Discovery", func(t *testing.T) {
		wd := newWorld(t)
		wd.through(wd.kube, wd.serviceAccount("provider", false))
		wd.cp.Grant(t.Context(), t, "system:serviceaccount:"+wd.ns+":provider", "", discovery(t)...)
		wd.access("a", inCluster(false))
		wd.reconcile("a", 2)
		wd.wantReady("a", corev1.ConditionTrue, "Available", "")
		if got := wd.get("a").Status.AtProvider; got.ClusterUID == "" || got.Nodes == nil || got.ClusterAdmin || len(got.Warnings) > 0 {
			t.Errorf("atProvider: %+v", got)
		}
	})

	t.Run("StorePowerless", func(t *testing.T) {
		wd := newWorld(t)
		wd.through(wd.kube, wd.serviceAccount("provider", false))
		wd.access("a", inCluster(true))
		wd.reconcile("a", 2)
		wd.wantReady("a", corev1.ConditionFalse, "Denied", `no cluster-admin rights: bind "system:serviceaccount:`+wd.ns+`:provider" to the ClusterRole cluster-admin`)
	})

	t.Run("StoreOutside", func(t *testing.T) {
		wd := newWorld(t)
		wd.access("a", inCluster(true))
		wd.reconcile("a", 2)
		wd.wantReady("a", corev1.ConditionFalse, "Refused", `the provider does not run as a ServiceAccount but as "kubeopera-test-admin": a kubeconfig can be stored only inside the cluster`)
	})

	t.Run("Store", func(t *testing.T) {
		wd := newWorld(t)
		wd.through(wd.kube, wd.serviceAccount("provider", true))
		wd.access("a", inCluster(true))
		wd.reconcile("a", 2)
		wd.wantReady("a", corev1.ConditionTrue, "Available", "")
		first := wd.stored("a")
		if first == nil {
			t.Fatal("no kubeconfig was stored")
		}
		kt.Unchanged(t, wd.kube, 3, func() error { wd.reconcile("a", 1); return nil }, everything, client.InNamespace(wd.ns))

		// Renewed when a third of its life is left. The clock of the API server
		// stands still, so the new token is as old; what counts is that there is
		// a new one.
		expires := wd.get("a").Status.AtProvider.ExpiresAt
		wd.clock.SetTime(expires.Add(-tokenLife/renewAtThird + time.Minute))
		wd.reconcile("a", 1)
		second := wd.stored("a")
		if bytes.Equal(first.Data["kubeconfig"], second.Data["kubeconfig"]) {
			t.Error("the token was not renewed")
		}
		wd.clock.SetTime(time.Now())
		wd.reconcile("a", 1)
		wd.wantReady("a", corev1.ConditionTrue, "Available", "")

		// What is stored leads into the cluster, also for others.
		wd.supply("source", second.Data["kubeconfig"])
		wd.access("b")
		wd.reconcile("b", 1)
		wd.wantReady("b", corev1.ConditionFalse, "Conflict", `cluster is connected already, as "a": delete that or this one`)
	})
}

// discovery are the rights that cluster/install/in-cluster gives, which are optional.
func discovery(t *testing.T) []rbacv1.PolicyRule {
	t.Helper()
	root, err := kt.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "cluster", "install", "in-cluster", "rbac.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	role, _, _ := strings.Cut(string(data), "\n---\n")
	out := &rbacv1.ClusterRole{}
	if err := yaml.UnmarshalStrict([]byte(role), out); err != nil {
		t.Fatal(err)
	}
	return out.Rules
}

// TestTokenOfNoUse makes sure that a token which does not work is not stored,
// and not made again and again.
func TestTokenOfNoUse(t *testing.T) {
	wd := newWorld(t)
	wd.through(wd.kube, wd.serviceAccount("provider", true))
	wd.targets.refuse = fault.New(fault.Denied, "no")
	wd.access("a", func(ca *v1alpha1.ClusterAccess) {
		ca.Spec.ForProvider.KubeconfigSecretRef = nil
		ca.Spec.ForProvider.InCluster = &v1alpha1.InClusterSource{StoreKubeconfig: true}
	})
	wd.reconcile("a", 2)
	if c, want := wd.get("a").GetCondition("Synced"), "token of ServiceAccount "+wd.ns+"/provider does not work: no"; !strings.HasSuffix(c.Message, want) {
		t.Errorf("want %q, got %q", want, c.Message)
	}
	if wd.stored("a") != nil {
		t.Error("a kubeconfig was stored that does not work")
	}
}
