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

package modules

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"

	"github.com/kubeopera/provider-kubeopera/hack/schemas/mirror"
)

// A workspace is OpenTofu with a configuration, and with stand-ins for the
// providers that have the real ones' schemas and make nothing.
type workspace struct {
	t    *testing.T
	dir  string
	tofu string
	env  []string
}

// write puts a render into the workspace, its state beside it instead of a bucket.
func (w *workspace) write(render string) {
	w.t.Helper()
	var c map[string]any
	if err := json.Unmarshal([]byte(render), &c); err != nil {
		w.t.Fatal(err)
	}
	delete(c["terraform"].(map[string]any), "backend")
	text, err := json.Marshal(c)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "main.tf.json"), text, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// run runs OpenTofu and returns what it says and its exit code.
func (w *workspace) run(args ...string) (string, int) {
	w.t.Helper()
	cmd := exec.Command(w.tofu, append(args, "-no-color")...)
	cmd.Dir, cmd.Env = w.dir, w.env
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}

	return string(out), cmd.ProcessState.ExitCode()
}

// must runs OpenTofu, which has to end well.
func (w *workspace) must(args ...string) {
	w.t.Helper()
	if out, code := w.run(args...); code != 0 {
		w.t.Fatalf("tofu %v: %d\n%s", args, code, out[max(0, len(out)-3000):])
	}
}

// changes are the resources that a plan changes, with what it does to them.
func (w *workspace) changes() map[string]string {
	w.t.Helper()
	w.must("plan", "-input=false", "-out=plan")
	out, _ := w.run("show", "-json", "plan")
	var plan tfjson.Plan
	if err := json.Unmarshal([]byte(out), &plan); err != nil {
		w.t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range plan.ResourceChanges {
		switch {
		case c.Change.Actions.NoOp() || c.Change.Actions.Read():
		case c.Change.Actions.CreateBeforeDestroy():
			got[c.Address] = "create, then delete"
		case c.Change.Actions.DestroyBeforeCreate():
			got[c.Address] = "delete, then create"
		default:
			got[c.Address] = string(c.Change.Actions[0])
		}
	}

	return got
}

// TestTofu has OpenTofu itself validate and apply each render. Of one of each
// kind the same once more changes nothing, and a destroy leaves nothing.
func TestTofu(t *testing.T) {
	t.Parallel()
	loadSchemas(t)
	tofu, env := mirror.Tofu(t), os.Environ()
	for name, value := range mirror.Env(t) {
		env = append(env, name+"="+value)
	}
	all := renders(t)

	// What follows an apply: what changes in the configuration, and then.
	type step struct {
		reason  string
		from    string
		to      string
		changes map[string]string
		refused string
	}
	steps := map[string][]step{
		"vanilla": {
			{"Another size is the worker group's alone.", `"max_node_count": 2,`, `"max_node_count": 4,`, map[string]string{"module.compute.aws_autoscaling_group.workers": "update"}, ""},
			{"A new user data is for new machines.", `(user data)`, `(other user data)`, map[string]string{"module.compute.aws_launch_template.workers": "update"}, ""},
			{"Another version is the workers' alone: the control planes have upgraded themselves.", `"1.36.2"`, `"1.37.0"`, map[string]string{"module.compute.aws_launch_template.workers": "update"}, ""},
			{"Another machine type is, too: control planes keep theirs.", `"t3.medium"`, `"m7i.large"`, map[string]string{"module.compute.aws_launch_template.workers": "update"}, ""},
			{"A version has its patch.", `"1.36.2"`, `"1.36"`, nil, "kubernetes_version is a patch version, for instance 1.36.2."},
		},
		"vanilla-ha": {
			{"User data and images never replace a member of etcd.", `(user data)`, `(other)`, map[string]string{"module.compute.aws_launch_template.workers": "update"}, ""},
			{"Neither does another machine type stop one.", `"t3.medium"`, `"m7i.large"`, map[string]string{"module.compute.aws_launch_template.workers": "update"}, ""},
		},
		"eks": {
			{"Another size is the node group's alone.", `"node_count": 2,`, `"node_count": 3,`, map[string]string{"module.eks.aws_eks_node_group.fixed[0]": "update", "module.eks.terraform_data.least": "update"}, ""},
			{"A new version is the cluster's, then the nodes'.", `"1.36"`, `"1.37"`, map[string]string{"module.eks.aws_eks_cluster.this": "update", "module.eks.aws_eks_node_group.fixed[0]": "update"}, ""},
		},
		"eks-spot": {
			{"A new least number makes a new group before the old one goes.", `"node_count": 2,`, `"node_count": 3,`, map[string]string{"module.eks.aws_eks_node_group.scaled[0]": "create, then delete", "module.eks.terraform_data.least": "update"}, ""},
			{"A new largest number is a change.", `"max_node_count": 10,`, `"max_node_count": 12,`, map[string]string{"module.eks.aws_eks_node_group.scaled[0]": "update"}, ""},
		},
		"gke": {
			{"The number is one of all zones: 5 are 2, 2 and 1.", `"node_count": 2,`, `"node_count": 5,`, map[string]string{
				"module.gke.google_container_node_pool.nodes[0]": "update", "module.gke.google_container_node_pool.nodes[1]": "update", "module.gke.google_container_node_pool.nodes[2]": "create",
			}, ""},
		},
	}

	for name, render := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &workspace{t: t, dir: t.TempDir(), tofu: tofu, env: env}
			if err := os.CopyFS(filepath.Join(w.dir, "modules"), Files); err != nil {
				t.Fatal(err)
			}
			w.write(render)
			w.must("init", "-input=false")
			w.must("validate")
			w.must("apply", "-auto-approve", "-input=false")
			if len(steps[name]) == 0 {
				return
			}
			if out, code := w.run("plan", "-detailed-exitcode", "-input=false"); code != 0 {
				t.Errorf("the same configuration changes something (%d):\n%s", code, out)
			}
			for _, s := range steps[name] {
				if !strings.Contains(render, s.from) {
					t.Fatalf("%s\nthe render has no %s", s.reason, s.from)
				}
				changed := strings.ReplaceAll(render, s.from, s.to)
				if strings.HasPrefix(s.from, `"node_count": 2`) && strings.Contains(changed, `"max_node_count": 2`) {
					changed = strings.Replace(changed, `"max_node_count": 2`, strings.Replace(s.to, `"node_count"`, `"max_node_count"`, 1)[:len(`"max_node_count": 2`)], 1)
				}
				w.write(changed)
				if s.refused != "" {
					out, code := w.run("plan", "-input=false")
					if said := strings.Join(strings.Fields(out), " "); code == 0 || !strings.Contains(said, s.refused) {
						t.Errorf("%s\nwant %q, got %d:\n%s", s.reason, s.refused, code, out)
					}
					continue
				}
				if diff := cmp.Diff(s.changes, w.changes()); diff != "" {
					t.Errorf("%s\n-want, +got:\n%s", s.reason, diff)
				}
			}
			w.write(render)
			w.must("destroy", "-auto-approve", "-input=false")
			if out, _ := w.run("state", "list"); strings.TrimSpace(out) != "" {
				t.Errorf("a destroy leaves:\n%s", out)
			}
		})
	}
	for name := range steps {
		if _, ok := all[name]; !ok {
			t.Errorf("there is no render %s", name)
		}
	}
}
