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

package gitopsenvironment

import (
	"context"
	"os"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	testclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/gittest"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	"github.com/kubeopera/provider-kubeopera/internal/target"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func TestMain(m *testing.M) { os.Exit(kt.Main(m)) }

// TestController runs the controller on a real API server, which is its own
// target, and a real Git server.
func TestController(t *testing.T) {
	cp := kt.Shared(t)
	ns := cp.Namespace(t)
	srv := gittest.Serve(t, "main", map[string]string{"README.md": "theirs"})
	mg := environment(ns, srv.StartTLS(t))

	start(t, cp, ns)

	// The object is first, as in a GitOps repository; what it needs comes later.
	must(t, cp.Client.Create(t.Context(), mg))
	until(t, cp, mg, "waiting for credentials", func() bool {
		return mg.GetCondition(xpv2.TypeReady).Reason == v1alpha1.ReasonWaiting
	})

	kubeconfig, err := cp.AdminKubeconfig()
	must(t, err)
	must(t, cp.Client.Create(t.Context(), secret(ns, "git", srv.Credentials())))
	must(t, cp.Client.Create(t.Context(), secret(ns, "target", map[string][]byte{v1alpha1.KubeconfigKey: kubeconfig})))
	until(t, cp, mg, "pass 1", func() bool {
		return mg.GetCondition(v1alpha1.TypeInfrastructurePushed).Status == corev1.ConditionTrue
	})

	b := &bed{target: cp.Client, keys: render.SealedSecretsNamespace, clock: testclock.NewFakeClock(time.Now())}
	must(t, client.IgnoreAlreadyExists(cp.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: render.SealedSecretsNamespace}})))
	b.addKey(t, "key-"+ns, time.Now().Add(-time.Minute))
	until(t, cp, mg, "pass 2", func() bool { return mg.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue })

	if n := len(srv.Commits(t, "main")); n != 3 {
		t.Errorf("%d commits instead of one per pass: %v", n, srv.Commits(t, "main"))
	}

	kt.Steady(t, cp.Client, 3*time.Second, []client.ObjectList{&v1alpha1.GitOpsEnvironmentList{}, &corev1.SecretList{}, &corev1.EventList{}}, client.InNamespace(ns))

	must(t, cp.Client.Delete(t.Context(), mg))
	gone := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 20*time.Second, true, func(ctx context.Context) (bool, error) {
		return client.IgnoreNotFound(cp.Client.Get(ctx, client.ObjectKeyFromObject(mg), mg)) == nil &&
			cp.Client.Get(ctx, client.ObjectKeyFromObject(mg), mg) != nil, nil
	})
	if gone != nil {
		t.Errorf("deletion does not end: %v", mg.Status.Conditions)
	}

	if err := cp.Client.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: v1alpha1.SealingSecretName(name)}, &corev1.Secret{}); err != nil {
		t.Errorf("the generated values go although the tree stays: %v", err)
	}
}

func environment(ns, url string) *v1alpha1.GitOpsEnvironment {
	return &v1alpha1.GitOpsEnvironment{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name},
		Spec: v1alpha1.GitOpsEnvironmentSpec{ForProvider: v1alpha1.GitOpsEnvironmentParameters{
			KubeconfigSecretRef: v1alpha1.SecretReference{Name: "target"},
			ClusterName:         name,
			Domain:              "one.example.com",
			Profile:             v1alpha1.ProfileMinimal,
			Git: v1alpha1.GitTree{
				Path: folder,
				Git:  v1alpha1.Git{URL: v1alpha1.GitURL(url), Branch: "main", CredentialsSecretRef: v1alpha1.SecretReference{Name: "git"}},
			},
		}},
	}
}

func secret(ns, name string, data map[string][]byte) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Data: data}
}

// start the controller in a manager that sees one namespace.
func start(t *testing.T, cp *kt.ControlPlane, ns string) {
	t.Helper()

	mgr, err := ctrl.NewManager(cp.Config, ctrl.Options{
		Scheme:  target.NewScheme(),
		Metrics: server.Options{BindAddress: "0"},
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{ns: {}}},
	})
	must(t, err)

	o := external.Options{Options: controller.Options{Logger: logging.NewNopLogger(), MaxConcurrentReconciles: 1, PollInterval: time.Second}}
	must(t, Setup(mgr, o, target.NewPool(mgr.GetClient(), target.Options{}), "v0.1.0"))

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)

	go func() { done <- mgr.Start(ctx) }()

	t.Cleanup(func() {
		cancel()

		if err := <-done; err != nil {
			t.Errorf("the manager ended with %v", err)
		}
	})
}

func until(t *testing.T, cp *kt.ControlPlane, mg *v1alpha1.GitOpsEnvironment, what string, ok func() bool) {
	t.Helper()

	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		if err := cp.Client.Get(ctx, client.ObjectKeyFromObject(mg), mg); err != nil {
			return false, err
		}

		return ok(), nil
	})
	if err != nil {
		t.Fatalf("%s: %v: %v", what, err, mg.Status.Conditions)
	}
}

func must(t *testing.T, err error) {
	t.Helper()

	if err != nil {
		t.Fatal(err)
	}
}
