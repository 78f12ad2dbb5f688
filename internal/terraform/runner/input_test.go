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

package runner

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

func validSpec() run.Spec {
	return run.Spec{
		Version: run.Version, ID: "run-1", Action: run.Apply, Cluster: "c", Owner: "o", Revision: run.Revision([]byte("{}")), Topology: "eks", CloudName: "ko-c",
		State: run.State{Backend: "s3", Bucket: "b", Key: "k"}, Publish: run.Publish{Namespace: "ns", Secret: "s"},
	}
}

func TestReadSpec(t *testing.T) {
	edit := func(change func(*run.Spec)) string {
		s := validSpec()
		change(&s)
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	cases := map[string]struct{ reason, text, err string }{
		"Good":         {"All that is needed is there.", edit(func(*run.Spec) {}), ""},
		"Version":      {"Another version may mean something else.", edit(func(s *run.Spec) { s.Version = 2 }), "run.json has version 2, this runner does version 1"},
		"NewerFields":  {"Another version has other fields.", `{"version":2,"what":1}`, "run.json has version 2"},
		"UnknownField": {"What is not known cannot be done.", `{"version":1,"what":1}`, `unknown field "what"`},
		"Action":       {"There are two actions.", edit(func(s *run.Spec) { s.Action = "Dance" }), `no action "Dance"`},
		"NoBucket":     {"Without a bucket there is no state.", edit(func(s *run.Spec) { s.State.Bucket = "" }), "run.json lacks state.bucket"},
		"NoOwner":      {"Without an owner a bucket is nobody's.", edit(func(s *run.Spec) { s.Owner = "" }), "run.json lacks owner"},
		"Garbage":      {"Not JSON.", "{", "cannot read run.json"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, run.SpecFile), []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := ReadSpec(dir)
			if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
				t.Errorf("%s\nReadSpec(): want %q, got %v", tc.reason, tc.err, err)
			}
		})
	}
	if _, err := ReadSpec(t.TempDir()); err == nil {
		t.Error("ReadSpec(): want an error without a file")
	}
}

func TestReadConfig(t *testing.T) {
	dir := t.TempDir()
	if _, err := readConfig(dir, validSpec()); classOf(err) != run.ClassInvalid {
		t.Errorf("readConfig(): want Invalid without a file, got %v", err)
	}
	for text, ok := range map[string]bool{"{}": true, "{ }": false} {
		if err := os.WriteFile(filepath.Join(dir, run.ConfigFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readConfig(dir, validSpec()); (err == nil) != ok {
			t.Errorf("readConfig(%q): want ok=%t, got %v", text, ok, err)
		}
	}
}

// TestPrepare finds in the work directory what an earlier run left.
func TestPrepare(t *testing.T) {
	dir := t.TempDir()
	left := map[string]string{
		"main.tf.json": "old", "extra.tf": "old", ".terraform.lock.hcl": "old", "modules/old/main.tf": "old",
		"errored.tfstate": "state", ".terraform/providers/x": "plugin",
	}
	for name, text := range left {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{WorkDir: dir, Modules: fstest.MapFS{"vpc/main.tf": {Data: []byte("vpc")}}}
	if err := prepare(t.Context(), o, validSpec(), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		got[strings.TrimPrefix(path, dir+"/")] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"main.tf.json": "{}", "modules/vpc/main.tf": "vpc", "errored.tfstate": "state", ".terraform/providers/x": "plugin"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("prepare(): -want, +got:\n%s", diff)
	}
}

func TestChildEnv(t *testing.T) {
	got := childEnv([]string{"PATH=/bin", "KUBECONFIG=/k", "KUBERNETES_SERVICE_HOST=x", "TF_VAR_nodes=9", "TF_CLI_ARGS=-no", "TF_DATA_DIR=/d", "TF_CLI_CONFIG_FILE=/rc", "AWS_PROFILE=p"}, "/home")
	want := map[string]string{"PATH": "/bin", "HOME": "/home", "TMPDIR": "/home/.tmp", "AWS_PROFILE": "p", "TF_CLI_CONFIG_FILE": "/rc", "CHECKPOINT_DISABLE": "1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("childEnv(): -want, +got:\n%s", diff)
	}
}

func TestCompleteEnv(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "aws-config")
	if err := os.WriteFile(file, []byte("[profile kubeopera]\nrole_arn = arn:aws:iam::1:role/x\nsource_profile = injected\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_CONFIG_FILE", file)
	t.Setenv("AWS_WEB_IDENTITY_TOKEN_FILE", "/var/run/token")
	t.Setenv("AWS_ROLE_ARN", "arn:aws:iam::1:role/pod")
	if err := completeEnv(dir); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(os.Getenv("AWS_CONFIG_FILE"))
	if err != nil || os.Getenv("AWS_CONFIG_FILE") == file || !strings.Contains(string(data), "web_identity_token_file = /var/run/token") {
		t.Errorf("completeEnv(): %v, %s", err, data)
	}
}
