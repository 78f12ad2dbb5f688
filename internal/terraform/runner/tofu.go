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
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/hashicorp/terraform-exec/tfexec"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// tofu runs OpenTofu in the work directory.
type tofu struct {
	path, dir string
	env       map[string]string
	grace     time.Duration
	log       *logger
	progress  func(event)
}

// childEnv returns what of an environment OpenTofu gets: nothing that would
// change what it does behind the configuration's back, and no way to the
// management cluster. What the image lacks, a home and a place for temporary
// files, it finds in the work directory.
func childEnv(environ []string, workDir string) map[string]string {
	env := map[string]string{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		switch {
		case name == "KUBECONFIG", strings.HasPrefix(name, "KUBERNETES_"), strings.HasPrefix(name, "TF_DATA_DIR"), strings.HasPrefix(name, "TF_ENCRYPTION"):
		default:
			env[name] = value
		}
	}
	if env["HOME"] == "" {
		env["HOME"] = workDir
	}
	if env["TMPDIR"] == "" {
		env["TMPDIR"] = filepath.Join(workDir, tempDir)
	}
	env["CHECKPOINT_DISABLE"] = "1"
	return tfexec.CleanEnv(env)
}

// A collector keeps what went wrong of one command's output.
type collector struct {
	tofu   *tofu
	errors []event
	stderr bytes.Buffer
	size   int
}

// maxErrors bounds what is kept of a command's errors, in bytes.
const maxErrors = 64 << 10

func (c *collector) event(line []byte, cut bool) {
	e := parseEvent(line, cut)
	if text := e.text(); text != "" {
		c.tofu.log.Sayf("%s", text)
	}
	if e.isError() && c.size < maxErrors {
		d := *e.Diagnostic
		d.Summary, d.Detail = c.tofu.log.clean(d.Summary), c.tofu.log.clean(d.Detail)
		c.size += len(d.Summary) + len(d.Detail)
		c.errors = append(c.errors, event{Message: d.Summary, Diagnostic: &d})
	}
	c.tofu.progress(e)
}

// colours are for terminals. Not every command can be told to use none.
var colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func (c *collector) plain(line []byte, _ bool) {
	line = colours.ReplaceAll(line, nil)
	c.tofu.log.Sayf("%s", line)
	if c.stderr.Len() < maxErrors {
		c.stderr.WriteString(c.tofu.log.clean(string(line)) + "\n")
	}
}

// command runs one command. It needs a Terraform of its own: terraform-exec
// sets the writers of one for good.
func (t *tofu) command(ctx context.Context, what string, do func(*tfexec.Terraform, *lines) error) error {
	tf, err := tfexec.NewTerraform(t.dir, t.path)
	if err != nil {
		return failWrap(err, run.ClassInvalid, "cannot run "+t.path)
	}
	if err := tf.SetEnv(t.env); err != nil {
		return failWrap(err, run.ClassInvalid, "cannot run "+t.path)
	}
	if err := tf.SetWaitDelay(t.grace); err != nil {
		return errors.Wrap(err, "cannot run "+t.path)
	}
	c := &collector{tofu: t}
	out, stderr := &lines{handle: c.event}, &lines{handle: c.plain}
	tf.SetStderr(stderr)
	err = do(tf, out)
	out.flush()
	stderr.flush()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return t.failed(what, err, c)
}

// failed says why a command failed.
func (t *tofu) failed(what string, err error, c *collector) error {
	events := c.errors
	if len(events) == 0 {
		// Commands without machine-readable output, crashes, and kills.
		text := strings.TrimSpace(c.stderr.String())
		if text == "" {
			text = t.log.clean(err.Error())
		}
		events = []event{plainDiagnostic(text)}
	}
	class, msg := diagnose(what, events)
	return &failure{class: class, msg: msg, cause: err}
}

func (t *tofu) init(ctx context.Context) error {
	return t.command(ctx, "init", func(tf *tfexec.Terraform, w *lines) error {
		return tf.InitJSON(ctx, w, tfexec.Reconfigure(true))
	})
}

func (t *tofu) apply(ctx context.Context) error {
	return t.command(ctx, "apply", func(tf *tfexec.Terraform, w *lines) error { return tf.ApplyJSON(ctx, w) })
}

func (t *tofu) destroy(ctx context.Context) error {
	return t.command(ctx, "destroy", func(tf *tfexec.Terraform, w *lines) error { return tf.DestroyJSON(ctx, w) })
}

// push a state. terraform-exec would do so without the lock.
func (t *tofu) push(ctx context.Context, file string) error {
	return t.command(ctx, "state push", func(tf *tfexec.Terraform, _ *lines) error {
		return tf.StatePush(ctx, file, tfexec.Lock(true))
	})
}

func (t *tofu) unlock(ctx context.Context, id string) error {
	return t.command(ctx, "force-unlock", func(tf *tfexec.Terraform, _ *lines) error { return tf.ForceUnlock(ctx, id) })
}

// outputs returns the output values that are strings. They are not logged.
func (t *tofu) outputs(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := t.command(ctx, "output", func(tf *tfexec.Terraform, _ *lines) error {
		all, err := tf.Output(ctx)
		for name, o := range all {
			var s string
			if json.Unmarshal(o.Value, &s) == nil {
				out[name] = s
			}
		}
		return err
	})
	return out, err
}
