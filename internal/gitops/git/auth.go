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
	"crypto/x509"
	"net"
	"net/url"
	"time"

	"github.com/fluxcd/pkg/git"
	"github.com/fluxcd/pkg/ssh/knownhosts"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/go-git/go-git/v5/plumbing/transport/ssh"
	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/net/proxy"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/gitauth"
)

// authenticate makes credentials of Flux's kind into one of go-git's methods.
func authenticate(u *url.URL, credentials map[string][]byte) (transport.AuthMethod, *git.AuthOptions, error) {
	o, err := git.NewAuthOptions(*u, credentials)
	if err != nil {
		return nil, nil, fault.Wrap(err, fault.Refused, "the Git credentials do not fit the URL")
	}

	if len(o.CAFile) > 0 && !x509.NewCertPool().AppendCertsFromPEM(o.CAFile) {
		return nil, nil, fault.New(fault.Refused, "ca.crt in the Git credentials holds no certificate")
	}

	if len(o.ClientCert) > 0 || len(o.ClientKey) > 0 {
		if _, err := gitauth.KeyPair(o.ClientCert, o.ClientKey); err != nil {
			return nil, nil, err
		}
	}

	if o.Transport == git.SSH {
		a, err := sshAuth(o)

		return a, o, err
	}

	switch {
	case o.BearerToken != "" && o.Password != "":
		return nil, nil, fault.New(fault.Refused, "the Git credentials hold a password and a bearerToken: keep one of them")
	case o.Username != "" || o.Password != "":
		return &http.BasicAuth{Username: o.Username, Password: o.Password}, o, nil
	case o.BearerToken != "":
		return &http.TokenAuth{Token: o.BearerToken}, o, nil
	}

	return nil, o, nil
}

func sshAuth(o *git.AuthOptions) (transport.AuthMethod, error) {
	key, err := ssh.NewPublicKeys(o.Username, o.Identity, o.Password)
	if err != nil {
		return nil, fault.New(fault.Refused, "identity in the Git credentials is not an SSH private key, or password does not open it")
	}

	callback, algorithms, err := knownhosts.New(o.KnownHosts)
	if err != nil {
		return nil, fault.New(fault.Refused, "known_hosts in the Git credentials cannot be read")
	}

	key.HostKeyCallback = callback

	return &publicKey{PublicKeys: key, algorithms: algorithms}, nil
}

// publicKey authenticates with an SSH key, to a server that is known.
type publicKey struct {
	*ssh.PublicKeys

	// algorithms of the host keys that are known.
	algorithms []string
}

// ClientConfig of the connection. A server may have keys of several kinds, and
// has to be asked for one that is known. A known RSA key comes with any of
// three signatures.
func (k *publicKey) ClientConfig() (*gossh.ClientConfig, error) {
	c, err := k.PublicKeys.ClientConfig()
	if err != nil {
		return nil, err
	}

	c.HostKeyAlgorithms = nil

	for _, a := range k.algorithms {
		if a == gossh.KeyAlgoRSA {
			c.HostKeyAlgorithms = append(c.HostKeyAlgorithms, gossh.KeyAlgoRSASHA512, gossh.KeyAlgoRSASHA256)
		}

		c.HostKeyAlgorithms = append(c.HostKeyAlgorithms, a)
	}

	c.Timeout = headTimeout

	return c, nil
}

// boundedDialer is the name of a dialer. go-git bounds the dialing of an SSH
// server but not its handshake, and a server that accepts and says nothing
// would keep us for ever; golang.org/x/net/proxy is where it lets us in.
const boundedDialer = "kubeopera-bounded"

// keyVia is where in the dialer's URL the proxy is that it is to use.
const keyVia = "via"

func init() {
	proxy.RegisterDialerType(boundedDialer, func(u *url.URL, _ proxy.Dialer) (proxy.Dialer, error) {
		life, err := time.ParseDuration(u.Host)

		return bounded{life: life, via: u.Query().Get(keyVia)}, err
	})
}

// bounded dials through a proxy, or as the environment says (ALL_PROXY,
// NO_PROXY), and bounds the whole life of the connection.
type bounded struct {
	life time.Duration
	via  string
}

// Dial an address.
func (b bounded) Dial(network, address string) (net.Conn, error) {
	return b.DialContext(context.Background(), network, address)
}

// DialContext dials an address.
func (b bounded) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, b.life)
	defer cancel()

	c, err := b.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}

	if err := c.SetDeadline(time.Now().Add(b.life)); err != nil {
		_ = c.Close()

		return nil, err
	}

	return c, nil
}

func (b bounded) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if b.via == "" {
		return proxy.Dial(ctx, network, address)
	}

	u, err := url.Parse(b.via)
	if err != nil {
		return nil, err
	}

	d, err := proxy.FromURL(u, proxy.Direct)
	if err != nil {
		return nil, err
	}

	if d, ok := d.(proxy.ContextDialer); ok {
		return d.DialContext(ctx, network, address)
	}

	return d.Dial(network, address)
}
