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

// Package helpertest tests credential plugins as client-go runs them. It is for
// tests only.
package helpertest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/execcredential"
	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
)

// asHelper makes a test's own binary the helper.
const asHelper = "TEST_AS_HELPER"

// Main is a package's TestMain: its binary is the tests or the helper.
func Main(m *testing.M, h execcredential.Helper) {
	if os.Getenv(asHelper) != "" {
		h.Main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Test a helper, in an environment in which it finds what it needs. args are
// all the arguments that it takes, and prefix is how its tokens begin.
func Test(t *testing.T, helper func() execcredential.Helper, args []string, prefix string) {
	t.Helper()
	t.Run("ExecPlugin", func(t *testing.T) { execPlugin(t, args, prefix) })
	t.Run("Flags", func(t *testing.T) { flags(t, helper, args, prefix) })
	t.Run("Errors", func(t *testing.T) { mistakes(t, helper, args) })
}

// execPlugin lets client-go run the helper for a server that wants its token.
func execPlugin(t *testing.T, args []string, prefix string) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer "+prefix) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, "welcome")
	}))
	defer server.Close()

	for _, version := range []string{"v1", "v1beta1"} {
		t.Run(version, func(t *testing.T) {
			cfg := &rest.Config{
				Host:            server.URL,
				TLSClientConfig: rest.TLSClientConfig{Insecure: true},
				ExecProvider: &clientcmdapi.ExecConfig{
					Command: os.Args[0], Args: args, Env: []clientcmdapi.ExecEnvVar{{Name: asHelper, Value: "1"}},
					APIVersion: "client.authentication.k8s.io/" + version, InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
				},
			}
			c, err := rest.HTTPClientFor(cfg)
			if err != nil {
				t.Fatal(err)
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := c.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "welcome" {
				t.Errorf("The server must know the token: %s %s", resp.Status, body)
			}
		})
	}
}

// flags compares what the helper takes with what a kubeconfig may ask for.
func flags(t *testing.T, helper func() execcredential.Helper, args []string, prefix string) {
	t.Helper()
	out, log := &bytes.Buffer{}, &bytes.Buffer{}
	if err := helper().Run(t.Context(), args, "", out, log); err != nil || !strings.Contains(out.String(), prefix) || log.Len() > 0 {
		t.Fatalf("All arguments must be taken: %v", err)
	}
	out.Reset()
	if err := helper().Run(t.Context(), []string{"--help"}, "", out, log); err != nil || out.Len() > 0 {
		t.Errorf("Help must go to the log alone: %v", err)
	}

	var asked, known []string
	for _, m := range regexp.MustCompile(`(?m)^  -([a-z-]+)`).FindAllStringSubmatch(log.String(), -1) {
		asked = append(asked, "--"+m[1])
	}
	lines := strings.Builder{}
	for _, a := range args {
		if name, _, _ := strings.Cut(a, "="); strings.HasPrefix(name, "--") {
			known = append(known, name)
		}
		fmt.Fprintf(&lines, "      - %s\n", a)
	}
	slices.Sort(asked)
	slices.Sort(known)
	if diff := cmp.Diff(known, asked); diff != "" {
		t.Errorf("The test must know each flag: -want, +got:\n%s", diff)
	}
	_, err := kubeconfig.Parse(fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: main
contexts:
- name: main
  context: {cluster: prod, user: admin}
clusters:
- name: prod
  cluster: {server: "https://prod.example.org"}
users:
- name: admin
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      interactiveMode: Never
      command: /%s
      args:
%s`, helper().Name, lines.String()))
	if err != nil {
		t.Errorf("A kubeconfig must be able to ask for each: %v", err)
	}
}

// mistakes are told, and no token is written.
func mistakes(t *testing.T, helper func() execcredential.Helper, args []string) {
	t.Helper()
	cases := map[string]struct {
		reason string
		args   []string
		info   string
		want   string
	}{
		"Unknown":  {reason: "A flag that is not known.", args: slices.Concat([]string{"--profile=x"}, args), want: "flag provided but not defined"},
		"Argument": {reason: "More than flags.", args: slices.Concat(args, []string{"prod"}), want: "no other arguments"},
		"Version":  {reason: "A version that is not known.", args: args, info: `{"kind":"ExecCredential","apiVersion":"x"}`, want: `apiVersion "x" is unknown`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out := &bytes.Buffer{}
			err := helper().Run(t.Context(), tc.args, tc.info, out, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tc.want) || out.Len() > 0 {
				t.Errorf("%s\nRun(): want %q and no output, got %v, %q", tc.reason, tc.want, err, out)
			}
		})
	}
}
