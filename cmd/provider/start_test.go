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

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/internal/target"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func TestFindAPIServer(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason     string
		kubeconfig string
		want       string
	}{
		"Missing": {"A file that is not there is named.", filepath.Join(dir, "none"), "KUBECONFIG names a file that cannot be read: stat " + filepath.Join(dir, "none") + ": no such file or directory"},
		"Empty":   {"So is one with nothing in it.", empty, "KUBECONFIG names " + empty + ", which holds no configuration"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", tc.kubeconfig)
			_, err := findAPIServer()
			if err == nil || err.Error() != "cannot find a way to the API server: "+tc.want {
				t.Errorf("%s\nfindAPIServer(): got %v, want %s", tc.reason, err, tc.want)
			}
		})
	}
}

func TestCheckNamespace(t *testing.T) {
	cp := kt.Shared(t)
	ns := cp.Namespace(t)
	cp.Grant(t.Context(), t, "looker-of-"+ns, ns, rbacv1.PolicyRule{APIGroups: []string{"kubeopera.io"}, Resources: []string{"*"}, Verbs: []string{"get"}})
	cfg, err := cp.UserConfig(kt.User{Name: "looker-of-" + ns})
	if err != nil {
		t.Fatal(err)
	}
	blind, err := client.New(cfg, client.Options{Scheme: target.NewScheme()})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason    string
		c         client.Reader
		namespace string
		want      string
	}{
		"There":   {reason: "A namespace that is there will do.", c: cp.Client, namespace: ns},
		"Missing": {"One that is not is named, with what to do.", cp.Client, "not-there", "namespace not-there does not exist: create it"},
		"Blind":   {reason: "Who may not look works all the same.", c: blind, namespace: "not-there"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := checkNamespace(t.Context(), tc.c, tc.namespace); err != nil {
				got = err.Error()
			}
			if (tc.want == "") != (got == "") || !strings.HasPrefix(got, tc.want) {
				t.Errorf("%s\ncheckNamespace(%s): got %q, want %q", tc.reason, tc.namespace, got, tc.want)
			}
		})
	}
}
