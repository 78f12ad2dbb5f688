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
	"context"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// run runs the controller in the world's namespace. It looks at what is Ready
// once an hour only: whatever happens sooner is because of a watch.
func (wd *world) run() {
	wd.t.Helper()
	mgr, err := ctrl.NewManager(wd.cp.Config, ctrl.Options{
		Scheme:     target.NewScheme(),
		Metrics:    server.Options{BindAddress: "0"},
		Cache:      cache.Options{DefaultNamespaces: map[string]cache.Config{wd.ns: {}}},
		Controller: config.Controller{SkipNameValidation: new(true)},
	})
	if err != nil {
		wd.t.Fatal(err)
	}
	o := external.Options{Options: controller.Options{Logger: logging.NewNopLogger(), PollInterval: time.Hour}}
	if err := Setup(mgr, o, target.NewPool(mgr.GetClient(), target.Options{})); err != nil {
		wd.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(wd.t.Context())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	wd.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			wd.t.Error(err)
		}
	})
}

// until waits until something holds. It gives up after half a minute.
func (wd *world) until(what string, holds func() bool) {
	wd.t.Helper()
	err := wait.PollUntilContextTimeout(wd.t.Context(), 20*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
		return holds(), nil
	})
	if err != nil {
		c := wd.get("a").GetCondition(xpv2.TypeReady)
		wd.t.Fatalf("%s: %v; a is %s: %s", what, err, c.Reason, c.Message)
	}
}

func (wd *world) has(name string, reason xpv2.ConditionReason) func() bool {
	return func() bool { return wd.get(name).GetCondition(xpv2.TypeReady).Reason == reason }
}

func (wd *world) isGone(o client.Object, name string) func() bool {
	return func() bool {
		return kerrors.IsNotFound(wd.kube.Get(wd.t.Context(), client.ObjectKey{Namespace: wd.ns, Name: name}, o))
	}
}

// TestWatches lets the controller do everything that it does because something
// else changed.
func TestWatches(t *testing.T) {
	wd := newWorld(t)
	wd.run()
	wd.access("a")
	wd.until("waits for its Secret", wd.has("a", "Waiting"))
	wd.supply("source", wd.admin())
	wd.until("takes up the Secret that arrives late", wd.has("a", "Available"))

	next := wd.admin()
	wd.supply("source", next)
	wd.until("takes up the Secret that is replaced", func() bool {
		return bytes.Equal(next, wd.stored("a").Data["kubeconfig"])
	})

	s := wd.stored("a")
	s.Data["kubeconfig"] = []byte("broken")
	if err := wd.kube.Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	wd.until("mends the stored Secret", func() bool {
		return bytes.Equal(next, wd.stored("a").Data["kubeconfig"])
	})

	wd.access("b")
	wd.until("refuses to have a cluster twice", wd.has("b", "Conflict"))

	user := &v1alpha1.Administrator{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	user.Spec.ForProvider = v1alpha1.AdministratorParameters{
		KubeconfigSecretRef: v1alpha1.SecretReference{Name: v1alpha1.KubeconfigSecretName("a")},
		Email:               "admin@example.com", Username: "admin",
	}
	wd.create(user)
	wd.delete(&v1alpha1.ClusterAccess{}, "a")
	wd.until("says who is in the way", func() bool { return wd.get("a").GetCondition(xpv2.TypeSynced).Reason == xpv2.ReasonReconcileError })
	wd.delete(&v1alpha1.Administrator{}, "a")
	wd.until("goes once nobody is in the way", wd.isGone(&v1alpha1.ClusterAccess{}, "a"))
	if wd.stored("a") != nil {
		t.Error("the stored Secret is still there")
	}
	wd.until("lets the next one have the cluster", wd.has("b", "Available"))

	// Everything at once, in any order, with the Secrets.
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: wd.ns}}
	if err := wd.kube.Delete(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	wd.until("goes with its namespace", wd.isGone(&v1alpha1.ClusterAccess{}, "b"))
	wd.until("its Secret goes, too", wd.isGone(&corev1.Secret{}, v1alpha1.KubeconfigSecretName("b")))
}

func TestForeground(t *testing.T) {
	wd := newWorld(t)
	wd.run()
	wd.supply("source", wd.admin())
	wd.access("a")
	wd.until("connects", wd.has("a", "Available"))
	err := wd.kube.Delete(t.Context(), wd.get("a"), client.PropagationPolicy(metav1.DeletePropagationForeground))
	if err != nil {
		t.Fatal(err)
	}
	wd.until("goes in the foreground, as Argo CD asks for", wd.isGone(&v1alpha1.ClusterAccess{}, "a"))
	wd.until("its Secret goes, too", wd.isGone(&corev1.Secret{}, v1alpha1.KubeconfigSecretName("a")))
}
