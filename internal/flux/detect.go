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
	"context"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// The CRDs that tell whether a Flux can do what we ask of it.
const (
	crdGitRepository = "gitrepositories.source.toolkit.fluxcd.io"
	crdKustomization = "kustomizations.kustomize.toolkit.fluxcd.io"
)

// CRDs of Flux on a target; nil where there is none.
type CRDs struct {
	GitRepository *apiextensionsv1.CustomResourceDefinition
	Kustomization *apiextensionsv1.CustomResourceDefinition
}

// ReadCRDs reads them.
func ReadCRDs(ctx context.Context, c client.Client) (CRDs, error) {
	out := CRDs{}
	for name, into := range map[string]**apiextensionsv1.CustomResourceDefinition{
		crdGitRepository: &out.GitRepository,
		crdKustomization: &out.Kustomization,
	} {
		crd := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: name}}
		found, err := Get(ctx, c, crd)
		if err != nil {
			return CRDs{}, err
		}
		if found {
			*into = crd
		}
	}
	return out, nil
}

// An Existing is a Flux that the target had already, and that we leave alone.
type Existing struct {
	// Version of it, as its controllers' labels say.
	Version string

	// Namespace that it runs in; empty if no controller was found.
	Namespace string

	// Components of it.
	Components []Component

	// Problems that keep us from using it.
	Problems []string
}

// Err refuses an Existing with problems.
func (e *Existing) Err() error {
	if e == nil || len(e.Problems) == 0 {
		return nil
	}
	what := "Existing Flux"
	if e.Version != "" {
		what += " " + e.Version
	}
	if e.Namespace != "" {
		what += " in " + e.Namespace
	}
	return fault.Newf(fault.Refused, "%s cannot be used: %s", what, strings.Join(e.Problems, "; "))
}

// Needs of a FluxBootstrap towards a Flux.
type Needs struct {
	// Namespace that our objects are in.
	Namespace string

	// Components that must be there.
	Components []v1alpha1.Component

	// Labels of our objects.
	Labels map[string]string
}

// Detect a Flux that is not ours. It returns nil if there is none.
func Detect(all []Component, crds CRDs, r Release, n Needs) *Existing {
	if r.Ours() {
		return nil
	}

	mine := n.Namespace + "/" + ReleaseName
	foreign := slices.DeleteFunc(slices.Clone(all), func(c Component) bool {
		// Our controllers outlive the loss of our release, and come back into it.
		return c.Release == mine && !r.Exists()
	})

	if len(foreign) == 0 {
		return leftover(crds, mine)
	}

	// More than one Flux: ours would get into the way of each of them.
	e := &Existing{Version: foreign[0].Version, Namespace: foreign[0].Namespace}
	e.Components = slices.DeleteFunc(foreign, func(c Component) bool { return c.Namespace != e.Namespace })
	e.Problems = append(missing(e.Components, n), restrictions(e.Components, n)...)
	e.Problems = append(e.Problems, outdated(crds)...)
	return e
}

// leftover finds CRDs without controllers.
func leftover(crds CRDs, mine string) *Existing {
	for _, crd := range []*apiextensionsv1.CustomResourceDefinition{crds.GitRepository, crds.Kustomization} {
		if crd == nil {
			continue
		}
		a := crd.GetAnnotations()
		if a["meta.helm.sh/release-namespace"]+"/"+a["meta.helm.sh/release-name"] == mine {
			continue
		}
		return &Existing{Problems: []string{fmt.Sprintf("the CRD %s is there, but no controller labelled %s=%s; "+
			"delete the CRDs of Flux if nobody needs them", crd.GetName(), labelPartOf, partOfFlux)}}
	}
	return nil
}

func missing(have []Component, n Needs) []string {
	var out []string
	for _, want := range n.Components {
		if !slices.ContainsFunc(have, func(c Component) bool { return c.Name == string(want) }) {
			out = append(out, fmt.Sprintf("it has no %s", want))
		}
	}
	return out
}

// restrictions of its controllers that keep our objects from being reconciled.
// Of several shards of a controller one that takes our objects is enough.
func restrictions(have []Component, n Needs) []string {
	var out []string
	for _, name := range needed(n) {
		var least []string
		for i, c := range slices.DeleteFunc(slices.Clone(have), func(c Component) bool { return c.Name != string(name) }) {
			if r := c.restrictions(n); i == 0 || len(r) < len(least) {
				least = r
			}
		}
		out = append(out, least...)
	}
	return out
}

// needed are the components that reconcile our own objects, and those that were asked for.
func needed(n Needs) []v1alpha1.Component {
	all := append([]v1alpha1.Component{v1alpha1.ComponentSource, v1alpha1.ComponentKustomize}, n.Components...)
	slices.Sort(all)
	return slices.Compact(all)
}

func (c Component) restrictions(n Needs) []string {
	var out []string
	for _, arg := range c.Args {
		name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch name {
		case "watch-all-namespaces":
			if value == "false" && c.Namespace != n.Namespace {
				out = append(out, c.Name+" watches its own namespace only")
			}
		case "watch-label-selector":
			if s, err := labels.Parse(value); err != nil || !s.Matches(labels.Set(n.Labels)) {
				out = append(out, fmt.Sprintf("%s watches only objects labelled %s", c.Name, value))
			}
		case "default-service-account":
			out = append(out, fmt.Sprintf("%s works with the rights of the ServiceAccount %s", c.Name, value))
		}
	}
	return out
}

// outdated tells what its APIs lack.
func outdated(crds CRDs) []string {
	var out []string
	if served(crds.GitRepository) == nil {
		out = append(out, "it does not serve GitRepository v1")
	}
	switch v := served(crds.Kustomization); {
	case v == nil:
		out = append(out, "it does not serve Kustomization v1")
	case !hasDeletionPolicy(v):
		out = append(out, "its Kustomization has no deletionPolicy, which came with v2.5")
	}
	return out
}

// served returns the CRD's version v1, if it is served.
func served(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinitionVersion {
	if crd == nil {
		return nil
	}
	for i, v := range crd.Spec.Versions {
		if v.Name == "v1" && v.Served {
			return &crd.Spec.Versions[i]
		}
	}
	return nil
}

func hasDeletionPolicy(v *apiextensionsv1.CustomResourceDefinitionVersion) bool {
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return false
	}
	_, ok := v.Schema.OpenAPIV3Schema.Properties["spec"].Properties["deletionPolicy"]
	return ok
}
