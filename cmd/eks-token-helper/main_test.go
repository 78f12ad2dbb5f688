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
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
)

const (
	roleARN = "arn:aws:iam::333333333333:role/admins/eks"
	// asHelper makes the test's own binary the helper.
	asHelper = "TEST_AS_HELPER"
	prefix   = "k8s-aws-v1."
)

// args are all the arguments that the helper takes.
var args = []string{"--cluster-name=prod", "--region=eu-central-1", "--role-arn=" + roleARN, "--external-id", "tenant-7"}

func TestMain(m *testing.M) {
	if os.Getenv(asHelper) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// account gives the test an account of a local cloud.
func account(t *testing.T) *cloudtest.Server {
	t.Helper()
	s := cloudtest.Start(t, cloudtest.Options{Roles: []cloudtest.Role{{ARN: roleARN, ExternalID: "tenant-7"}}})
	s.SetEnv(t)
	t.Setenv("AWS_ACCESS_KEY_ID", cloudtest.DefaultKey.ID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", cloudtest.DefaultKey.Secret)
	file := filepath.Join(t.TempDir(), "gcp.json")
	if err := os.WriteFile(file, s.GCPKey("my-project"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file)
	return s
}

// TestExecPlugin lets client-go run the helper for a server that wants its token.
func TestExecPlugin(t *testing.T) {
	account(t)
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
			resp, err := c.Get(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if body, _ := io.ReadAll(resp.Body); string(body) != "welcome" {
				t.Errorf("The server must know the token: %s %s", resp.Status, body)
			}
		})
	}
}

// TestFlags compares what the helper takes with what a kubeconfig may ask for.
func TestFlags(t *testing.T) {
	account(t)
	out, log := &bytes.Buffer{}, &bytes.Buffer{}
	if err := run(t.Context(), args, "", out, log); err != nil || !strings.Contains(out.String(), prefix) || log.Len() > 0 {
		t.Fatalf("All arguments must be taken: %v", err)
	}
	out.Reset()
	if err := run(t.Context(), []string{"--help"}, "", out, log); err != nil || out.Len() > 0 {
		t.Errorf("Help must go to the log alone: %v", err)
	}

	asked := []string{}
	for _, m := range regexp.MustCompile(`(?m)^  -([a-z-]+)`).FindAllStringSubmatch(log.String(), -1) {
		asked = append(asked, "--"+m[1])
	}
	known := []string{}
	for _, a := range args {
		if name, _, _ := strings.Cut(a, "="); strings.HasPrefix(name, "--") {
			known = append(known, name)
		}
	}
	if diff := cmp.Diff(sorted(known), sorted(asked)); diff != "" {
		t.Errorf("The test must know each flag: -want, +got:\n%s", diff)
	}
	var list strings.Builder
	for _, a := range args {
		fmt.Fprintf(&list, "      - %s\n", a)
	}
	lines := list.String()
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
      command: /eks-token-helper
      args:
%s`, lines))
	if err != nil {
		t.Errorf("A kubeconfig must be able to ask for each: %v", err)
	}
}

func TestErrors(t *testing.T) {
	account(t)
	cases := map[string]struct {
		reason string
		args   []string
		info   string
		want   string
	}{
		"Unknown":  {reason: "A flag that is not known.", args: append([]string{"--profile=x"}, args...), want: "flag provided but not defined"},
		"Argument": {reason: "More than flags.", args: append(append([]string{}, args...), "prod"), want: "no other arguments"},
		"Version":  {reason: "A version that is not known.", args: args, info: `{"kind":"ExecCredential","apiVersion":"x"}`, want: `apiVersion "x" is unknown`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out := &bytes.Buffer{}
			err := run(t.Context(), tc.args, tc.info, out, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tc.want) || out.Len() > 0 {
				t.Errorf("%s\nrun(): want %q and no output, got %v, %q", tc.reason, tc.want, err, out)
			}
		})
	}
}

func sorted(s []string) []string {
	slices.Sort(s)
	return s
}
