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
	"context"
	"os"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource/fake"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
	"github.com/kubeopera/provider-kubeopera/internal/target"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	os.Exit(kt.Main(m))
}

// world is a namespace on a real API server, which is management cluster and
// target alike, and a reconciler of the ClusterAccesses in it.
type world struct {
	t     *testing.T
	cp    *kt.ControlPlane
	kube  client.WithWatch
	ns    string
	clock *clocktesting.FakePassiveClock
	// targets leads into clusters; each world has its own.
	targets *connector
	r       reconcile.Reconciler
}

// connector leads into clusters, unless it is told to refuse.
type connector struct {
	*target.Pool

	refuse error
}

// ConnectTo leads into a cluster.
func (c *connector) ConnectTo(ctx context.Context, k *kubeconfig.Kubeconfig, from types.NamespacedName) (*target.Cluster, error) {
	if c.refuse != nil {
		return nil, c.refuse
	}
	return c.Pool.ConnectTo(ctx, k, from)
}

// manager is as much of a manager as a reconciler asks for.
type manager struct{ fake.Manager }

func (*manager) GetEventRecorderFor(string) record.EventRecorder { return &record.FakeRecorder{} }

func newWorld(t *testing.T) *world {
	t.Helper()
	cp := kt.Shared(t)
	kube, err := client.NewWithWatch(cp.Config, client.Options{Scheme: target.NewScheme()})
	if err != nil {
		t.Fatal(err)
	}
	wd := &world{t: t, cp: cp, kube: kube, ns: cp.Namespace(t), clock: clocktesting.NewFakePassiveClock(time.Now())}
	wd.through(kube, cp.Config)
	return wd
}

// through makes the reconciler work through a client, on a cluster of its own
// that a configuration leads to.
func (wd *world) through(kube client.WithWatch, local *rest.Config) {
	wd.t.Helper()
	here, err := target.Local(local, target.Options{})
	if err != nil {
		wd.t.Fatal(err)
	}
	wd.targets = &connector{Pool: target.NewPool(kube, target.Options{Timeout: 5 * time.Second})}
	w := &workflow{kube: kube, live: kube, targets: wd.targets, local: here, clock: wd.clock}
	features := &feature.Flags{}
	features.Enable(feature.EnableBetaManagementPolicies)
	o := external.Options{Options: controller.Options{Logger: logging.NewNopLogger(), PollInterval: time.Minute, Features: features}}
	mgr := &manager{fake.Manager{Client: kube, Scheme: kube.Scheme()}}
	wd.r = sweeper{w: w, next: external.NewReconciler(mgr, o, v1alpha1.Kind(v1alpha1.ClusterAccessKind), w)}
}

// reconcile a ClusterAccess some times. Its errors are in the status.
func (wd *world) reconcile(name string, times int) {
	for range times {
		_, _ = wd.r.Reconcile(wd.t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: wd.ns, Name: name}})
	}
}

func (wd *world) create(o client.Object) {
	wd.t.Helper()
	o.SetNamespace(wd.ns)
	if err := wd.kube.Create(wd.t.Context(), o); err != nil {
		wd.t.Fatal(err)
	}
}

// supply puts a kubeconfig into a Secret, be it there or not.
func (wd *world) supply(name string, config []byte) {
	wd.t.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string][]byte{"kubeconfig": config}}
	s.SetNamespace(wd.ns)
	err := wd.kube.Create(wd.t.Context(), s)
	if kerrors.IsAlreadyExists(err) {
		err = wd.kube.Update(wd.t.Context(), s)
	}
	if err != nil {
		wd.t.Fatal(err)
	}
}

// access makes a ClusterAccess on the Secret source.
func (wd *world) access(name string, change ...func(*v1alpha1.ClusterAccess)) {
	wd.t.Helper()
	ca := &v1alpha1.ClusterAccess{ObjectMeta: metav1.ObjectMeta{Name: name}}
	ca.Spec.ForProvider.KubeconfigSecretRef = &v1alpha1.SecretReference{Name: "source"}
	for _, c := range change {
		c(ca)
	}
	wd.create(ca)
}

func (wd *world) get(name string) *v1alpha1.ClusterAccess {
	wd.t.Helper()
	ca := &v1alpha1.ClusterAccess{}
	if err := wd.kube.Get(wd.t.Context(), client.ObjectKey{Namespace: wd.ns, Name: name}, ca); err != nil {
		wd.t.Fatal(err)
	}
	return ca
}

// stored returns the stored Secret of a ClusterAccess, or nil.
func (wd *world) stored(name string) *corev1.Secret {
	wd.t.Helper()
	return wd.secret(v1alpha1.KubeconfigSecretName(name))
}

func (wd *world) secret(name string) *corev1.Secret {
	wd.t.Helper()
	s := &corev1.Secret{}
	err := wd.kube.Get(wd.t.Context(), client.ObjectKey{Namespace: wd.ns, Name: name}, s)
	if kerrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		wd.t.Fatal(err)
	}
	return s
}

func (wd *world) delete(o client.Object, name string) {
	wd.t.Helper()
	o.SetName(name)
	o.SetNamespace(wd.ns)
	if err := client.IgnoreNotFound(wd.kube.Delete(wd.t.Context(), o)); err != nil {
		wd.t.Fatal(err)
	}
}

// gone fails the test if a ClusterAccess is still there.
func (wd *world) gone(name string) {
	wd.t.Helper()
	err := wd.kube.Get(wd.t.Context(), client.ObjectKey{Namespace: wd.ns, Name: name}, &v1alpha1.ClusterAccess{})
	if !kerrors.IsNotFound(err) {
		wd.t.Fatalf("ClusterAccess %s is still there: %v", name, err)
	}
}

// wantReady fails the test if the Ready condition is another one.
func (wd *world) wantReady(name string, status corev1.ConditionStatus, reason xpv2.ConditionReason, msg string) {
	wd.t.Helper()
	c := wd.get(name).GetCondition(xpv2.TypeReady)
	got := []string{string(c.Status), string(c.Reason), c.Message}
	want := []string{string(status), string(reason), msg}
	if msg == "" {
		want[2] = c.Message
	}
	if diff := cmp.Diff(want, got); diff != "" {
		wd.t.Errorf("Ready condition of %s: -want, +got:\n%s", name, diff)
	}
}

// admin returns a kubeconfig of a user of its own who may do everything.
func (wd *world) admin() []byte {
	wd.t.Helper()
	k, err := wd.cp.AdminKubeconfig()
	if err != nil {
		wd.t.Fatal(err)
	}
	return k
}

// serviceAccount makes a ServiceAccount, a cluster-admin if asked for, and
// returns the configuration that a pod of it would have.
func (wd *world) serviceAccount(name string, admin bool) *rest.Config {
	wd.t.Helper()
	sa := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	wd.create(sa)
	if admin {
		b := &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: wd.ns, Name: name}},
		}
		if err := wd.kube.Create(wd.t.Context(), b); err != nil {
			wd.t.Fatal(err)
		}
		wd.t.Cleanup(func() { _ = wd.kube.Delete(context.Background(), b) })
	}
	tr := &authenticationv1.TokenRequest{}
	if err := wd.kube.SubResource("token").Create(wd.t.Context(), sa, tr); err != nil {
		wd.t.Fatal(err)
	}
	return &rest.Config{Host: wd.cp.Config.Host, BearerToken: tr.Status.Token, TLSClientConfig: rest.TLSClientConfig{CAData: wd.cp.Config.CAData}}
}
