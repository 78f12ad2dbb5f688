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

package controller

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// writes are the controllers' requests that write, by namespace. What the API
// server drops as no change counts, too.
type writes struct {
	mu sync.Mutex
	of map[string][]string
}

// in a namespace, so far.
func (w *writes) in(namespace string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()

	return slices.Clone(w.of[namespace])
}

// count what a transport sends.
func (w *writes) count(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		_, path, _ := strings.Cut(r.URL.Path, "/namespaces/")

		if namespace, rest, _ := strings.Cut(path, "/"); r.Method != http.MethodGet {
			w.add(namespace, r.Method+" "+rest)
		}

		return next.RoundTrip(r)
	})
}

func (w *writes) add(namespace, request string) {
	w.mu.Lock()
	defer w.mu.Unlock()

	if w.of == nil {
		w.of = map[string][]string{}
	}

	w.of[namespace] = append(w.of[namespace], request)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestSteady: once all is well, no controller writes anything anywhere, or even
// asks for it.
func TestSteady(t *testing.T) {
	t.Parallel()

	ctx := t.Context()
	w := newWorld(t).supply(ctx).create(ctx)
	w.ready(ctx)

	onTarget := []client.ObjectList{
		&corev1.SecretList{}, &appsv1.DeploymentList{}, &kustomizev1.KustomizationList{}, &sourcev1.GitRepositoryList{},
	}
	ours := client.HasLabels{"app.kubernetes.io/managed-by"}

	before, err := kt.VersionsOf(ctx, w.tc, onTarget, ours)
	w.Expect(err).NotTo(HaveOccurred())

	commits := w.git.Commits(t, "main")

	kt.Steady(t, w.cp.Client, 3*pollInterval, append(children(), &corev1.SecretList{}), client.InNamespace(w.hc.Namespace))

	after, err := kt.VersionsOf(ctx, w.tc, onTarget, ours)
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(w.git.Commits(t, "main")).To(Equal(commits))

	// By now also the last event has been sent.
	written := suite.writes.in(w.hc.Namespace)
	w.Consistently(func() []string { return suite.writes.in(w.hc.Namespace) }).WithTimeout(2 * pollInterval).Should(Equal(written))

	for k := range before {
		if diff := cmp.Diff(before[k], after[k]); diff != "" {
			t.Errorf("%s was written: -before, +after:\n%s", k, diff)
		}
	}
}
