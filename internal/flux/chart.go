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
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fluxcd/flux2/v2/pkg/manifestgen/install"
	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// generateTimeout bounds one run of manifestgen, which takes about 0.2 s.
const generateTimeout = time.Minute

// Options of the built-in Flux.
type Options struct {
	// Version that is asked for; empty means the built-in one.
	Version string

	// Namespace that Flux runs in.
	Namespace string

	// Components to install.
	Components []v1alpha1.Component

	// ImagePullSecret in that namespace, if the images need one.
	ImagePullSecret string
}

// Chart renders the built-in Flux as a Helm chart. The same options always give
// the same chart, byte for byte. The Namespace is not part of it: uninstalling
// the release must not delete what else is in there. CRDs outlive the release,
// since deleting them would delete every Flux object on the cluster.
func (b *BuiltIn) Chart(o Options) (*chart.Chart, error) {
	if err := b.check(o); err != nil {
		return nil, err
	}

	rendered, err := b.render(o)
	if err != nil {
		return nil, err
	}

	objects, err := parse(rendered)
	if err != nil {
		return nil, err
	}

	c := &chart.Chart{
		Metadata: &chart.Metadata{
			APIVersion:  chart.APIVersionV2,
			Name:        ReleaseName,
			Version:     strings.TrimPrefix(b.Version, "v"),
			AppVersion:  b.Version,
			Type:        "application",
			Description: "Flux, as provider-kubeopera installs it",
		},
	}
	for _, u := range objects {
		if u.GetKind() == "Namespace" {
			continue
		}
		if err := adjust(u); err != nil {
			return nil, errors.Wrapf(err, "cannot adjust %s %s", u.GetKind(), u.GetName())
		}
		out, err := yaml.Marshal(u.Object)
		if err != nil {
			return nil, errors.Wrap(err, "cannot write a template")
		}
		c.Templates = append(c.Templates, &common.File{Name: templateName(u), Data: escape(out)})
	}
	slices.SortFunc(c.Templates, func(a, b *common.File) int { return strings.Compare(a.Name, b.Name) })

	return c, nil
}

// Digest of a chart that Chart rendered.
func Digest(c *chart.Chart) string {
	h := sha256.New()
	for _, t := range c.Templates {
		fmt.Fprintf(h, "%s\x00%s\x00", t.Name, t.Data)
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// render runs manifestgen in a folder of its own, since it writes there.
func (b *BuiltIn) render(o Options) ([]byte, error) {
	dir, err := os.MkdirTemp("", "kubeopera-flux-")
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a temporary folder")
	}
	defer os.RemoveAll(dir)

	if err := copyFiles(b.files, dir); err != nil {
		return nil, err
	}

	opts := install.MakeDefaultOptions()
	opts.Version = b.Version
	opts.Namespace = o.Namespace
	opts.Components = components(o.Components)
	opts.ComponentsExtra = nil
	opts.ImagePullSecret = o.ImagePullSecret
	opts.Timeout = generateTimeout

	m, err := install.Generate(opts, dir)
	if err != nil {
		return nil, errors.Wrap(err, "cannot generate the manifests of Flux")
	}
	return []byte(m.Content), nil
}

// components sorted by name: their order in a spec means nothing.
func components(in []v1alpha1.Component) []string {
	out := make([]string, 0, len(in))
	for _, c := range in {
		out = append(out, string(c))
	}
	slices.Sort(out)
	return out
}

func copyFiles(from fs.FS, dir string) error {
	names, err := fs.Glob(from, "*.yaml")
	if err != nil {
		return errors.Wrap(err, "cannot list the built-in manifests")
	}
	for _, name := range names {
		content, err := fs.ReadFile(from, name)
		if err != nil {
			return errors.Wrap(err, "cannot read the built-in manifests")
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return errors.Wrap(err, "cannot copy the built-in manifests")
		}
	}
	return nil
}

// parse the documents of a YAML stream.
func parse(stream []byte) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	for doc := range bytes.SplitSeq(append([]byte("\n"), stream...), []byte("\n---\n")) {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(doc, &u.Object); err != nil {
			return nil, errors.Wrap(err, "cannot read the generated manifests")
		}
		if len(u.Object) > 0 {
			out = append(out, u)
		}
	}
	return out, nil
}

func templateName(u *unstructured.Unstructured) string {
	return fmt.Sprintf("templates/%s-%s.yaml", strings.ToLower(u.GetKind()), u.GetName())
}

// escape keeps text that looks like a template action from being one.
func escape(in []byte) []byte {
	return bytes.ReplaceAll(in, []byte("{{"), []byte("{{ `{{` }}"))
}
