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

package flux

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	helmregistry "helm.sh/helm/v4/pkg/registry"
	repo "helm.sh/helm/v4/pkg/repo/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// archive of a small chart, in a folder of its own.
func archive(t *testing.T) string {
	t.Helper()
	c := &chart.Chart{
		Metadata:  &chart.Metadata{Name: "flux2", Version: "2.0.0", APIVersion: "v2"},
		Templates: []*common.File{{Name: "templates/a.yaml", Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")}},
	}
	file, err := chartutil.Save(c, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestDownload(t *testing.T) {
	t.Setenv("HOME", "/nonexistent")
	file := archive(t)

	index, err := repo.IndexDirectory(filepath.Dir(file), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := index.WriteFile(filepath.Join(filepath.Dir(file), "index.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(file))))
	defer web.Close()

	oci := httptest.NewTLSServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer oci.Close()
	address := strings.TrimPrefix(oci.URL, "https://") + "/charts/flux2"
	client, err := helmregistry.NewClient(helmregistry.ClientOptHTTPClient(oci.Client()), helmregistry.ClientOptCredentialsFile(filepath.Join(t.TempDir(), "c")))
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Push(content, address+":2.0.0"); err != nil {
		t.Fatal(err)
	}

	cases := map[string]struct {
		reason string
		chart  v1alpha1.Chart
		class  fault.Class
	}{
		"HTTP":           {reason: "A Helm repository.", chart: v1alpha1.Chart{Repository: web.URL, Name: "flux2", Version: "2.0.0"}},
		"OCI":            {reason: "An OCI registry.", chart: v1alpha1.Chart{Repository: "oci://" + address, Version: "2.0.0"}},
		"UnknownVersion": {reason: "It is not in the index.", chart: v1alpha1.Chart{Repository: web.URL, Name: "flux2", Version: "9.0.0"}, class: fault.Refused},
		"UnknownTag":     {reason: "It is not in the registry.", chart: v1alpha1.Chart{Repository: "oci://" + address, Version: "9.0.0"}, class: fault.Refused},
		"NoServer":       {reason: "Nobody answers.", chart: v1alpha1.Chart{Repository: "http://127.0.0.1:1", Name: "flux2", Version: "2.0.0"}, class: fault.Unreachable},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, err := download(tc.chart, oci.Client().Transport)
			if tc.class != "" {
				if !fault.Is(err, tc.class) {
					t.Errorf("\n%s\nerror: %v", tc.reason, err)
				}
				return
			}
			if err != nil {
				t.Fatalf("\n%s\n%v", tc.reason, err)
			}
			if c.Name() != "flux2" || len(c.Templates) != 1 {
				t.Errorf("\n%s\nchart: %+v", tc.reason, c.Metadata)
			}
		})
	}
}

func TestChartValues(t *testing.T) {
	raw := func(s string) *apiextensionsv1.JSON { return &apiextensionsv1.JSON{Raw: []byte(s)} }
	if v, err := ChartValues(v1alpha1.Chart{Values: raw(`{"a":{"b":1}}`)}); err != nil || len(v) != 1 {
		t.Errorf("values: %v, %v", v, err)
	}
	if _, err := ChartValues(v1alpha1.Chart{Values: raw(`[1]`)}); !fault.Is(err, fault.Refused) {
		t.Errorf("error: %v", err)
	}
	a, b := v1alpha1.Chart{Version: "1"}, v1alpha1.Chart{Version: "1", Values: raw(`{}`)}
	if SourceDigest(a) == SourceDigest(b) {
		t.Error("values do not change the digest")
	}
}

func TestKeepCRDs(t *testing.T) {
	in := "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"
	out, err := keepCRDs{}.Run(bytes.NewBufferString(in))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "helm.sh/resource-policy: keep"); n != 1 {
		t.Errorf("%d objects are kept:\n%s", n, out)
	}
}
