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
	"fmt"
	"net"
	"net/http"
	"os"
	"path"
	"strconv"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/hack/sandbox/node"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
)

const (
	// ScarceMachine is a kind of machine of which the account's quota is used up.
	ScarceMachine = "quota.exceeded"
	// PaperMachine is a kind of machine that is made on paper only: it counts like any other and leaves a kubeconfig,
	// but nobody answers at the address in that.
	PaperMachine = "paper.only"

	// paperAddress is the API server's of all paper machines, where nobody listens.
	paperAddress = node.IP + ":17000"
	// firstMachinePort is the API server's of the first machine in the provider's network.
	firstMachinePort = 17001
)

// Machines are the clusters of the sandbox's cloud.
type Machines struct {
	sandbox *Sandbox
	cloud   *cloudtest.Cloud

	mu   sync.Mutex
	made map[string]*Machine
	port int
	// created counts those that were made under a name, also those that are gone.
	created map[string]int
	held    map[string]*hold
}

func newMachines(s *Sandbox, c *cloudtest.Cloud) *Machines {
	return &Machines{sandbox: s, cloud: c, made: map[string]*Machine{}, created: map[string]int{}, held: map[string]*hold{}}
}

// A Machine is a cluster of one node.
type Machine struct {
	// Config acts as its administrator; nil if it is on paper only.
	Config *rest.Config
	// Kubeconfig is the file of its administrator's kubeconfig for this machine; empty if it is on paper only.
	Kubeconfig string
	// Nodes that were asked for last.
	Nodes int

	node       *node.Node
	forwards   []*forward
	kubeconfig []byte // for the provider's network
}

// Get returns a machine by the name of its cluster, and nil if there is none.
func (m *Machines) Get(name string) *Machine {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.made[name]
}

// Names of all clusters that are there.
func (m *Machines) Names() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for name := range m.made {
		out = append(out, name)
	}
	return out
}

// Created is the number of clusters that were ever made under a name.
func (m *Machines) Created(name string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.created[name]
}

// ServeHTTP does what hack/sandbox/cmd/machines asks for.
func (m *Machines) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, query := path.Base(r.URL.Path), r.URL.Query()
	var err error
	switch r.Method {
	case http.MethodPut:
		err = m.wait(r.Context(), name)
		if err == nil {
			err = m.create(context.WithoutCancel(r.Context()), name, query.Get("parameter"), query.Get("type"))
		}
	case http.MethodPatch:
		err = m.resize(name, query.Get("nodes"))
	case http.MethodDelete:
		m.remove(name)
	default:
		err = errors.Errorf("cannot %s a machine", r.Method)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusOK)
}

// create makes a cluster unless it is there, and publishes its kubeconfig.
func (m *Machines) create(ctx context.Context, name, parameter, kind string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if kind == ScarceMachine {
		// In the words of EC2, so that it is understood as theirs are.
		return errors.New("VcpuLimitExceeded: You have requested more vCPU capacity than your current vCPU limit of 0 allows for the instance bucket that the specified instance type belongs to")
	}
	if m.made[name] == nil {
		start := m.start
		if kind == PaperMachine {
			start = paper
		}
		machine, err := start(ctx, name)
		if err != nil {
			return err
		}
		m.made[name] = machine
		m.created[name]++
	}
	m.cloud.SetParameter(CloudAccount, CloudRegion, parameter, string(m.made[name].kubeconfig))
	return nil
}

// start starts a node, lets the provider's network reach its API and its own network reach Git.
func (m *Machines) start(ctx context.Context, name string) (*Machine, error) {
	s := m.sandbox
	n, err := node.Start(ctx, node.Options{
		Dir: s.Path(cloudDir, name), Binaries: s.programs.kubernetes,
		System: s.programs.system, Images: s.programs.images,
		Log: func(line string) { s.opts.Log("cloud: machine of " + name + ": " + line) },
	})
	if err != nil {
		return nil, err
	}
	machine := &Machine{node: n, Kubeconfig: s.Path(cloudDir, name+".kubeconfig")}
	if err := m.join(ctx, machine); err != nil {
		machine.stop()
		return nil, err
	}
	return machine, nil
}

func (m *Machines) join(ctx context.Context, machine *Machine) error {
	var err error
	if machine.Config, err = machine.node.Config(); err != nil {
		return err
	}
	theirs, err := m.sandbox.home().Listen(ctx, "tcp", fmt.Sprintf("%s:%d", node.IP, firstMachinePort+m.port))
	if err != nil {
		return errors.Wrap(err, "cannot listen for connections to a machine")
	}
	m.port++
	if machine.kubeconfig, err = machine.reach(ctx, theirs); err != nil {
		return err
	}
	ours, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Wrap(err, "cannot listen for connections to a machine")
	}
	kubeconfig, err := machine.reach(ctx, ours)
	if err != nil {
		return err
	}
	if err := os.WriteFile(machine.Kubeconfig, kubeconfig, 0o600); err != nil {
		return errors.Wrap(err, "cannot write a kubeconfig")
	}
	git, err := machine.node.Listen(ctx, "tcp", gitAddress)
	if err != nil {
		return errors.Wrap(err, "cannot listen for Git in a machine's network")
	}
	machine.forwards = append(machine.forwards, newForward(ctx, git, dialer, m.sandbox.Git.listen))
	return nil
}

// reach lets those who connect to a listener reach the machine's API server, and returns a kubeconfig for them.
func (m *Machine) reach(ctx context.Context, l net.Listener) ([]byte, error) {
	m.forwards = append(m.forwards, newForward(ctx, l, m.node.DialContext, node.IP+":"+apiPort))
	kubeconfig, err := m.node.Kubeconfig()
	if err != nil {
		return nil, err
	}
	return withServer(kubeconfig, "https://"+l.Addr().String())
}

func (m *Machines) resize(name, nodes string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := strconv.Atoi(nodes)
	if err != nil || m.made[name] == nil {
		return errors.Errorf("cannot give cluster %s %s nodes", name, nodes)
	}
	m.made[name].Nodes = n
	return nil
}

// remove ends a cluster, if it is there.
func (m *Machines) remove(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if machine := m.made[name]; machine != nil {
		machine.stop()
		delete(m.made, name)
	}
}

func (m *Machines) stop() {
	for _, name := range m.Names() {
		m.remove(name)
	}
}

func (m *Machine) stop() {
	for _, f := range m.forwards {
		f.stop()
	}
	if m.node != nil {
		m.node.Stop()
	}
}
