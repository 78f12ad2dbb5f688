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
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/cli"
	"helm.sh/helm/v4/pkg/getter"
	"helm.sh/helm/v4/pkg/registry"
	repo "helm.sh/helm/v4/pkg/repo/v1"
	"oras.land/oras-go/v2/errdef"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// chartTimeout bounds each download from a chart repository.
const chartTimeout = 30 * time.Second

// SourceDigest of a chart that comes from a repository: it says when to upgrade
// without a download.
func SourceDigest(c v1alpha1.Chart) string {
	b, _ := json.Marshal(c) //nolint:errchkjson // Values were JSON when they came.
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])[:32]
}

// ChartValues of a chart that comes from a repository.
func ChartValues(c v1alpha1.Chart) (map[string]any, error) {
	values := map[string]any{}
	if c.Values == nil || len(c.Values.Raw) == 0 {
		return values, nil
	}
	if err := json.Unmarshal(c.Values.Raw, &values); err != nil {
		return nil, fault.Wrap(err, v1alpha1.ReasonRefused, "chart.values is not an object")
	}
	return values, nil
}

// Download a chart from an OCI or HTTPS repository, without credentials.
func Download(c v1alpha1.Chart) (*chart.Chart, error) {
	return download(c, http.DefaultTransport)
}

func download(c v1alpha1.Chart, registries http.RoundTripper) (*chart.Chart, error) {
	var archive io.Reader
	var err error
	if registry.IsOCI(c.Repository) {
		archive, err = downloadOCI(c, registries)
	} else {
		archive, err = downloadHTTP(c)
	}
	if err != nil {
		return nil, err
	}

	out, err := loader.LoadArchive(archive)
	return out, errors.Wrap(err, "cannot read the chart")
}

func downloadOCI(c v1alpha1.Chart, via http.RoundTripper) (io.Reader, error) {
	// The credentials file does not exist: those of whoever runs this are not ours to use.
	dir, remove, err := scratch()
	if err != nil {
		return nil, err
	}
	defer remove()

	rc, err := registry.NewClient(
		registry.ClientOptWriter(io.Discard),
		registry.ClientOptCredentialsFile(filepath.Join(dir, "config.json")),
		registry.ClientOptHTTPClient(&http.Client{Timeout: chartTimeout, Transport: via}))
	if err != nil {
		return nil, errors.Wrap(err, "cannot set up a registry client")
	}

	res, err := rc.Pull(strings.TrimPrefix(c.Repository, registry.OCIScheme+"://") + ":" + c.Version)
	if errors.Is(err, errdef.ErrNotFound) {
		return nil, fault.Newf(v1alpha1.ReasonRefused, "the registry has no chart %s:%s", c.Repository, c.Version)
	}
	if err != nil {
		return nil, fault.Wrap(err, v1alpha1.ReasonUnreachable, "cannot pull the chart of Flux")
	}
	return bytes.NewReader(res.Chart.Data), nil
}

func downloadHTTP(c v1alpha1.Chart) (io.Reader, error) {
	dir, remove, err := scratch()
	if err != nil {
		return nil, err
	}
	defer remove()

	getters := getter.All(&cli.EnvSettings{PluginsDirectory: dir}, getter.WithTimeout(chartTimeout))
	r, err := repo.NewChartRepository(&repo.Entry{Name: ReleaseName, URL: c.Repository}, getters)
	if err != nil {
		return nil, fault.Wrap(err, v1alpha1.ReasonRefused, "cannot use the chart repository")
	}
	r.CachePath = dir

	file, err := r.DownloadIndexFile()
	if err != nil {
		return nil, fault.Wrap(err, v1alpha1.ReasonUnreachable, "cannot read the chart repository")
	}
	index, err := repo.LoadIndexFile(file)
	if err != nil {
		return nil, fault.Wrap(err, v1alpha1.ReasonRefused, "cannot read the index of the chart repository")
	}
	entry, err := index.Get(c.Name, c.Version)
	if err != nil || len(entry.URLs) == 0 {
		return nil, fault.Newf(v1alpha1.ReasonRefused, "the chart repository has no chart %s %s", c.Name, c.Version)
	}
	address, err := repo.ResolveReferenceURL(c.Repository, entry.URLs[0])
	if err != nil {
		return nil, fault.Wrap(err, v1alpha1.ReasonRefused, "cannot use the chart's address")
	}

	out, err := r.Client.Get(address)
	return out, fault.Wrap(err, v1alpha1.ReasonUnreachable, "cannot download the chart of Flux")
}

// scratch makes a folder that remove takes away again.
func scratch() (string, func(), error) {
	dir, err := os.MkdirTemp("", "kubeopera-chart-")
	return dir, func() { _ = os.RemoveAll(dir) }, errors.Wrap(err, "cannot make a temporary folder")
}
