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
	"bytes"
	"embed"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

//go:embed templates
var files embed.FS

const kustomization = "kustomization.yaml"

// Render the tree of a pass. The hash that it returns is stamped on the
// marker and on every layer; it is taken before stamping.
func Render(in Input, pass Pass) (Tree, string, error) {
	if err := in.check(); err != nil {
		return nil, "", fault.As(err, fault.Refused)
	}

	tmpl, err := parsed()
	if err != nil {
		return nil, "", err
	}

	d := newData(in, pass)

	t, err := renderTree(tmpl, d)
	if err != nil {
		return nil, "", err
	}

	d.TreeHash = t.hash()

	t, err = renderTree(tmpl, d)

	return t, d.TreeHash, err
}

func renderTree(tmpl *template.Template, d data) (Tree, error) {
	w := &writer{tmpl: tmpl, tree: Tree{}}
	layers := []v1alpha1.Layer{v1alpha1.LayerInfrastructure}
	if d.Pass == Environment {
		layers = append(layers, v1alpha1.LayerSecrets, v1alpha1.LayerApps)
	}

	root := make([]string, 0, len(layers))
	after := v1alpha1.Layer("")

	for _, l := range layers {
		w.layer(l, after, d)
		root = append(root, string(l)+".yaml")
		after = l
	}

	w.kustomization("", root)
	w.file(MarkerFile, "marker.yaml.tmpl", markerData{data: d, Files: w.tree.Paths()})

	return w.tree, w.err
}

// A writer renders templates into a tree until the first error.
type writer struct {
	tmpl *template.Template
	tree Tree
	err  error
}

func (w *writer) file(name, tmpl string, d any) {
	if w.err != nil {
		return
	}

	b := &bytes.Buffer{}
	if err := w.tmpl.ExecuteTemplate(b, tmpl, d); err != nil {
		w.err = errors.Wrapf(err, "cannot render %s", name)

		return
	}

	w.tree[name] = append(bytes.TrimSpace(b.Bytes()), '\n')
}

func (w *writer) kustomization(dir string, resources []string) {
	w.file(path.Join(dir, kustomization), "root.yaml.tmpl", map[string]any{"Resources": resources})
}

// layer renders a layer's folder, and the Flux Kustomization that applies it.
func (w *writer) layer(l, after v1alpha1.Layer, d data) {
	dir := string(l)

	for _, f := range layerTemplates(l, d) {
		w.file(path.Join(dir, f), dir+"/"+f+".tmpl", d)
	}

	for f, b := range layerFiles(l, d) {
		w.tree[path.Join(dir, f)] = b
	}

	for _, c := range charts() {
		if c.Layer == l && c.wanted(d.Input) {
			w.chart(path.Join(dir, c.Component+".yaml"), c, d)
		}
	}

	resources := []string{}

	for _, p := range w.tree.Paths() {
		if f, ok := strings.CutPrefix(p, dir+"/"); ok {
			resources = append(resources, f)
		}
	}

	w.kustomization(dir, resources)
	w.file(dir+".yaml", "layer.yaml.tmpl", layerData{data: d, Layer: l, After: after})
}

// layerTemplates are the names of the files that a layer has templates for.
func layerTemplates(l v1alpha1.Layer, d data) []string {
	switch l {
	case v1alpha1.LayerInfrastructure:
		if d.ExistingSealedSecrets != "" {
			return []string{"namespaces.yaml"}
		}

		return []string{"namespaces.yaml", "sealed-secrets.yaml"}
	case v1alpha1.LayerApps:
		if d.Wants("gateway") {
			return []string{"kubeopera.yaml", "routes.yaml"}
		}

		return []string{"kubeopera.yaml"}
	case v1alpha1.LayerSecrets:
	}

	return nil
}

// layerFiles are the files of a layer that are ready as they are.
func layerFiles(l v1alpha1.Layer, d data) map[string][]byte {
	out := map[string][]byte{}

	switch l {
	case v1alpha1.LayerInfrastructure:
		if d.ExistingSealedSecrets == "" {
			out["sealed-secrets-crd.yaml"] = d.Assets.SealedSecretsCRD
		}
	case v1alpha1.LayerSecrets:
		for name, b := range d.Sealed {
			out[name+".yaml"] = b
		}
	case v1alpha1.LayerApps:
		for name, b := range d.Assets.CRDs {
			out["crds/"+name] = b
		}
	}

	return out
}

// parsed are the templates. They are part of the program: parsing them once is enough.
var parsed = sync.OnceValues(parse)

func parse() (*template.Template, error) {
	root := template.New("").Option("missingkey=error").Funcs(template.FuncMap{"quote": quote})

	for _, dir := range []string{"", "infrastructure/", "apps/"} {
		entries, err := files.ReadDir(strings.TrimSuffix("templates/"+dir, "/"))
		if err != nil {
			return nil, errors.Wrap(err, "cannot list templates")
		}

		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.IsDir() })
		for _, e := range entries {
			b, err := files.ReadFile("templates/" + dir + e.Name())
			if err != nil {
				return nil, errors.Wrap(err, "cannot read a template")
			}

			if _, err := root.New(dir + e.Name()).Parse(string(b)); err != nil {
				return nil, errors.Wrapf(err, "cannot parse the template %s", e.Name())
			}
		}
	}

	return root, nil
}

// quote a value for YAML. A quoted string of ASCII is a scalar that cannot be
// anything else, whatever the value holds; YAML knows all of Go's escapes.
func quote(s string) string { return strconv.QuoteToASCII(s) }
