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
	"encoding/json"
	"maps"
	"reflect"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// putTimeout bounds one write of a Secret.
const putTimeout = 15 * time.Second

// A publisher reports a run in its outputs Secret: at once, then at most once
// in an interval and only what is new, and at the end for certain.
type publisher struct {
	secrets Secrets
	spec    run.Spec
	times   Times
	log     *logger

	mu      sync.Mutex
	status  run.Status
	wake    chan struct{}
	stop    context.CancelFunc
	stopped chan struct{}
}

// publish begins to report. Whoever calls it calls finish.
func publish(ctx context.Context, secrets Secrets, spec run.Spec, times Times, log *logger, first run.Status) *publisher {
	p := &publisher{
		secrets: secrets, spec: spec, times: times, log: log,
		status: first, wake: make(chan struct{}, 1), stopped: make(chan struct{}),
	}
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	go p.loop(ctx)
	p.update(func(*run.Status) {})
	return p
}

// update changes what is reported.
func (p *publisher) update(change func(*run.Status)) {
	p.mu.Lock()
	change(&p.status)
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// step says what is being done now.
func (p *publisher) step(text string) {
	p.log.Sayf("%s", text)
	p.update(func(s *run.Status) { s.Progress.Step = cutTo(text, maxStep) })
}

// event takes the progress that an event of OpenTofu tells.
func (p *publisher) event(e event) {
	p.update(func(s *run.Status) { s.Progress = advance(s.Progress, e) })
}

func (p *publisher) now() run.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

// loop writes what is new. What it cannot write is tried again with the next
// change, and after a pause that grows.
func (p *publisher) loop(ctx context.Context) {
	defer close(p.stopped)
	var last run.Status
	failures := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		if s := p.now(); !reflect.DeepEqual(s, last) {
			// Not given up half-way: it could overtake the report that follows.
			if err := p.put(context.WithoutCancel(ctx), s, nil); err != nil {
				if failures == 0 {
					p.log.Sayf("cannot report to Secret %s, trying again: %v", p.spec.Publish.Secret, err)
				}
				failures++
				p.update(func(*run.Status) {})
			} else {
				last, failures = s, 0
			}
		}
		if !pause(ctx, max(p.times.Publish, backoff(p.times.Backoff, failures))) {
			return
		}
	}
}

// finish reports how the run ended, together with what came of it, and tries
// until that is known or PublishFor is over.
func (p *publisher) finish(ctx context.Context, change func(*run.Status), outputs map[string][]byte) error {
	p.stop()
	<-p.stopped
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.status)
	err := retry(ctx, p.times.PublishFor, p.times.Backoff, func(ctx context.Context) error {
		return p.put(ctx, p.status, outputs)
	})
	return errors.Wrapf(err, "cannot report the end of the run to Secret %s", p.spec.Publish.Secret)
}

func (p *publisher) put(ctx context.Context, s run.Status, outputs map[string][]byte) error {
	data, err := json.Marshal(s)
	if err != nil {
		return errors.Wrap(err, "cannot encode the status")
	}
	secret := newSecret(p.spec, p.spec.Publish.Secret)
	secret.Data = map[string][]byte{run.StatusKey: data}
	maps.Copy(secret.Data, outputs)
	ctx, cancel := context.WithTimeout(ctx, putTimeout)
	defer cancel()
	return p.secrets.Put(ctx, secret)
}

// newSecret returns one of the run's Secrets, without data.
func newSecret(s run.Spec, name string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.Publish.Namespace, Name: name,
			Labels: map[string]string{run.LabelRun: s.ID, run.LabelNamespace: s.Namespace},
		},
		Type: corev1.SecretTypeOpaque,
	}
}

// firstStatus is what a run reports when it begins.
func firstStatus(s run.Spec, holder string, now time.Time) run.Status {
	return run.Status{
		Version: run.Version, RunID: s.ID, Action: s.Action, Revision: s.Revision, Holder: holder,
		Phase: v1alpha1.RunRunning, StartedAt: now,
	}
}
