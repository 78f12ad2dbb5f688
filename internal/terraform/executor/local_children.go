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

package executor

import (
	"context"
	"os/exec"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// stopWait is how long the provider waits for its runs when it ends. It is less
// than the manager's own bound; a run that takes longer ends by itself, and
// the next provider waits for it.
const stopWait = 15 * time.Second

// launch a process and look after it until it ends.
func (l *Local) launch(key types.NamespacedName, d directory, cmd *exec.Cmd) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopping {
		return fault.New(fault.Waiting, "The provider is about to end: the run starts with the next one")
	}
	started := make(chan error)
	l.ended.Go(func() {
		err := startChild(cmd)
		started <- err
		if err == nil {
			stop := d.boundLog()
			_ = cmd.Wait() // The run itself reports how it ended.
			stop()
		}
		d.forgetCredentials()
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.children[key] == cmd {
			delete(l.children, key)
		}
	})
	if err := <-started; err != nil {
		return errors.Wrap(err, "cannot start terraform-runner")
	}
	l.children[key] = cmd
	return nil
}

func (l *Local) has(key types.NamespacedName) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.children[key] != nil
}

func (l *Local) running() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.children)
}

// Running counts the processes.
func (l *Local) Running(context.Context) (int, error) { return l.running(), nil }

// Run until the context ends, and then end the runs: each gets one signal, as a
// second one would keep Terraform from saving its state, and some time.
func (l *Local) Run(ctx context.Context) error {
	<-ctx.Done()
	l.mu.Lock()
	l.stopping = true
	for _, cmd := range l.children {
		_ = endChild(cmd) // It may have ended just now.
	}
	l.mu.Unlock()

	all := make(chan struct{})
	go func() { l.ended.Wait(); close(all) }()
	select {
	case <-all:
	case <-time.After(stopWait):
	}
	return nil
}
