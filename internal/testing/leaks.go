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

package testing

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

const (
	// around is how much is shown around a find, in bytes.
	around = 80
	// shortest is the length of a secret below which it would be found by chance.
	shortest = 8
)

// A Hidden value must be found nowhere but in some places.
type Hidden struct {
	Name  string
	Value string
	// At names the places that must hold it.
	At []string
}

// Leaks looks for hidden values in the texts of places, in each form that they may show in, and says where they are
// and must not be, and where they must be and are not.
func Leaks(places map[string]string, values ...Hidden) []string {
	var out []string
	for _, v := range values {
		if len(v.Value) < shortest {
			out = append(out, v.Name+" has no value")
			continue
		}
		for _, where := range v.At {
			if Find(places[where], v.Value) == "" {
				out = append(out, fmt.Sprintf("%s is not where it belongs: %s", v.Name, where))
			}
		}
		for where, text := range places {
			if at := Find(text, v.Value); at != "" && !slices.Contains(v.At, where) {
				out = append(out, fmt.Sprintf("%s is in %s: %s", v.Name, where, at))
			}
		}
	}
	return out
}

// Find shows where in a text a value is, without the value; "" if it is not.
func Find(text, value string) string {
	for _, f := range forms(value) {
		if i := strings.Index(text, f); i >= 0 {
			return "…" + text[max(0, i-around):i] + "HERE" + text[i+len(f):min(len(text), i+len(f)+around)] + "…"
		}
	}
	return ""
}

// forms in which a value may show: as it is, escaped, and as base64 at any offset, as in data of a Secret, a Basic
// header, or a kubeconfig.
func forms(value string) []string {
	out := []string{value, url.QueryEscape(value)}
	if quoted, err := json.Marshal(value); err == nil {
		out = append(out, strings.Trim(string(quoted), `"`))
	}
	for offset, skip := range []int{0, 2, 3} {
		plain := strings.Repeat("x", offset) + value
		enc := base64.StdEncoding.EncodeToString([]byte(plain))
		out = append(out, enc[skip:len(plain)/3*4])
	}
	return out
}

// Objects returns the texts of all objects of all kinds, by kind, namespace and name, with what is encoded in them
// decoded.
func Objects(ctx context.Context, cfg *rest.Config) (map[string]string, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.WarningHandlerWithContext = -1, rest.NoWarnings{} // about kinds that are only read
	dc, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a discovery client")
	}
	dyn, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a client")
	}
	lists, err := dc.ServerPreferredResources()
	if err != nil {
		return nil, errors.Wrap(err, "cannot discover the kinds")
	}
	out := map[string]string{}
	for _, l := range lists {
		gv, err := schema.ParseGroupVersion(l.GroupVersion)
		if err != nil {
			return nil, errors.Wrap(err, "cannot parse a group and version")
		}
		for i := range l.APIResources {
			r := &l.APIResources[i]
			if strings.Contains(r.Name, "/") || !slices.Contains(r.Verbs, "list") {
				continue
			}
			items, err := dyn.Resource(gv.WithResource(r.Name)).List(ctx, metav1.ListOptions{})
			if meta.IsNoMatchError(err) {
				continue
			}
			if err != nil {
				return nil, errors.Wrapf(err, "cannot list %s", r.Name)
			}
			for j := range items.Items {
				o := &items.Items[j]
				text, err := textOf(o)
				if err != nil {
					return nil, errors.Wrapf(err, "cannot read %s %s", o.GetKind(), o.GetName())
				}
				out[o.GetKind()+" "+strings.TrimPrefix(o.GetNamespace()+"/"+o.GetName(), "/")] += text
			}
		}
	}
	return out, nil
}

// textOf an object. A Secret's data is decoded, a Helm release's down to its values.
func textOf(o *unstructured.Unstructured) (string, error) {
	raw, err := o.MarshalJSON()
	if err != nil || o.GetKind() != "Secret" {
		return string(raw), err
	}
	var text strings.Builder
	text.Write(raw)
	data, _, err := unstructured.NestedStringMap(o.Object, "data")
	if err != nil {
		return "", err
	}
	for k, v := range data {
		plain, err := base64.StdEncoding.DecodeString(v)
		if err != nil {
			return "", err
		}
		text.WriteString("\n" + k + ": " + string(plain))
		if k != "release" {
			continue
		}
		release, err := unpack(plain)
		if err != nil {
			return "", err
		}
		text.WriteString(release)
	}
	return text.String(), nil
}

// unpack what Helm keeps of a release.
func unpack(data []byte) (string, error) {
	zipped, err := base64.StdEncoding.DecodeString(string(data))
	if err != nil {
		return "", err
	}
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

// History returns everything that was ever in a Git repository: contents, names and messages.
func History(ctx context.Context, dir string) (string, error) {
	var text strings.Builder
	for _, args := range [][]string{{"cat-file", "--batch-all-objects", "--batch"}, {"log", "--all", "--format=raw", "--name-only"}, {"for-each-ref"}} {
		cmd := exec.CommandContext(ctx, "git", args...) //nolint:gosec // the commands above
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			return "", errors.Wrapf(err, "cannot run git %s", args[0])
		}
		text.Write(out)
	}
	return text.String(), nil
}
