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
	"sync"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// hold keeps those who ask for a machine waiting.
type hold struct {
	released chan struct{}
	waiting  int
}

// Hold lets a cluster's machine take as long as the caller likes: whoever asks for it waits until it is released, or
// gives up and has nothing.
func (m *Machines) Hold(name string) (release func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := &hold{released: make(chan struct{})}
	m.held[name] = h
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.held[name] == h {
			delete(m.held, name)
		}
		close(h.released)
	})
}

// Awaited tells whether somebody waits for a machine that is held.
func (m *Machines) Awaited(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.held[name]
	return h != nil && h.waiting > 0
}

// wait until a machine is not held.
func (m *Machines) wait(ctx context.Context, name string) error {
	m.mu.Lock()
	h := m.held[name]
	if h == nil {
		m.mu.Unlock()
		return nil
	}
	h.waiting++
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		h.waiting--
	}()
	select {
	case <-h.released:
		return nil
	case <-ctx.Done():
		return errors.Wrap(ctx.Err(), "cannot wait for the machine any longer")
	}
}

// paper makes a machine on paper.
func paper(_ context.Context, name string) (*Machine, error) {
	const admin = "admin"
	kubeconfig, err := clientcmd.Write(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{name: {Server: "https://" + paperAddress, InsecureSkipTLSVerify: true}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{admin: {Token: "on-paper"}},
		Contexts:       map[string]*clientcmdapi.Context{admin: {Cluster: name, AuthInfo: admin}},
		CurrentContext: admin,
	})
	return &Machine{kubeconfig: kubeconfig}, errors.Wrap(err, "cannot write a kubeconfig")
}
