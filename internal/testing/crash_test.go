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
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func configMap(ns, name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}
}

// both creates two ConfigMaps, each if it is not there.
func both(ctx context.Context, c client.Client, ns string) error {
	for _, name := range []string{"one", "two"} {
		if err := c.Create(ctx, configMap(ns, name)); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

func TestCrashAfterEachWrite(t *testing.T) {
	cp := kt.Shared(t)
	cases := map[string]struct {
		reason string
		world  func(t *testing.T, c *kt.Crash) (client.Client, string)
	}{
		"Client": {
			reason: "A wrapped client crashes after its n-th write.",
			world: func(_ *testing.T, c *kt.Crash) (client.Client, string) {
				return c.Client(fake.NewClientBuilder().Build()), "default"
			},
		},
		"Config": {
			reason: "A client of a wrapped configuration crashes after its n-th write.",
			world: func(t *testing.T, c *kt.Crash) (client.Client, string) {
				t.Helper()
				cl, err := client.New(c.Config(cp.Config), client.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return cl, cp.Namespace(t)
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var writes []int
			kt.CrashAfterEachWrite(t, func(t *testing.T, c *kt.Crash) { //nolint:thelper // A test, not a helper.
				cl, ns := tc.world(t, c)
				err := both(t.Context(), cl, ns)
				if c.Crashed() != errors.Is(err, kt.ErrCrashed) {
					t.Errorf("%s\ncrashed: %t, error: %v", tc.reason, c.Crashed(), err)
				}
				if c.Crashed() {
					err := cl.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "one"}, &corev1.ConfigMap{})
					if !errors.Is(err, kt.ErrCrashed) {
						t.Errorf("%s\nread after the crash: want ErrCrashed, got %v", tc.reason, err)
					}
				}
				writes = append(writes, c.Writes())
				c.Restart()
				if err := both(t.Context(), cl, ns); err != nil {
					t.Errorf("%s\nafter the restart: %v", tc.reason, err)
				}
			})
			if diff := cmp.Diff([]int{1, 2, 2}, writes); diff != "" {
				t.Errorf("%s\nwrites before each crash (-want, +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestVersions(t *testing.T) {
	cp := kt.Shared(t)
	ns := cp.Namespace(t)
	lists := []client.ObjectList{&corev1.ConfigMapList{}}
	cm := configMap(ns, "one")
	if err := cp.Client.Create(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	own := client.MatchingFields{"metadata.name": "one"} // kube-root-ca.crt comes on its own.
	kt.Steady(t, cp.Client, 10*time.Millisecond, lists, client.InNamespace(ns), own)
	kt.Unchanged(t, cp.Client, 2, func() error {
		return cp.Client.Update(t.Context(), cm) // The same content again is no write.
	}, lists, client.InNamespace(ns), own)

	before, err := kt.VersionsOf(t.Context(), cp.Client, lists, client.InNamespace(ns), own)
	if err != nil {
		t.Fatal(err)
	}
	cm.Data = map[string]string{"a": "b"}
	if err := cp.Client.Update(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	after, err := kt.VersionsOf(t.Context(), cp.Client, lists, client.InNamespace(ns), own)
	if err != nil {
		t.Fatal(err)
	}
	if cmp.Equal(before, after) {
		t.Error("a write has to change the versions")
	}
}
