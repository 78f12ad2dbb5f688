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

package git

import (
	"context"
	nethttp "net/http"
	"net/url"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/client"
	"github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// idleConnection is how long a connection may wait for its next request: one
// operation makes two. go-git makes a transport for each operation on a server
// with a CA, a client certificate or a proxy of its own, and never closes it,
// so that net/http's 90 seconds would keep several for each repository.
const idleConnection = 3 * time.Second

func init() {
	t := nethttp.DefaultTransport.(*nethttp.Transport).Clone() //nolint:forcetypeassert // It is one, and go-git asks for it, too.
	t.IdleConnTimeout = idleConnection

	c := http.NewClient(&nethttp.Client{Transport: t})
	client.InstallProtocol(schemeHTTP, c)
	client.InstallProtocol(schemeHTTPS, c)
}

// proxy for a connection that lives as long as a context at most.
func (r *Repository) proxy(ctx context.Context) transport.ProxyOptions {
	via := ""
	if r.opts.Proxy != nil {
		via = r.opts.Proxy.String()
	}

	deadline, ok := ctx.Deadline()
	if r.endpoint.Protocol != schemeSSH || !ok {
		return transport.ProxyOptions{URL: via} // The context itself bounds the connection.
	}

	life := max(time.Until(deadline), time.Millisecond).String()

	return transport.ProxyOptions{URL: boundedDialer + "://" + life + "?" + url.Values{keyVia: {via}}.Encode()}
}

// transport speaks to the server. The endpoint is a copy: a redirect changes it.
func (r *Repository) transport(ctx context.Context) (transport.Transport, *transport.Endpoint, error) {
	ep := *r.endpoint
	ep.Proxy = r.proxy(ctx)

	t, err := client.NewClient(&ep)
	if err != nil {
		return nil, nil, fault.Wrap(err, fault.Refused, "cannot speak to the Git repository")
	}

	return t, &ep, nil
}
