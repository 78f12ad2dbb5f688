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

// StartProvider starts the provider against the management API, in the network of the management node, or else of
// the target. Its log, which several
// providers one after the other share, is ProviderLog.
func (s *Sandbox) StartProvider(args ...string) (*Provider, error) {
	return s.StartCommand(exec.Command(s.programs.provider, args...)) //nolint:gosec,noctx // built by us; Stop and Kill end it
}

// StartCommand starts a command that is the provider, or becomes it, as StartProvider does.
func (s *Sandbox) StartCommand(cmd *exec.Cmd) (*Provider, error) {
	log, err := os.OpenFile(s.ProviderLog(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, errors.Wrap(err, "cannot open the provider's log")
	}
	defer log.Close()
	p := &Provider{cmd: cmd, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(cmd.Environ(), "KUBECONFIG="+s.Path(providerKubeconfig))
	cmd.Env = append(cmd.Env, s.cloudEnvironment()...)
	bindToParent(cmd)
	start := cmd.Start
	if n := s.home(); n != nil {
		start = func() error { return n.StartProcess(cmd) }
	}
	if err := start(); err != nil {
		return nil, errors.Wrap(err, "cannot start the provider")
	}
	go func() {
		_ = cmd.Wait() // how it ended is for its log to tell
		close(p.done)
	}()
	return p, nil
}

// Process is the provider's id.
func (p *Provider) Process() int { return p.cmd.Process.Pid }

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

// Ended tells whether the provider has ended. A provider that is a pod, which a nil one stands for, never has.
func (p *Provider) Ended() bool {
	if p == nil {
		return false
	}
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}
