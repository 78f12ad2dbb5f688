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

package sandbox

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// stopPatience is how long a provider that was asked to stop may take.
const stopPatience = 10 * time.Second

// Provider is a running provider.
type Provider struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// StartProvider starts the provider against the management API, in the target's network. Its log, which several
// providers one after the other share, is ProviderLog.
func (s *Sandbox) StartProvider(args ...string) (*Provider, error) {
	log, err := os.OpenFile(s.ProviderLog(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, errors.Wrap(err, "cannot open the provider's log")
	}
	defer log.Close()
	p := &Provider{done: make(chan struct{})}
	p.cmd = exec.Command(s.programs.provider, args...) //nolint:gosec,noctx // built by us; Stop and Kill end it
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.Env = append(os.Environ(), "KUBECONFIG="+s.Path(ManagementKubeconfig))
	bindToParent(p.cmd)
	start := p.cmd.Start
	if s.node != nil {
		start = func() error { return s.node.StartProcess(p.cmd) }
	}
	if err := start(); err != nil {
		return nil, errors.Wrap(err, "cannot start the provider")
	}
	go func() {
		_ = p.cmd.Wait() // how it ended is for its log to tell
		close(p.done)
	}()
	return p, nil
}

// ProviderLog is the file of the provider's log.
func (s *Sandbox) ProviderLog() string { return s.Path(logsDir, "provider.log") }

// Kill ends the provider as a crash does, and returns when it is gone.
func (p *Provider) Kill() {
	_ = p.cmd.Process.Kill() // fails only if it has ended already
	<-p.done
}

// Stop asks the provider to end, and returns when it has.
func (p *Provider) Stop(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, stopPatience)
	defer cancel()
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // fails only if it has ended already
	select {
	case <-p.done:
	case <-ctx.Done():
		p.Kill()
	}
}

// Done is closed when the provider has ended.
func (p *Provider) Done() <-chan struct{} { return p.done }
