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

package canary

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// around is how much is shown around a find, in bytes.
const around = 80

// A secret must be found nowhere but in some Secrets.
type secret struct {
	name  string
	value string
	// at names the Secrets that may hold it, as namespace/name.
	at []string
}

// forms in which a secret may show: as it is, escaped, and as base64 at any
// offset, as in data of a Secret, a Basic header, or a kubeconfig.
func forms(value string) []string {
	out := []string{value, url.QueryEscape(value), strings.Trim(quoted(value), `"`)}
	for offset, skip := range []int{0, 2, 3} {
		plain := strings.Repeat("x", offset) + value
		enc := base64.StdEncoding.EncodeToString([]byte(plain))
		out = append(out, enc[skip:len(plain)/3*4])
	}
	return out
}

func quoted(s string) string {
	q, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return string(q)
}

// holds tells where in a text a secret is, or "".
func holds(text, value string) string {
	for _, f := range forms(value) {
		if i := strings.Index(text, f); i >= 0 {
			return "…" + text[max(0, i-around):i] + "HERE" + text[i+len(f):min(len(text), i+len(f)+around)] + "…"
		}
	}
	return ""
}

func TestHolds(t *testing.T) {
	const value = "s3cr3t-canary/+"
	for name, text := range map[string]string{
		"Plain":   "a " + value,
		"Query":   "?a=" + url.QueryEscape(value),
		"Base64":  base64.StdEncoding.EncodeToString([]byte(value)),
		"Offset1": base64.StdEncoding.EncodeToString([]byte("u" + value + "tail")),
		"Offset2": base64.StdEncoding.EncodeToString([]byte("u:" + value + "tail")),
		"Offset3": base64.StdEncoding.EncodeToString([]byte("uu:" + value)),
	} {
		if holds("before "+text+" after", value) == "" {
			t.Errorf("%s: not found in %q", name, text)
		}
	}
	if at := holds("nothing s3cr3t here", value); at != "" {
		t.Errorf("found in %q", at)
	}
}

// search looks for secrets everywhere.
func (b *bed) search(secrets ...secret) {
	b.Helper()
	places := b.objects()
	objects := len(places)
	maps.Copy(places, map[string]string{"the logs": b.logs.String(), "the metrics": b.metrics(), "Git": b.history()})
	for _, s := range secrets {
		if len(s.value) < 8 {
			b.Errorf("%s has no value", s.name)
			continue
		}
		for _, where := range s.at {
			if holds(places["Secret "+where], s.value) == "" {
				b.Errorf("%s is not where it belongs: Secret %s", s.name, where)
			}
		}
		for where, text := range places {
			if at := holds(text, s.value); at != "" && !allowed(s, where) {
				b.Errorf("%s is in %s: %s", s.name, where, at)
			}
		}
	}
	b.Logf("searched %d objects, %d KiB of logs, %d KiB of Git for %d secrets", objects, len(places["the logs"])>>10, len(places["Git"])>>10, len(secrets))
}

func allowed(s secret, where string) bool {
	for _, at := range s.at {
		if where == "Secret "+at {
			return true
		}
	}
	return false
}

// objects are all objects of all kinds, with what is encoded in them decoded.
func (b *bed) objects() map[string]string {
	b.Helper()
	dc, err := discovery.NewDiscoveryClientForConfig(b.cp.Config)
	b.must(err)
	dyn, err := dynamic.NewForConfig(b.cp.Config)
	b.must(err)
	lists, err := dc.ServerPreferredResources()
	b.must(err)
	out := map[string]string{}
	for _, l := range lists {
		gv, err := schema.ParseGroupVersion(l.GroupVersion)
		b.must(err)
		for i := range l.APIResources {
			r := l.APIResources[i]
			if strings.Contains(r.Name, "/") || !strings.Contains(strings.Join(r.Verbs, " "), "list") {
				continue
			}
			items, err := dyn.Resource(gv.WithResource(r.Name)).List(b.Context(), metav1.ListOptions{})
			b.must(err)
			for j := range items.Items {
				o := &items.Items[j]
				out[o.GetKind()+" "+strings.TrimPrefix(o.GetNamespace()+"/"+o.GetName(), "/")] += b.text(o)
			}
		}
	}
	return out
}

// text of an object. A Secret's data is decoded, a Helm release's down to its values.
func (b *bed) text(o *unstructured.Unstructured) string {
	b.Helper()
	raw, err := o.MarshalJSON()
	b.must(err)
	if o.GetKind() != "Secret" {
		return string(raw)
	}
	var text strings.Builder
	text.Write(raw)
	data, _, err := unstructured.NestedStringMap(o.Object, "data")
	b.must(err)
	for k, v := range data {
		plain, err := base64.StdEncoding.DecodeString(v)
		b.must(err)
		text.WriteString("\n" + k + ": " + string(plain))
		if k == "release" {
			text.WriteString(b.release(plain))
		}
	}
	return text.String()
}

// release decodes what Helm keeps of a release.
func (b *bed) release(data []byte) string {
	b.Helper()
	zipped, err := base64.StdEncoding.DecodeString(string(data))
	b.must(err)
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	b.must(err)
	text, err := io.ReadAll(r)
	b.must(err)
	return string(text)
}

func (b *bed) metrics() string {
	b.Helper()
	families, err := metrics.Registry.Gather()
	b.must(err)
	var text strings.Builder
	for _, f := range families {
		text.WriteString(f.String() + "\n")
	}
	return text.String()
}

// history is everything that was ever in the Git repositories: contents, names and messages.
func (b *bed) history() string {
	b.Helper()
	var text strings.Builder
	for _, dir := range b.dirs {
		for _, args := range [][]string{{"cat-file", "--batch-all-objects", "--batch"}, {"log", "--all", "--format=raw", "--name-only"}, {"for-each-ref"}} {
			cmd := exec.CommandContext(b.Context(), "git", args...)
			cmd.Dir = dir
			out, err := cmd.Output()
			b.must(err)
			text.Write(out)
		}
	}
	return text.String()
}
