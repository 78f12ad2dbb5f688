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

package target

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/transport"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
)

// sweepEvery is how often clients are looked for that nobody uses any more.
const sweepEvery = time.Minute

var _ Connector = &Pool{}

// A Pool is the Connector of a process: it keeps one client per kubeconfig,
// and one circuit breaker, for as long as they are used.
type Pool struct {
	secrets client.Reader
	scheme  *runtime.Scheme
	options Options

	mu      sync.Mutex
	entries map[string]*entry
	swept   time.Time
}

type entry struct {
	cluster *Cluster
	breaker *breaker
	used    time.Time
}

// NewPool returns a Pool that reads kubeconfigs from Secrets through a reader.
func NewPool(secrets client.Reader, o Options) *Pool {
	return &Pool{secrets: secrets, scheme: NewScheme(), options: o.withDefaults(), entries: map[string]*entry{}}
}

// Connect leads into the cluster of a stored kubeconfig.
func (p *Pool) Connect(ctx context.Context, kubeconfigSecret types.NamespacedName) (*Cluster, error) {
	s := &corev1.Secret{}
	if err := p.secrets.Get(ctx, kubeconfigSecret, s); err != nil {
		if kerrors.IsNotFound(err) {
			return nil, missing(kubeconfigSecret)
		}
		return nil, errors.Wrapf(err, "cannot get Secret %s", kubeconfigSecret)
	}
	data, ok := s.Data[v1alpha1.KubeconfigKey]
	if !ok {
		return nil, LacksKubeconfig(s)
	}
	k, err := kubeconfig.Parse(data)
	if err != nil {
		return nil, fault.As(err, fault.Refused)
	}
	return p.ConnectTo(ctx, k, kubeconfigSecret)
}

func missing(secret types.NamespacedName) error {
	return fault.Newf(fault.Waiting, "Secret %s with key %s is not there yet", secret, v1alpha1.KubeconfigKey)
}

// maxKeys bounds the keys of a Secret that are named.
const maxKeys = 5

// LacksKubeconfig is the fault of a Secret that has no key kubeconfig. It says
// which ones there are instead, and nothing of what they hold. To wait is right:
// the key may come later.
func LacksKubeconfig(s *corev1.Secret) error {
	keys := slices.Sorted(maps.Keys(s.Data))
	there := "is empty"
	if len(keys) > 0 {
		there = "has no key " + v1alpha1.KubeconfigKey + ", but " + strings.Join(keys[:min(len(keys), maxKeys)], ", ")
	}
	if more := len(keys) - maxKeys; more > 0 {
		there += fmt.Sprintf(" and %d more", more)
	}
	return fault.Newf(fault.Waiting, "Secret %s %s: store the kubeconfig under the key %s", client.ObjectKeyFromObject(s), there, v1alpha1.KubeconfigKey)
}

// ConnectTo leads into the cluster of a kubeconfig, as Connect does, before it
// is stored. The Secret is the one that it comes from.
func (p *Pool) ConnectTo(ctx context.Context, k *kubeconfig.Kubeconfig, from types.NamespacedName) (*Cluster, error) {
	key := k.Digest()
	if k.Helper != nil {
		// The same text leads to another identity in the hands of another
		// owner, so the client is not shared between them.
		key += " " + from.String()
	}

	e := p.lookup(key)
	if e == nil {
		made, err := p.connect(ctx, k, from)
		if err != nil {
			return nil, err
		}
		e = p.keep(key, made)
	}
	if err := e.breaker.refused(); err != nil {
		return nil, classify(err, k.Server.Host)
	}
	return e.cluster, nil
}

// lookup returns a client that is there, and forgets those that are not used.
func (p *Pool) lookup(key string) *entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.options.Clock.Now()
	if now.Sub(p.swept) >= sweepEvery {
		p.swept = now
		for k, e := range p.entries {
			if now.Sub(e.used) >= p.options.Idle && k != key {
				p.drop(k)
			}
		}
	}
	e := p.entries[key]
	if e != nil {
		e.used = now
	}
	return e
}

// keep adds a client, unless another call was faster. The least recently used
// one makes room for it.
func (p *Pool) keep(key string, made *entry) *entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.entries[key]; e != nil {
		return e
	}
	for len(p.entries) >= p.options.MaxClusters {
		oldest := ""
		for k, e := range p.entries {
			if oldest == "" || e.used.Before(p.entries[oldest].used) {
				oldest = k
			}
		}
		p.drop(oldest)
	}
	made.used = p.options.Clock.Now()
	p.entries[key] = made
	return made
}

// drop forgets a client. Calls that are under way go on.
func (p *Pool) drop(key string) {
	p.entries[key].breaker.CloseIdleConnections()
	delete(p.entries, key)
}

func (p *Pool) connect(ctx context.Context, k *kubeconfig.Kubeconfig, from types.NamespacedName) (*entry, error) {
	cfg := k.RESTConfig()
	if k.Helper != nil {
		if p.options.Tokens == nil {
			return nil, fault.Newf(fault.Refused, "kubeconfig asks for %s: name the ProviderConfig with the cloud credentials in spec.providerConfigRef", k.Helper.Command)
		}
		ts, err := p.options.Tokens.TokenSource(ctx, from, *k.Helper)
		if err != nil {
			return nil, err
		}
		cfg.Wrap(transport.TokenSourceWrapTransport(ts))
	}

	shared, b, err := share(cfg, p.options)
	if err != nil {
		return nil, fault.Wrap(err, fault.Refused, "cannot use kubeconfig")
	}
	c, err := newClient(shared, p.scheme)
	if err != nil {
		return nil, err
	}
	return &entry{cluster: &Cluster{Client: bound(c, p.options.Timeout), Config: shared}, breaker: b}, nil
}
