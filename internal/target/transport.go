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
	"net"
	"net/http"
	"net/url"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

const (
	// A connection that is silent for pingAfter is asked for a sign of life,
	// and closed if none comes within pingTimeout. Without it, calls go on
	// failing over a dead connection for as long as TCP sends again: 15
	// minutes on Linux.
	pingAfter   = 15 * time.Second
	pingTimeout = 10 * time.Second
	// idleConnection is how long a connection stays open that nobody uses. It
	// is longer than the fast polls and shorter than the slow ones, so that a
	// cluster that is only watched over costs no connection.
	idleConnection = 30 * time.Second
)

// share returns a configuration whose clients share one pool of connections
// and one circuit breaker. (client-go caches transports by configuration, too,
// but never forgets one.)
func share(cfg *rest.Config, o Options) (*rest.Config, *breaker, error) {
	rt, err := newTransport(cfg, o)
	if err != nil {
		return nil, nil, err
	}
	b := newBreaker(rt, o.Clock)

	out := rest.CopyConfig(cfg)
	out.Transport = &guard{next: b}
	// They are in the transport now; a configuration may not have them twice.
	out.TLSClientConfig = rest.TLSClientConfig{}
	out.Proxy = nil
	out.Timeout = o.Timeout
	out.UserAgent = o.UserAgent
	out.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(o.QPS, o.Burst)
	out.WarningHandlerWithContext = rest.NoWarnings{}
	return out, b, nil
}

func newTransport(cfg *rest.Config, o Options) (*http.Transport, error) {
	tc, err := cfg.TransportConfig()
	if err != nil {
		return nil, errors.Wrap(err, "cannot read TLS settings")
	}
	tlsConfig, err := transport.TLSConfigFor(tc)
	if err != nil {
		return nil, errors.Wrap(err, "cannot use TLS settings")
	}
	proxy := cfg.Proxy
	if proxy == nil {
		proxy = http.ProxyFromEnvironment
	}
	return &http.Transport{
		Proxy: proxy,
		// Its own text for a refusal may hold anything.
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, res *http.Response) error {
			if res.StatusCode == http.StatusOK {
				return nil
			}
			return &net.OpError{Op: "proxyconnect", Net: "tcp", Err: errors.Errorf("it answers %d %s", res.StatusCode, http.StatusText(res.StatusCode))}
		},
		DialContext:           (&net.Dialer{Timeout: o.DialTimeout, KeepAlive: pingAfter}).DialContext,
		TLSClientConfig:       tlsConfig,
		TLSHandshakeTimeout:   o.DialTimeout,
		ResponseHeaderTimeout: o.Timeout,
		ForceAttemptHTTP2:     true,
		HTTP2:                 &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout, WriteByteTimeout: o.Timeout},
		MaxIdleConnsPerHost:   2,
		IdleConnTimeout:       idleConnection,
		DisableCompression:    cfg.DisableCompression,
	}, nil
}
