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
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-containerregistry/pkg/registry"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	helmregistry "helm.sh/helm/v4/pkg/registry"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// registry serves Flux's chart, pushed as Helm does, in some versions. It
// returns the chart's address. What downloads charts trusts it until the test ends.
func (w *world) registry(versions ...string) (address string, stop func()) {
	w.Helper()
	s := httptest.NewTLSServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	w.Cleanup(s.Close)
	trusted := http.DefaultTransport
	http.DefaultTransport = s.Client().Transport
	w.Cleanup(func() { http.DefaultTransport = trusted })

	address = strings.TrimPrefix(s.URL, "https://") + "/charts/flux"
	helm, err := helmregistry.NewClient(helmregistry.ClientOptHTTPClient(s.Client()), helmregistry.ClientOptWriter(io.Discard),
		helmregistry.ClientOptCredentialsFile(filepath.Join(w.TempDir(), "credentials")))
	w.must(err)
	p, err := w.w.charts.Package(options(w.fb), nil)
	w.must(err)
	for _, v := range versions {
		p.Chart.Metadata.Version = v
		file, err := chartutil.Save(p.Chart, w.TempDir())
		w.must(err)
		content, err := os.ReadFile(file)
		w.must(err)
		_, err = helm.Push(content, address+":"+v, helmregistry.PushOptStrictMode(false))
		w.must(err)
	}
	return "oci://" + address, s.Close
}

// TestChartRegistry installs Flux from a chart in an OCI registry, and upgrades
// it when another version is asked for.
func TestChartRegistry(t *testing.T) {
	w := newWorld(t)
	address, stop := w.registry("1.0.0", "1.1.0")
	w.fb.Spec.ForProvider.Chart = &v1alpha1.Chart{Repository: address, Name: "flux2", Version: "1.0.0"}
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
	want := "the registry has no chart " + address + ":9.9.9"
	if err := w.reconcile(); !fault.Is(err, fault.Refused) || err.Error() != want {
		t.Errorf("a version that is not there: %v; want %s", err, want)
	}

	// A registry that is away matters to nobody who has the version already.
	stop()
	w.fb.Spec.ForProvider.Chart.Version = "1.1.0"
	w.expect("registry is away", xpv2.TypeReady, corev1.ConditionTrue, "")

	// Who asks for another is told so, and keeps what runs.
	w.fb.Spec.ForProvider.Chart.Version = "1.0.0"
	if err := w.reconcile(); !fault.Is(err, fault.Unreachable) {
		t.Errorf("a registry that is away: %v", err)
	}
	if r := w.release(); r.Revision != first.Revision+1 {
		t.Errorf("the release is %+v", r)
	}

	w.fb.Spec.ForProvider.Chart = nil
	w.expect("built-in", xpv2.TypeReady, corev1.ConditionTrue, "")
}
