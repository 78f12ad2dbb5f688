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

// Package target is the one way into a target cluster. It makes one client per
// kubeconfig, bounds every call, breaks the circuit of a cluster that does not
// answer, and says what an error of a client means. It starts no informers.
package target

import (
	"context"
	"time"

	"golang.org/x/oauth2"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
)

// A Cluster is one target.
type Cluster struct {
	// Client of the cluster. It has no cache; every call is bounded in time.
	Client client.Client
	// Config for clients of other kinds, such as Helm's. They share the
	// connections and the circuit breaker of Client.
	Config *rest.Config
}

// A Connector leads into the cluster of a kubeconfig that is kept in a Secret.
type Connector interface {
	// Connect makes no call to the cluster. Its errors are faults: Waiting if
	// the Secret or its key kubeconfig is not there, Refused if it holds
	// something else than a kubeconfig that we take, and Unreachable as long
	// as the cluster's circuit is open.
	Connect(ctx context.Context, kubeconfigSecret types.NamespacedName) (*Cluster, error)
}

// Tokens is a source of cloud tokens for the kubeconfigs that ask for a
// helper. The Secret says on whose behalf: only the credentials that its
// owner names may be used, never those of the process.
type Tokens interface {
	TokenSource(ctx context.Context, kubeconfigSecret types.NamespacedName, h kubeconfig.Helper) (oauth2.TokenSource, error)
}

// Options of connections to targets. The zero value has sensible defaults.
type Options struct {
	// Timeout of one call, 15 s by default.
	Timeout time.Duration
	// DialTimeout bounds the TCP connection and then the TLS handshake, 5 s
	// each by default: a lost SYN is sent again after 1 s and 3 s.
	DialTimeout time.Duration
	// QPS and Burst bound the calls to one cluster, 50 and 100 by default.
	QPS   float32
	Burst int
	// MaxClusters bounds the clients that are kept, 1024 by default.
	MaxClusters int
	// Idle is how long a client is kept without being used, an hour by default.
	Idle time.Duration
	// Tokens for kubeconfigs that ask for a helper. Without it they are refused.
	Tokens Tokens
	// UserAgent to be known by.
	UserAgent string
	// Clock, the real one by default.
	Clock clock.PassiveClock
}

func (o Options) withDefaults() Options {
	o.Timeout = or(o.Timeout, 15*time.Second)
	o.DialTimeout = or(o.DialTimeout, 5*time.Second)
	o.QPS = or(o.QPS, 50)
	o.Burst = or(o.Burst, 100)
	o.MaxClusters = or(o.MaxClusters, 1024)
	o.Idle = or(o.Idle, time.Hour)
	o.UserAgent = or(o.UserAgent, "provider-kubeopera")
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	return o
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
