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

package testing_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func TestMain(m *testing.M) { os.Exit(kt.Main(m)) }

// eventually polls until ok, bounded.
func eventually(t *testing.T, what string, ok func(ctx context.Context) (bool, error)) {
	t.Helper()
	if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 30*time.Second, true, ok); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func TestGarbageCollection(t *testing.T) {
	cp := kt.Shared(t)
	ns := cp.Namespace(t)
	owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "owner"}}
	if err := cp.Client.Create(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	owned := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "owned", OwnerReferences: []metav1.OwnerReference{
		*metav1.NewControllerRef(owner, corev1.SchemeGroupVersion.WithKind("ConfigMap")),
	}}}
	if err := cp.Client.Create(t.Context(), owned); err != nil {
		t.Fatal(err)
	}
	if err := cp.Client.Delete(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	eventually(t, "an owned object goes with its owner", func(ctx context.Context) (bool, error) {
		err := cp.Client.Get(ctx, client.ObjectKeyFromObject(owned), owned)
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}

func TestNamespaceGoes(t *testing.T) {
	cp := kt.Shared(t)
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "gone-"}}
	if err := cp.Client.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	if err := cp.Client.Delete(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a deleted namespace goes", func(ctx context.Context) (bool, error) {
		err := cp.Client.Get(ctx, client.ObjectKeyFromObject(ns), ns)
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}

func TestUserHasTheRightsThatWereGranted(t *testing.T) {
	cp := kt.Shared(t)
	ns := cp.Namespace(t)
	data, err := cp.Kubeconfig(kt.User{Name: "reader-of-" + ns})
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := clientcmd.RESTConfigFromKubeConfig(data)
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(cfg, client.Options{Scheme: kt.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	secrets := &corev1.SecretList{}
	if err := c.List(t.Context(), secrets, client.InNamespace(ns)); !apierrors.IsForbidden(err) {
		t.Errorf("list without rights: want Forbidden, got %v", err)
	}
	cp.Grant(t.Context(), t, "reader-of-"+ns, ns, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"list"}})
	eventually(t, "the granted right works", func(ctx context.Context) (bool, error) {
		err := c.List(ctx, secrets, client.InNamespace(ns))
		if apierrors.IsForbidden(err) {
			return false, nil // The authorizer learns of it through a watch.
		}
		return err == nil, err
	})
	if err := c.List(t.Context(), secrets); !apierrors.IsForbidden(err) {
		t.Errorf("list everywhere: want Forbidden, got %v", err)
	}
}

func TestMissingBinaries(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv(kt.EnvAssets, t.TempDir())
	_, err := kt.Start(t.Context(), kt.Options{})
	if err == nil || !strings.Contains(err.Error(), "run 'make test'") {
		t.Errorf("Start without binaries: want an error that says what to do, got %v", err)
	}
}

func TestFailedStart(t *testing.T) {
	dir := t.TempDir()
	for name, script := range map[string]string{
		"etcd":                    "#!/bin/sh\necho 'etcd is broken' >&2\nexit 3\n",
		"kube-apiserver":          "#!/bin/sh\nexec sleep 300\n",
		"kube-controller-manager": "#!/bin/sh\nexec sleep 300\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(kt.EnvAssets, dir)
	work := filepath.Join(t.TempDir(), "work")
	_, err := kt.Start(t.Context(), kt.Options{Dir: work})
	if err == nil || !strings.Contains(err.Error(), "etcd is broken") {
		t.Errorf("Start with a broken etcd: want an error with its log, got %v", err)
	}
	if _, err := os.Stat(work); !os.IsNotExist(err) {
		t.Errorf("a failed start has to remove its directory, got %v", err)
	}
}
