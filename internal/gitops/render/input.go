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
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// A Pass is one of the two pushes of a tree.
type Pass int

// The passes.
const (
	None           Pass = 0
	Infrastructure Pass = 1
	Environment    Pass = 2
)

// Assets are the manifests that a tree contains as they are.
type Assets struct {
	// SealedSecretsCRD is the CustomResourceDefinition of Sealed Secrets.
	SealedSecretsCRD []byte

	// CRDs of KubeOpera by file name.
	CRDs map[string][]byte
}

// An Input is everything that a tree depends on.
type Input struct {
	// Namespace and Name of the object that the tree is written for.
	Namespace, Name string

	// ID of the cluster: the value of the label kubeopera.io/host-cluster-id.
	ID string

	// ClusterUID is the UID of the cluster's namespace kube-system.
	ClusterUID string

	// Path of the tree in its repository, relative and clean.
	Path string

	// FluxNamespace is where Flux runs on the cluster.
	FluxNamespace string

	Domain, Provider, Region string

	Profile    v1alpha1.Profile
	Components []string

	// Version of KubeOpera, which is the tag of its images.
	Version string

	// PullSecret tells whether the tree brings a Secret to pull KubeOpera's images with.
	PullSecret bool

	// ExistingSealedSecrets is the namespace of a controller of Sealed Secrets
	// that the cluster has already. A second one would report every secret of
	// the first as broken, so the tree then brings none.
	ExistingSealedSecrets string

	// Sealed are the SealedSecrets of pass 2 by name, as YAML.
	Sealed map[string][]byte

	Assets Assets
}

// Names of what every tree brings.
const (
	// PlatformSecret holds the session key of kubeopera-api.
	PlatformSecret = "kubeopera-platform"

	// PullSecret is for the registry of KubeOpera's images.
	PullSecret = "kubeopera-registry-pull"

	// GrafanaSecret holds the administrator of Grafana.
	GrafanaSecret = "grafana-admin"

	// GrafanaNamespace is where Grafana runs.
	GrafanaNamespace = "monitoring"

	// SealedSecretsNamespace is where the controller of Sealed Secrets runs and keeps its keys.
	SealedSecretsNamespace = "sealed-secrets"
)

// Images of what every tree brings; ProviderImage is followed by the version.
const (
	SealedSecretsImage = "docker.io/bitnami/sealed-secrets-controller:0.36.6"
	ProviderImage      = "ghcr.io/kubeopera/provider-kubeopera"
)

// check refuses what cannot be written into manifests. Most of it the API has
// refused before; provider and region may be any text.
func (in Input) check() error {
	if err := CheckPath(in.Path); err != nil {
		return err
	}

	for _, f := range []struct{ what, value string }{
		{"name", in.Name},
		{"namespace", in.Namespace},
		{"cluster name", in.ID},
		{"domain", in.Domain},
		{"provider", in.Provider},
		{"region", in.Region},
		{"version", in.Version},
	} {
		if strings.ContainsFunc(f.value, func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }) {
			return errors.Errorf("the %s %q has a character that no manifest may have", f.what, f.value)
		}
	}

	return nil
}

// CheckPath refuses paths that are not a folder below the root of a repository.
func CheckPath(p string) error {
	switch {
	case p == "" || p == ".":
		return errors.New("the path must not be the root of the repository")
	case path.IsAbs(p):
		return errors.Errorf("the path %q must be relative", p)
	case path.Clean(p) != p:
		return errors.Errorf("the path %q is not clean: write %q", p, path.Clean(p))
	}

	for s := range strings.SplitSeq(p, "/") {
		if s == ".." || strings.EqualFold(s, ".git") {
			return errors.Errorf("the path %q must not have a segment %q", p, s)
		}
	}

	if i := strings.IndexFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == '\uFFFD' }); i >= 0 {
		return errors.Errorf("the path %q has a character that no path may have", p)
	}

	return nil
}
