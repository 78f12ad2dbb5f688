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

package v1alpha1_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func TestMain(m *testing.M) { os.Exit(kt.Main(m)) }

// A validation is one row: a manifest that is made from the kind's good one, and perhaps a change of it.
type validation struct {
	reason string
	// patch is a JSON merge patch, written in YAML, of the good manifest; several are separated by ---.
	patch string
	// status is the status that the object has before the update, in YAML.
	status string
	// update is a JSON merge patch of what patch has made; it is applied as an update.
	update string
	// want is part of the API server's answer; empty means that it accepts. With an update, it is the update's answer.
	want string
}

// A table is the rows of one kind.
type table struct {
	kind string
	good string
	rows map[string]validation
}

// tables of every kind.
func tables() []table {
	return []table{
		hostClusters(), clusterAccesses(), provisionedClusters(), fluxBootstraps(), gitOpsEnvironments(), administrators(),
		providerConfigs(), clusterProviderConfigs(), providerConfigUsages(),
	}
}

func TestValidation(t *testing.T) {
	cp := kt.Shared(t)
	ns := cp.Namespace(t)
	c := client.WithFieldValidation(cp.Client, metav1.FieldValidationStrict)
	for _, tb := range tables() {
		t.Run(tb.kind, func(t *testing.T) {
			if err := c.Create(t.Context(), object(t, ns, tb.good), client.DryRunAll); err != nil {
				t.Fatalf("The good manifest has to be accepted: %v", err)
			}
			for name, v := range tb.rows {
				t.Run(name, func(t *testing.T) { v.run(t, c, ns, tb.good) })
			}
		})
	}
}

func (v validation) run(t *testing.T, c client.Client, ns, good string) {
	t.Helper()
	o := object(t, ns, good, v.patch)
	if v.update == "" {
		v.check(t, c.Create(t.Context(), o, client.DryRunAll))
		return
	}
	if err := c.Create(t.Context(), o); err != nil {
		t.Fatalf("%s\nCreate: %v", v.reason, err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer cancel()
		if err := c.Delete(ctx, o); err != nil {
			t.Errorf("Delete: %v", err)
		}
	})
	if v.status != "" {
		o = merge(t, o, under("status", v.status))
		if err := c.Status().Update(t.Context(), o); err != nil {
			t.Fatalf("%s\nUpdate of the status: %v", v.reason, err)
		}
	}
	u := merge(t, o, v.update)
	v.check(t, c.Update(t.Context(), u, client.DryRunAll))
}

func (v validation) check(t *testing.T, err error) {
	t.Helper()
	switch {
	case v.want == "" && err != nil:
		t.Errorf("%s\nIt has to be accepted: %v", v.reason, err)
	case v.want != "" && err == nil:
		t.Errorf("%s\nIt has to be refused with %q.", v.reason, v.want)
	case v.want != "" && !strings.Contains(err.Error(), v.want):
		t.Errorf("%s\ngot  %v\nwant %s", v.reason, err, v.want)
	}

	for _, password := range []string{":token@", ":secret@", "a:b@"} {
		if err != nil && strings.Contains(err.Error(), password) {
			t.Errorf("%s\nIt shows a password: %v", v.reason, err)
		}
	}
}

// object makes an object of a manifest and the patches after it.
func object(t *testing.T, ns, manifest string, patches ...string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(manifest), o); err != nil {
		t.Fatal(err)
	}
	for _, p := range patches {
		for one := range strings.SplitSeq(p, "\n---\n") {
			o = merge(t, o, one)
		}
	}
	if o.GetKind() != "ClusterProviderConfig" {
		o.SetNamespace(ns)
	}
	return o
}

// merge applies a JSON merge patch that is written in YAML.
func merge(t *testing.T, o *unstructured.Unstructured, patch string) *unstructured.Unstructured {
	t.Helper()
	if patch == "" {
		return o
	}
	p, err := yaml.YAMLToJSONStrict([]byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	before, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	after, err := jsonpatch.MergePatch(before, p)
	if err != nil {
		t.Fatal(err)
	}
	out := &unstructured.Unstructured{}
	if err := json.Unmarshal(after, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// under indents a patch below a path.
func under(path, patch string) string {
	var b strings.Builder
	indent := ""
	for key := range strings.SplitSeq(path, ".") {
		b.WriteString(indent + key + ":\n")
		indent += "  "
	}
	for line := range strings.SplitSeq(patch, "\n") {
		b.WriteString(indent + line + "\n")
	}
	return b.String()
}
