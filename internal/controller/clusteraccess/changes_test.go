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
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func TestReplaced(t *testing.T) {
	wd := newWorld(t)
	first := wd.admin()
	wd.supply("source", first)
	wd.access("a")
	wd.reconcile("a", 2)
	wd.wantReady("a", corev1.ConditionTrue, "Available", "")

	// One that is not valid is not stored.
	wd.supply("source", []byte("nonsense"))
	wd.reconcile("a", 1)
	wd.wantReady("a", corev1.ConditionFalse, "Refused", "not a kubeconfig: it is not a YAML object with clusters, users and contexts")
	if !bytes.Equal(first, wd.stored("a").Data["kubeconfig"]) {
		t.Error("a kubeconfig that is not valid was stored")
	}

	second := wd.admin()
	wd.supply("source", second)
	wd.reconcile("a", 1)
	wd.wantReady("a", corev1.ConditionTrue, "Available", "")
	if !bytes.Equal(second, wd.stored("a").Data["kubeconfig"]) {
		t.Error("the new kubeconfig was not stored")
	}

	// What is stored goes on working when its source is gone.
	wd.delete(&corev1.Secret{}, "source")
	wd.reconcile("a", 1)
	wd.wantReady("a", corev1.ConditionTrue, "Available", "")
	if w := wd.get("a").Status.AtProvider.Warnings; len(w) == 0 || !strings.HasSuffix(string(w[0]), "is not there yet: the stored kubeconfig is used") {
		t.Errorf("want a warning that the source is gone, got %v", w)
	}
	kt.Unchanged(t, wd.kube, 3, func() error { wd.reconcile("a", 1); return nil }, everything, client.InNamespace(wd.ns))

	// Another cluster under the same name is not taken.
	uid := wd.get("a").Status.AtProvider.ClusterUID
	wd.supply("source", fmt.Appendf(nil, plainConfig, wd.fronts().URL+"/7"))
	wd.reconcile("a", 1)
	wd.wantReady("a", corev1.ConditionFalse, "Refused", "kubeconfig leads to another cluster than before: its UID is front-7 instead of "+uid)
	if !bytes.Equal(second, wd.stored("a").Data["kubeconfig"]) {
		t.Error("the kubeconfig of another cluster was stored")
	}
}

func TestSameClusterTwice(t *testing.T) {
	wd := newWorld(t)
	wd.supply("source", wd.admin())
	wd.access("b")
	wd.reconcile("b", 2)
	wd.access("a")
	wd.reconcile("a", 2)
	wd.wantReady("a", corev1.ConditionFalse, "Conflict", `cluster is connected already, as "b": delete that or this one`)
	wd.reconcile("b", 1)
	wd.wantReady("b", corev1.ConditionTrue, "Available", "")

	wd.delete(&v1alpha1.ClusterAccess{}, "b")
	wd.reconcile("a", 2)
	wd.wantReady("a", corev1.ConditionFalse, "Waiting", `cluster is still connected as "b", which is being deleted`)
	wd.reconcile("b", 2)
	wd.gone("b")
	wd.reconcile("a", 2)
	wd.wantReady("a", corev1.ConditionTrue, "Available", "")
}

func TestSomebodyElsesSecret(t *testing.T) {
	wd := newWorld(t)
	wd.supply("source", wd.admin())
	wd.supply(v1alpha1.KubeconfigSecretName("a"), []byte("theirs"))
	before := wd.stored("a")
	wd.access("a")
	wd.reconcile("a", 2)
	wd.wantReady("a", corev1.ConditionFalse, "Conflict", "Secret "+wd.ns+"/hostcluster-a-kubeconfig belongs to somebody else: delete or rename it, the kubeconfig is to be stored there")
	wd.delete(&v1alpha1.ClusterAccess{}, "a")
	wd.reconcile("a", 2)
	wd.gone("a")
	if diff := cmp.Diff(before, wd.stored("a")); diff != "" {
		t.Errorf("somebody else's Secret was changed:\n%s", diff)
	}
}

// TestMended makes sure that what people do to the stored Secret is undone.
func TestMended(t *testing.T) {
	wd := newWorld(t)
	config := wd.admin()
	wd.supply("source", config)
	wd.access("a")
	wd.reconcile("a", 2)

	s := wd.stored("a")
	s.Labels, s.Data = nil, map[string][]byte{"kubeconfig": []byte("broken")}
	if err := wd.kube.Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	wd.reconcile("a", 1)
	if s := wd.stored("a"); !bytes.Equal(config, s.Data["kubeconfig"]) || !ours(s, "a") || s.Labels[v1alpha1.LabelHostCluster] != "a" {
		t.Error("the stored Secret was not mended")
	}

	// Deleted while in use, it stays, and people are told.
	wd.delete(&corev1.Secret{}, v1alpha1.KubeconfigSecretName("a"))
	wd.reconcile("a", 1)
	wd.wantReady("a", corev1.ConditionTrue, "Available", "")
	found := false
	for _, w := range wd.get("a").Status.AtProvider.Warnings {
		found = found || strings.Contains(string(w), "marked for deletion")
	}
	if !found || wd.stored("a") == nil {
		t.Error("want the Secret kept and a warning")
	}
	wd.delete(&v1alpha1.ClusterAccess{}, "a")
	wd.reconcile("a", 2)
	wd.gone("a")
	if wd.stored("a") != nil {
		t.Error("the stored Secret is still there")
	}
}
