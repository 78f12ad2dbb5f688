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

package fluxbootstrap

import (
	"context"
	"strings"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/flux"
)

func stuckObject(kind, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetKind(kind)
	u.SetName(name)
	return u
}

func TestTerminating(t *testing.T) {
	since := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	ours, others := []*unstructured.Unstructured{stuckObject("Kustomization", "kubeopera")}, []*unstructured.Unstructured{stuckObject("GitRepository", "theirs")}
	cases := map[string]struct {
		reason  string
		t       Terminating
		after   time.Duration
		want    external.Step
		message string
	}{
		"Ours": {
			"Nobody is left to let go of ours.",
			Terminating{Alone: true, Stuck: flux.Stuck{Ours: ours, Others: others}},
			time.Minute, LetGo,
			"Namespace flux-system is being deleted, Kustomization kubeopera waits for Flux, which is gone with it. We let go of it at 2026-01-01T12:00:30Z",
		},
		"Soon": {
			"Flux has some time first.",
			Terminating{Alone: true, Stuck: flux.Stuck{Ours: ours}},
			time.Second, external.Wait,
			"Namespace flux-system is being deleted, Kustomization kubeopera waits for Flux, which is gone with it. We let go of it at 2026-01-01T12:00:30Z",
		},
		"Alive": {
			"As long as there is a controller it is up to that.",
			Terminating{Stuck: flux.Stuck{Ours: ours}},
			time.Hour, external.Wait,
			"Namespace flux-system is being deleted, Kustomization kubeopera waits for Flux, which is gone with it. We let go of it at 2026-01-01T12:00:30Z",
		},
		"Others": {
			"What others have brought is theirs to let go of.",
			Terminating{Alone: true, Stuck: flux.Stuck{Others: others}},
			time.Hour, external.Wait,
			`Namespace flux-system is being deleted, GitRepository theirs holds it: kubectl -n flux-system patch gitrepository theirs --type=merge -p '{"metadata":{"finalizers":null}}'`,
		},
		"Says": {
			"The namespace knows what else there is.",
			Terminating{Alone: true, Stuck: flux.Stuck{Says: "Some content in the namespace has finalizers remaining: x in 1 resource instances"}},
			time.Hour, external.Wait,
			"Namespace flux-system is being deleted: Some content in the namespace has finalizers remaining: x in 1 resource instances",
		},
		"Nothing": {
			"Mostly it is gone in a moment.",
			Terminating{Alone: true},
			time.Hour, external.Wait,
			"Namespace flux-system is being deleted. Flux is installed again after that",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.t.Since = since
			if got := next(State{Now: since.Add(tc.after), Install: Install{Namespace: true, Terminating: &tc.t}}); got != tc.want {
				t.Errorf("%s\nnext(): got %s, want %s", tc.reason, got, tc.want)
			}
			if diff := cmp.Diff(tc.message, tc.t.message("flux-system")); diff != "" {
				t.Errorf("%s\nmessage(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNamespaceDeleted deletes the namespace of Flux under a living FluxBootstrap:
// the controllers are gone before they have let go of anything.
func TestNamespaceDeleted(t *testing.T) {
	w := bootstrapped(t)
	for _, o := range []client.Object{&kustomizev1.Kustomization{}, &sourcev1.GitRepository{}} {
		w.get(o, "kubeopera")
		o.SetFinalizers([]string{"finalizers.fluxcd.io"})
		w.must(w.c.Update(t.Context(), o))
	}
	others := &sourcev1.GitRepository{ObjectMeta: metav1.ObjectMeta{Namespace: w.fb.GetNamespace(), Name: "theirs", Finalizers: []string{"finalizers.fluxcd.io"}}}
	others.Spec.URL = "https://git.example.com/others"
	w.create(others)
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.fb.GetNamespace()}}
	w.must(w.c.Delete(t.Context(), ns))

	until := func(what string, done func(ctx context.Context) (bool, error)) {
		t.Helper()
		if err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, time.Minute, true, done); err != nil {
			t.Fatalf("%s: %v; Ready says %q", what, err, w.fb.GetCondition(xpv2.TypeReady).Message)
		}
	}
	says := func(what string) func(ctx context.Context) (bool, error) {
		return func(context.Context) (bool, error) {
			err := w.reconcile()
			return strings.Contains(w.fb.GetCondition(v1alpha1.TypeFluxInstalled).Message, what), err
		}
	}
	until("it is said what holds the namespace", says(" waits for Flux, which is gone with it. We let go of it at "))
	w.clock.SetTime(time.Now().Add(terminatingGrace + time.Second))
	until("ours are let go of, and those of others are not", says("GitRepository theirs holds it: kubectl -n "))
	if w.get(&kustomizev1.Kustomization{}, "kubeopera") {
		t.Error("our root is still there")
	}

	w.get(others, "theirs")
	others.Finalizers = nil
	w.must(w.c.Update(t.Context(), others))
	w.fb.Spec.ForProvider.Sync = nil // Here the user's Git credentials went with the namespace.
	until("the namespace is gone, and Flux is installed again", func(ctx context.Context) (bool, error) {
		if err := w.reconcile(); err != nil {
			return false, err
		}
		there := &corev1.Namespace{}
		err := w.c.Get(ctx, client.ObjectKeyFromObject(ns), there)
		return err == nil && there.DeletionTimestamp == nil, client.IgnoreNotFound(err)
	})
	w.create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.fb.GetNamespace(), Name: "git"},
		Data:       map[string][]byte{"username": []byte("me"), "password": []byte("first")},
	})
	w.bootstrap()
}
