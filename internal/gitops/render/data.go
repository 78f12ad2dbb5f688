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
	"slices"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// data is what the templates see.
type data struct {
	Input

	Pass     Pass
	TreeHash string
}

// layerData is what the template of a layer's Flux Kustomization sees.
type layerData struct {
	data

	Layer, After v1alpha1.Layer
}

// newData fills in what may be left out.
func newData(in Input, p Pass) data {
	if in.Profile == "" {
		in.Profile = v1alpha1.ProfileFull
	}

	if in.FluxNamespace == "" {
		in.FluxNamespace = v1alpha1.FluxNamespace
	}

	return data{Input: in, Pass: p}
}

// Wants tells whether the tree brings a component.
func (in Input) Wants(component string) bool {
	if in.Profile != v1alpha1.ProfileFull {
		return false
	}

	return len(in.Components) == 0 || slices.Contains(in.Components, component)
}

// SealedSecretsImage is the image of the controller of Sealed Secrets.
func (data) SealedSecretsImage() string { return SealedSecretsImage }

// ProviderImage is the image of KubeOpera's provider.
func (d data) ProviderImage() string { return ProviderImage + ":" + d.Version }

// PullSecretName is the name of the Secret for KubeOpera's registry, or nothing.
func (d data) PullSecretName() string {
	if !d.PullSecret {
		return ""
	}

	return PullSecret
}

// SourceName is the name of the GitRepository.
func (layerData) SourceName() string { return v1alpha1.SyncName }

// LayerPath is the layer's folder in the repository, as Flux wants it.
func (d layerData) LayerPath() string { return "./" + d.Path + "/" + string(d.Layer) }

// Timeout within which the layer has to be healthy. Charts take their time:
// images are large, and databases and storage come up slowly.
func (d layerData) Timeout() string {
	if d.Profile == v1alpha1.ProfileFull {
		return "15m"
	}

	return "5m"
}

// A namespace that the tree brings.
type namespace struct {
	Name, PodSecurity string
}

// Namespaces of everything in the tree. They are all part of pass 1: secrets
// are sealed for a namespace, and unsealed into it.
func (d data) Namespaces() []namespace {
	out := []namespace{{Name: v1alpha1.PlatformNamespace, PodSecurity: "restricted"}}

	if d.ExistingSealedSecrets == "" {
		out = append(out, namespace{Name: SealedSecretsNamespace, PodSecurity: "restricted"})
	}

	for _, c := range charts() {
		n := namespace{Name: c.Namespace, PodSecurity: c.podSecurity}
		if c.wanted(d.Input) && !slices.ContainsFunc(out, func(o namespace) bool { return o.Name == n.Name }) && n.Name != "kube-system" {
			out = append(out, n)
		}
	}

	return out
}

// A service that people reach through the gateway, at its name below the domain.
type service struct {
	Name, Namespace, Backend string

	Port int
}

// Services behind the gateway: only those that ask people to sign in.
func (d data) Services() []service {
	out := []service{}

	if d.Wants("monitoring") {
		out = append(out, service{Name: "grafana", Namespace: "monitoring", Backend: "monitoring-grafana", Port: 80})
	}

	return out
}
