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

// Package canary runs all controllers together, on a control plane that is both
// their own cluster and the target, and looks for secrets wherever they must
// not be. What needs nodes is played: kubelet's part, and Flux's.
package canary

import (
	"bytes"
	"context"
	"flag"
	"log"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"go.uber.org/zap/zapcore"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	xpcontroller "github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/internal/controller"
	"github.com/kubeopera/provider-kubeopera/internal/controller/provisionedcluster"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/gittest"
	"github.com/kubeopera/provider-kubeopera/internal/target"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// team is the namespace that the provider works in.
const team = "team"

// patience bounds a wait. Flux's installation takes longest.
const patience = 90 * time.Second

// bed is everything running.
type bed struct {
	*testing.T

	cp   *kt.ControlPlane
	git  *gittest.Server
	url  string
	logs *logs
	// dirs of all bare Git repositories.
	dirs []string
}

// logs keeps what everybody logs.
type logs struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write adds to the logs.
func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

// String returns everything that was logged.
func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// capture makes every logger of the process write to the logs, in more detail
// than --debug asks for.
func capture(t *testing.T) *logs {
	t.Helper()
	const verbosity = "5"
	l := &logs{}
	zl := zap.New(zap.WriteTo(l), zap.UseDevMode(true), zap.Level(zapcore.Level(-5)))
	ctrl.SetLogger(zl)
	fs := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(fs)
	if err := fs.Set("v", verbosity); err != nil {
		t.Fatal(err)
	}
	klog.SetLogger(zl)
	slog.SetDefault(slog.New(logr.ToSlogHandler(zl)))
	log.SetOutput(l)
	return l
}

// newBed starts a control plane, a Git server and the provider. It needs a
// control plane of its own, for the namespaces on a target have fixed names.
func newBed(t *testing.T) *bed {
	t.Helper()
	b := &bed{T: t, logs: capture(t)}
	cp, err := kt.Start(t.Context(), kt.Options{Scheme: target.NewScheme()})
	b.must(err)
	t.Cleanup(cp.Stop)
	b.cp = cp
	b.git = gittest.Serve(t, "main", map[string]string{"README.md": "theirs"})
	b.url = b.git.StartTLS(t)
	b.dirs = []string{b.git.Dir}

	b.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: team}})
	cfg, _ := b.serviceAccount("provider")
	b.provide(cfg)
	b.play()
	return b
}

// provide runs the provider.
func (b *bed) provide(cfg *rest.Config) {
	b.Helper()
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:  target.NewScheme(),
		Metrics: server.Options{BindAddress: "0"},
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{team: {}}},
	})
	b.must(err)
	features := &feature.Flags{}
	features.Enable(feature.EnableBetaManagementPolicies)
	b.must(controller.Setup(mgr, external.Options{Options: xpcontroller.Options{
		Logger: logging.NewLogrLogger(mgr.GetLogger()), PollInterval: time.Second, MaxConcurrentReconciles: 2, Features: features,
	}}, provisionedcluster.Settings{}))
	b.background(func(ctx context.Context) {
		if err := mgr.Start(ctx); err != nil {
			b.Errorf("the provider ended: %v", err)
		}
	})
}

// background runs something until the test ends.
func (b *bed) background(run func(context.Context)) {
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx)
	}()
	b.Cleanup(func() {
		cancel()
		<-done
	})
}

// serviceAccount makes a ServiceAccount that may do everything. It returns the
// configuration that a pod of it would have, and its token.
func (b *bed) serviceAccount(name string) (*rest.Config, string) {
	b.Helper()
	sa := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: name}}
	b.create(sa)
	b.create(&rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: team, Name: name}},
	})
	tr := &authenticationv1.TokenRequest{}
	b.must(b.cp.Client.SubResource("token").Create(b.Context(), sa, tr))
	cfg := &rest.Config{Host: b.cp.Config.Host, BearerToken: tr.Status.Token, TLSClientConfig: rest.TLSClientConfig{CAData: b.cp.Config.CAData}, QPS: -1}
	return cfg, tr.Status.Token
}

// kubeconfig of a token.
func (b *bed) kubeconfig(token string) []byte {
	b.Helper()
	data, err := clientcmd.Write(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"a": {Server: b.cp.Config.Host, CertificateAuthorityData: b.cp.Config.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"a": {Token: token}},
		Contexts:       map[string]*clientcmdapi.Context{"a": {Cluster: "a", AuthInfo: "a"}},
		CurrentContext: "a",
	})
	b.must(err)
	return data
}

func (b *bed) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bed) create(o client.Object) {
	b.Helper()
	b.must(b.cp.Client.Create(b.Context(), o))
}

// supply puts a Secret into the provider's namespace.
func (b *bed) supply(name string, data map[string][]byte) {
	b.Helper()
	b.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: name}, Data: data})
}

// secret reads one from the provider's namespace.
func (b *bed) secret(name string) *corev1.Secret {
	b.Helper()
	s := &corev1.Secret{}
	b.must(b.cp.Client.Get(b.Context(), client.ObjectKey{Namespace: team, Name: name}, s))
	return s
}

// until waits until something holds of an object of the provider's namespace.
func (b *bed) until(what string, o client.Object, holds func() bool, say func() string) {
	b.Helper()
	err := wait.PollUntilContextTimeout(b.Context(), 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		return b.cp.Client.Get(ctx, client.ObjectKeyFromObject(o), o) == nil && holds(), nil
	})
	if err != nil {
		b.Fatalf("%s: %v: %s", what, err, say())
	}
}
