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

package flux

import (
	"fmt"
	"sync"

	"helm.sh/helm/v4/pkg/kube"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// maxDigests bounds the cache of digests: there are about as many as there are
// combinations of components.
const maxDigests = 256

// Charts renders the chart of a FluxBootstrap, or fetches it.
type Charts struct {
	builtIn *BuiltIn
	err     error

	mu      sync.Mutex
	digests map[string]string
}

// NewCharts returns the charts of this provider. One that was built without
// Flux says so when it is asked for it.
func NewCharts() *Charts {
	// Helm would take the name of the program, which may change.
	kube.ManagedFieldsManager = FieldManager
	b, err := LoadBuiltIn()
	return &Charts{builtIn: b, err: err, digests: map[string]string{}}
}

// Digest of the package that Package would return. It is asked for at every
// poll, so it downloads nothing, and renders a chart only once.
func (c *Charts) Digest(o Options, from *v1alpha1.Chart) (string, error) {
	if from != nil {
		return SourceDigest(*from), nil
	}
	if c.err != nil {
		return "", c.err
	}

	key := fmt.Sprint(o)
	c.mu.Lock()
	defer c.mu.Unlock()
	if d, ok := c.digests[key]; ok {
		return d, nil
	}
	ch, err := c.builtIn.Chart(o)
	if err != nil {
		return "", err
	}
	if len(c.digests) >= maxDigests {
		clear(c.digests)
	}
	c.digests[key] = Digest(ch)
	return c.digests[key], nil
}

// Package to install: the built-in one with its options, or the chart that is
// given, with the values that it is given with.
func (c *Charts) Package(o Options, from *v1alpha1.Chart) (Package, error) {
	if from != nil {
		values, err := ChartValues(*from)
		if err != nil {
			return Package{}, err
		}
		ch, err := Download(*from)
		return Package{Chart: ch, Values: values, Digest: SourceDigest(*from), Foreign: true}, err
	}
	if c.err != nil {
		return Package{}, c.err
	}
	ch, err := c.builtIn.Chart(o)
	if err != nil {
		return Package{}, err
	}
	return Package{Chart: ch, Digest: Digest(ch)}, nil
}
