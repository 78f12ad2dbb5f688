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

package render

import (
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// A chart that profile full brings as a HelmRelease.
type chart struct {
	// Component that people choose it by; also the name of its file.
	Component string

	Layer v1alpha1.Layer

	// Name of the chart, of its source and of its release.
	Name, Version string

	// OCI address of the chart, or else the Repository that has it.
	OCI, Repository string

	// Namespace that it runs in, and the Pod Security level that it needs there.
	Namespace, podSecurity string

	// only says which clusters it is for; every one, if it is nil.
	only func(Input) bool

	// after tells whether it waits for the gateway, which brings the API that it uses.
	after func(Input) bool

	values func(Input) map[string]any
}

// charts of profile full, and the versions of them that were seen to work
// together (September 2026). This is the one place to raise a version.
func charts() []chart {
	return []chart{
		{
			Component: "gateway", Layer: v1alpha1.LayerInfrastructure,
			Name: "gateway-helm", Version: "1.9.0", OCI: "oci://docker.io/envoyproxy/gateway-helm",
			Namespace: "envoy-gateway-system", podSecurity: "baseline",
			values: noValues,
		},
		{
			Component: "certificates", Layer: v1alpha1.LayerInfrastructure,
			Name: "cert-manager", Version: "v1.21.1", OCI: "oci://quay.io/jetstack/charts/cert-manager",
			Namespace: "cert-manager", podSecurity: "restricted",
			after:  func(in Input) bool { return in.Wants("gateway") },
			values: certManagerValues,
		},
		{
			Component: "dns", Layer: v1alpha1.LayerInfrastructure,
			Name: "external-dns", Version: "1.21.1", Repository: "https://kubernetes-sigs.github.io/external-dns/",
			Namespace: "external-dns", podSecurity: "restricted",
			only:   func(in Input) bool { return dnsProvider(in.Provider) != "" },
			values: externalDNSValues,
		},
		{
			Component: "storage", Layer: v1alpha1.LayerInfrastructure,
			Name: "longhorn", Version: "1.12.1", Repository: "https://charts.longhorn.io",
			Namespace: "longhorn-system", podSecurity: "privileged",
			values: longhornValues,
		},
		{
			Component: "metrics", Layer: v1alpha1.LayerInfrastructure,
			Name: "metrics-server", Version: "3.13.1", Repository: "https://kubernetes-sigs.github.io/metrics-server/",
			Namespace: "kube-system", podSecurity: "privileged",
			// GKE runs one of its own.
			only:   func(in Input) bool { return dnsProvider(in.Provider) != "google" },
			values: noValues,
		},
		{
			Component: "database", Layer: v1alpha1.LayerApps,
			Name: "cloudnative-pg", Version: "0.29.0", Repository: "https://cloudnative-pg.github.io/charts",
			Namespace: "cnpg-system", podSecurity: "restricted",
			values: noValues,
		},
		{
			Component: "monitoring", Layer: v1alpha1.LayerApps,
			Name: "kube-prometheus-stack", Version: "88.3.0", OCI: "oci://ghcr.io/prometheus-community/charts/kube-prometheus-stack",
			Namespace: "monitoring", podSecurity: "privileged",
			values: monitoringValues,
		},
		{
			Component: "logging", Layer: v1alpha1.LayerApps,
			Name: "victoria-logs-single", Version: "0.13.9", Repository: "https://victoriametrics.github.io/helm-charts/",
			Namespace: "logging", podSecurity: "privileged",
			values: loggingValues,
		},
	}
}

// Components that can be chosen in profile full.
func Components() []string {
	cs := charts()
	out := make([]string, 0, len(cs))

	for _, c := range cs {
		out = append(out, c.Component)
	}

	return out
}

func (c chart) wanted(in Input) bool {
	return in.Wants(c.Component) && (c.only == nil || c.only(in))
}

// chart renders a chart's source and its release.
func (w *writer) chart(file string, c chart, d data) {
	values := ""

	if v := c.values(d.Input); len(v) > 0 {
		b, err := yaml.Marshal(v)
		if err != nil && w.err == nil {
			w.err = errors.Wrapf(err, "cannot render the values of %s", c.Name)
		}

		values = indent(string(b))
	}

	w.file(file, "release.yaml.tmpl", chartData{chart: c, Values: values, AfterGateway: c.after != nil && c.after(d.Input)})
}

// chartData is what the template of a chart sees.
type chartData struct {
	chart

	Values string

	AfterGateway bool
}

// indent YAML to where values stand in a HelmRelease.
func indent(s string) string {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i := range lines {
		if lines[i] != "" {
			lines[i] = "    " + lines[i]
		}
	}

	return strings.Join(lines, "\n")
}
