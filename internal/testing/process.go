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

package testing

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// logTail is how much of a program's log, in bytes, an error shows: enough for the fatal line and what led to it.
const logTail = 4 << 10

// process is a running child. It dies with this process, however this process ends (see BindToParent).
type process struct {
	name string
	log  string        // path of the file that takes stdout and stderr
	done chan struct{} // closed once it has ended
	cmd  *exec.Cmd
}

// startProcess starts a program whose output goes to <dir>/<name>.log.
func startProcess(dir, path string, args ...string) (*process, error) {
	name := filepath.Base(path)
	p := &process{name: name, log: filepath.Join(dir, name+".log"), done: make(chan struct{})}
	out, err := os.Create(p.log)
	if err != nil {
		return nil, errors.Wrap(err, "cannot create log file")
	}
	// Not bound to a context: the children outlive the context that bounds the start. Stop ends them.
	p.cmd = exec.Command(path, args...) //nolint:gosec,noctx // The program is one that this package looked up.
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, out, out
	BindToParent(p.cmd)

	started := make(chan error)
	go func() {
		// The kernel sends the death signal when the *thread* that started the child ends, so that thread is kept
		// for as long as the child lives.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer out.Close() // The child has a descriptor of its own.
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		_ = p.cmd.Wait() // How it ended is told by its log.
		close(p.done)
	}()
	return p, errors.Wrapf(<-started, "cannot start %s", name)
}

// kill ends the child at once and waits until it is gone. Nothing that it holds is worth a clean shutdown.
func (p *process) kill() {
	if p == nil {
		return
	}
	_ = p.cmd.Process.Kill() // It may have ended already.
	<-p.done
}

// ended reports that the child is no longer running.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// tail is the end of the child's log.
func (p *process) tail() string {
	data, err := os.ReadFile(p.log)
	if err != nil {
		return "(no log: " + err.Error() + ")"
	}
	if len(data) > logTail {
		data = data[len(data)-logTail:]
	}
	return strings.TrimSpace(string(data))
}

// freePorts picks n loopback ports that nobody listens on now. All are held until the last one is found, so they differ.
func freePorts(ctx context.Context, n int) ([]int, error) {
	ports, held := make([]int, 0, n), make([]net.Listener, 0, n)
	defer func() {
		for _, l := range held {
			_ = l.Close() // It took no connection that could be lost.
		}
	}()
	for range n {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, errors.Wrap(err, "cannot find a free port")
		}
		held = append(held, l)
		ports = append(ports, l.Addr().(*net.TCPAddr).Port) //nolint:forcetypeassert // A tcp listener has a TCPAddr.
	}
	return ports, nil
}
