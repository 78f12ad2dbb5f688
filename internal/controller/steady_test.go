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

// TestSteady: once all is well, no controller writes anything anywhere.
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

	for k := range before {
		if diff := cmp.Diff(before[k], after[k]); diff != "" {
			t.Errorf("%s was written: -before, +after:\n%s", k, diff)
		}
	}
}
