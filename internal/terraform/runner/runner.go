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
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// Exit codes of a run.
const (
	// Succeeded: the status says so, too.
	Succeeded = 0
	// Failed: the status says why.
	Failed = 1
	// Unknown: nobody could be told how the run ended.
	Unknown = 2
)

// runner is one run.
type runner struct {
	Options
	spec   run.Spec
	config []byte
	host   string
	began  time.Time
	log    *logger
	pub    *publisher
	tofu   *tofu
	cloud  Cloud
}

// Run does a run and returns its exit code. Cancel the context with Interrupt
// as the cause to end it early: OpenTofu gets its one interrupt, and Run
// returns when it has stopped and the state is safe.
func Run(ctx context.Context, o Options) int {
	log := &logger{out: o.Out, redact: newRedactor(o.Redacted)}
	spec, err := ReadSpec(o.RunDir)
	if err != nil {
		log.Sayf("%v", err)
		return Unknown
	}
	host, err := os.Hostname()
	if err != nil {
		log.Sayf("cannot tell the host's name: %v", err)
		return Unknown
	}
	r := &runner{Options: o, spec: spec, host: host, began: time.Now().UTC(), log: log}
	log.Sayf("Run %s: %s of cluster %s", spec.ID, spec.Action, spec.Cluster)
	r.pub = publish(ctx, o.Secrets, spec, o.Times, log, firstStatus(spec, host, r.began))

	outputs, err := r.do(ctx)
	return end(ctx, log, r.pub, outputs, err)
}

// end reports how a run ended, and returns its exit code.
func end(ctx context.Context, log *logger, pub *publisher, outputs map[string][]byte, err error) int {
	report := reportOf(ctx, err)
	code, phase := Succeeded, v1alpha1.RunSucceeded
	if report != nil {
		code, phase = Failed, v1alpha1.RunFailed
		report.Message = cutTo(log.clean(report.Message), maxMessage)
		log.Sayf("Failed (%s): %s", report.Class, report.Message)
	}
	// Also after an interrupt: whoever waits has to learn of it.
	err = pub.finish(context.WithoutCancel(ctx), func(s *run.Status) {
		s.FinishedAt, s.Error, s.Phase = time.Now().UTC(), report, phase
		if report == nil {
			s.Progress.Step = ""
		}
	}, outputs)
	if err != nil {
		log.Sayf("%v", err)
		return Unknown
	}
	if report == nil {
		log.Sayf("Done")
	}
	return code
}

// do the run.
func (r *runner) do(ctx context.Context) (map[string][]byte, error) {
	var err error
	if r.config, err = readConfig(r.RunDir, r.spec); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.WorkDir, 0o700); err != nil {
		return nil, errors.Wrap(err, "cannot make the work directory")
	}
	unlock, err := lockHost(ctx, r.spec.State, r.WorkDir, r.Earlier)
	if err != nil {
		return nil, err
	}
	defer unlock()

	ctx, cancel := context.WithTimeoutCause(ctx, r.Run, errTooLong)
	defer cancel()
	r.pub.step("Checking the credentials")
	if err := completeEnv(r.WorkDir); err != nil {
		return nil, err
	}
	if r.cloud, err = r.Cloud(ctx, r.spec); err != nil {
		return nil, err
	}
	if err := within(ctx, maxQuestion, r.cloud.Check); err != nil {
		return nil, err
	}
	if err := prepare(ctx, r.Options, r.spec, r.config); err != nil {
		return nil, err
	}
	path, err := exec.LookPath(r.Tofu)
	if err != nil {
		return nil, failf(run.ClassInvalid, "cannot find OpenTofu (%s): use the runner's image, or install tofu where the provider finds it", r.Tofu)
	}
	r.tofu = &tofu{
		path: path, dir: r.WorkDir, env: childEnv(os.Environ(), r.WorkDir), grace: r.Grace,
		log: r.log, progress: r.pub.event,
	}
	if r.spec.Action == run.Destroy {
		return nil, r.destroy(ctx)
	}
	return r.apply(ctx)
}

// change runs a command that changes what there is, and makes sure of the state.
func (r *runner) change(ctx context.Context, do func(context.Context) error) error {
	err := r.withLock(ctx, do)
	if saved := r.rescue(ctx); saved != "" {
		r.log.Sayf("%s", saved)
		if err != nil {
			return &failure{class: classOf(err), msg: saving(err.Error(), saved), cause: err}
		}
	}
	return err
}

// saving puts what became of the state right behind the cause: what follows
// there is OpenTofu's advice to people who would have to save it by hand.
func saving(msg, saved string) string {
	cause, advice, _ := strings.Cut(msg, "\n")
	return strings.TrimSpace(strings.TrimRight(cause, ". ") + ". " + saved + "\n" + advice)
}
