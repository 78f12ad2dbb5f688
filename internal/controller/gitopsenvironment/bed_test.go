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
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"testing"
	"time"

	"github.com/bitnami-labs/sealed-secrets/pkg/crypto"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/gitauth"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/git"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/gittest"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/seal"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

const (
	namespace = "kubeopera-system"
	name      = "one"
	folder    = "clusters/one"
)

// bed is an environment with a real Git server, and stand-ins for the API
// servers of the management cluster and of the target.
type bed struct {
	server *gittest.Server
	kube   client.Client
	target client.Client
	w      *workflow
	mg     *v1alpha1.GitOpsEnvironment
	clock  *testclock.FakeClock
	events []event.Event

	keys        string // namespace of sealing keys
	unreachable error
	crash       bool // the next push goes through, and we do not live to see it
	fetches     int
	heads       int
}

func newBed(t *testing.T, files map[string]string) *bed {
	t.Helper()

	b := &bed{
		server: gittest.Serve(t, "main", files),
		target: fake.NewClientBuilder().WithScheme(target.NewScheme()).WithObjects(
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system", UID: "uid-one"}}).Build(),
		clock: testclock.NewFakeClock(time.Now()),
		keys:  render.SealedSecretsNamespace,
	}
	b.kube = fake.NewClientBuilder().WithScheme(target.NewScheme()).WithObjects(
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "git"}, Data: b.server.Credentials()}).Build()
	b.mg = &v1alpha1.GitOpsEnvironment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: "0123456789", Generation: 1},
		Spec: v1alpha1.GitOpsEnvironmentSpec{ForProvider: v1alpha1.GitOpsEnvironmentParameters{
			ClusterName: name,
			Domain:      "one.example.com",
			Profile:     v1alpha1.ProfileMinimal,
			Git: v1alpha1.GitTree{
				Path: folder,
				Git:  v1alpha1.Git{URL: v1alpha1.GitURL(b.server.StartTLS(t)), Branch: "main", CredentialsSecretRef: v1alpha1.SecretReference{Name: "git"}},
			},
		}},
	}
	b.restart()

	return b
}

// restart is another process, which remembers nothing.
func (b *bed) restart() {
	b.w = &workflow{
		kube: b.kube, live: b.kube, targets: b, events: b, log: logging.NewNopLogger(), clock: b.clock, version: "v0.1.0", memory: newMemory(), apps: gitauth.NewApps(),
		assets: func() (render.Assets, error) {
			return render.Assets{SealedSecretsCRD: []byte("kind: CustomResourceDefinition\n"), CRDs: map[string][]byte{"a.yaml": []byte("kind: CustomResourceDefinition\n")}}, nil
		},
		open: func(o git.Options) (repository, error) {
			r, err := git.New(o)

			return &spy{bed: b, repository: r}, err
		},
	}
}

// Connect to the target.
func (b *bed) Connect(context.Context, types.NamespacedName) (*target.Cluster, error) {
	return &target.Cluster{Client: b.target}, b.unreachable
}

// Event records an event; WithAnnotations is of no interest.
func (b *bed) Event(_ runtime.Object, e event.Event)    { b.events = append(b.events, e) }
func (b *bed) WithAnnotations(...string) event.Recorder { return b }

var errCrash = errors.New("killed")

// spy counts calls, and crashes when it is told to.
type spy struct {
	repository

	bed *bed
}

func (s *spy) Head(ctx context.Context) (string, error) {
	s.bed.heads++

	return s.repository.Head(ctx)
}

func (s *spy) Fetch(ctx context.Context) (*git.Snapshot, error) {
	s.bed.fetches++

	return s.repository.Fetch(ctx)
}

func (s *spy) Write(ctx context.Context, decide func(*git.Snapshot) (*git.Change, error)) (*git.Snapshot, error) {
	sn, err := s.repository.Write(ctx, decide)
	if err == nil && s.bed.crash {
		s.bed.crash = false

		return nil, errCrash
	}

	return sn, err
}

// reconcile once, as the managed reconciler does. It tells whether anything was done.
func (b *bed) reconcile(t *testing.T) (acted bool, err error) {
	t.Helper()

	c, err := external.NewConnector(b.w).Connect(t.Context(), b.mg)
	if err != nil {
		t.Fatal(err)
	}

	o, err := c.Observe(t.Context(), b.mg)

	switch {
	case err != nil:
		return false, err
	case b.mg.DeletionTimestamp != nil && o.ResourceExists:
		_, err = c.Delete(t.Context(), b.mg)

		return true, err
	case b.mg.DeletionTimestamp != nil:
		return false, nil
	case !o.ResourceExists:
		_, err = c.Create(t.Context(), b.mg)
	case !o.ResourceUpToDate:
		_, err = c.Update(t.Context(), b.mg)
	default:
		return false, nil
	}

	return true, err
}

// settle reconciles once, and fails on an error.
func (b *bed) settle(t *testing.T) {
	t.Helper()

	if _, err := b.reconcile(t); err != nil {
		t.Fatal(err)
	}
}

// complete brings the environment up.
func (b *bed) complete(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	b.settle(t)

	key := b.addKey(t, "key-1", b.clock.Now().Add(-time.Minute))
	b.settle(t)

	if !b.is(xpv2.TypeReady) {
		t.Fatalf("not ready: %v", b.mg.Status.Conditions)
	}

	return key
}

// addKey adds a sealing key to the target.
func (b *bed) addKey(t *testing.T, secret string, notBefore time.Time) *rsa.PrivateKey {
	t.Helper()

	key, _, err := crypto.GeneratePrivateKeyAndCert(2048, time.Hour, "")
	if err != nil {
		t.Fatal(err)
	}

	c, err := crypto.SignKeyWithNotBefore(rand.Reader, key, notBefore, 1000*time.Hour, "")
	if err != nil {
		t.Fatal(err)
	}

	sec := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: b.keys, Name: secret, Labels: map[string]string{seal.KeyLabel: seal.ActiveKey}},
		Data:       map[string][]byte{corev1.TLSCertKey: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})},
	}
	if err := b.target.Create(t.Context(), sec); err != nil {
		t.Fatal(err)
	}

	return key
}

// credentials replaces the Git credentials.
func (b *bed) credentials(t *testing.T, data map[string][]byte) {
	t.Helper()

	s := &corev1.Secret{}
	if err := b.kube.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "git"}, s); err != nil {
		t.Fatal(err)
	}

	s.Data = data
	if err := b.kube.Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
}

func (b *bed) is(c xpv2.ConditionType) bool {
	return b.mg.GetCondition(c).Status == corev1.ConditionTrue
}

func (b *bed) message() string { return b.mg.GetCondition(xpv2.TypeReady).Message }

func (b *bed) commits(t *testing.T) []string {
	t.Helper()

	return b.server.Commits(t, "main")
}
