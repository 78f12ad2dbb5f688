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
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	repo "helm.sh/helm/v4/pkg/repo/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/flux"
)

// charts serves the built-in Flux as versions of a chart in a Helm repository.
func (w *world) charts(versions ...string) *httptest.Server {
	w.Helper()
	dir := w.TempDir()
	p, err := w.w.charts.Package(options(w.fb), nil)
	w.must(err)
	for _, v := range versions {
		p.Chart.Metadata.Version = v
		_, err := chartutil.Save(p.Chart, dir)
		w.must(err)
	}
	index, err := repo.IndexDirectory(dir, "")
	w.must(err)
	w.must(index.WriteFile(filepath.Join(dir, "index.yaml"), 0o600))
	s := httptest.NewServer(http.FileServer(http.FS(os.DirFS(dir))))
	w.Cleanup(s.Close)
	return s
}

func (w *world) release() flux.Release {
	w.Helper()
	r, err := flux.ReadRelease(w.Context(), w.c, w.fb.GetNamespace())
	w.must(err)
	return r
}

// TestChartRepository installs Flux from a Helm repository, upgrades it when
// another version is asked for, and goes over to the built-in one.
func TestChartRepository(t *testing.T) {
	w := newWorld(t)
	s := w.charts("1.0.0", "1.1.0")
	w.fb.Spec.ForProvider.Chart = &v1alpha1.Chart{Repository: s.URL, Name: "flux", Version: "1.0.0"}
	w.must(w.reconcile())
	w.controllersRun()
	w.expect("installed", xpv2.TypeReady, corev1.ConditionTrue, "")
	first := w.release()
	w.unchanged()

	w.fb.Spec.ForProvider.Chart.Version = "1.1.0"
	w.expect("upgraded", xpv2.TypeReady, corev1.ConditionTrue, "")
	if second := w.release(); second.Revision != first.Revision+1 || second.Digest == first.Digest {
		t.Errorf("the release went from %+v to %+v", first, second)
	}

	w.fb.Spec.ForProvider.Chart.Version = "9.9.9"
	if err := w.reconcile(); !fault.Is(err, fault.Refused) || err.Error() != "the chart repository has no chart flux 9.9.9" {
		t.Errorf("a version that is not there: %v", err)
	}

	// A repository that is away matters to nobody who has the version already.
	s.Close()
	w.fb.Spec.ForProvider.Chart.Version = "1.1.0"
	w.expect("repository is away", xpv2.TypeReady, corev1.ConditionTrue, "")

	w.fb.Spec.ForProvider.Chart = nil
	w.expect("built-in", xpv2.TypeReady, corev1.ConditionTrue, "")
}

// TestComponents come and go with the list of them.
func TestComponents(t *testing.T) {
	w := newWorld(t)
	w.must(w.reconcile())
	w.controllersRun()
	w.expect("two", xpv2.TypeReady, corev1.ConditionTrue, "")

	w.fb.Spec.ForProvider.Components = []v1alpha1.Component{"source-controller", "kustomize-controller", "helm-controller"}
	w.expect("a third", v1alpha1.TypeFluxInstalled, corev1.ConditionFalse, "helm-controller does not run: Replicas: 0/1")
	w.controllersRun()
	w.expect("three", xpv2.TypeReady, corev1.ConditionTrue, "")

	w.fb.Spec.ForProvider.Components = w.fb.Spec.ForProvider.Components[:2]
	w.expect("two again", xpv2.TypeReady, corev1.ConditionTrue, "")
	if w.get(&appsv1.Deployment{}, "helm-controller") {
		t.Error("helm-controller is still there")
	}

	// What was never built in is refused by name, and so is another version.
	w.fb.Spec.ForProvider.Components = append(w.fb.Spec.ForProvider.Components, "notification-controller")
	want := "notification-controller is not built in: leave it out of components, or set chart"
	if err := w.reconcile(); !fault.Is(err, fault.Refused) || err.Error() != want {
		t.Errorf("error: %v; want %s", err, want)
	}
	w.fb.Spec.ForProvider.Components = w.fb.Spec.ForProvider.Components[:2]
	w.fb.Spec.ForProvider.Version = new("v2.0.0")
	want = "Flux v2.0.0 is not built in, " + w.fb.Status.AtProvider.Version + " is: leave version empty, or set chart"
	if err := w.reconcile(); !fault.Is(err, fault.Refused) {
		t.Errorf("error: %v", err)
	} else if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("error (-want, +got):\n%s", diff)
	}
}
