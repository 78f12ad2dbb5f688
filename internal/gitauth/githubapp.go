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

package gitauth

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/fluxcd/pkg/auth/githubapp"
	"github.com/fluxcd/pkg/runtime/secrets"
	"github.com/google/go-github/v87/github"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

const (
	// appTimeout bounds the requests for one token.
	appTimeout = 15 * time.Second

	// maxTokenAge is how long a token is used, though GitHub's are good for an
	// hour: an installation that loses its rights and gets them back is soon
	// asked again.
	maxTokenAge = 10 * time.Minute
)

// Apps gets tokens for GitHub Apps, as Flux does on its side.
type Apps struct {
	mu     sync.Mutex
	tokens map[[sha256.Size]byte]token
}

type token struct {
	value   []byte
	expires time.Time
}

// NewApps returns an Apps that has no tokens yet.
func NewApps() *Apps { return &Apps{tokens: map[[sha256.Size]byte]token{}} }

// Resolve makes credentials of a GitHub App into a user name and a token, which
// is asked for if there is none that is fresh. It leaves all others as they are.
func (a *Apps) Resolve(ctx context.Context, c Credentials) (Credentials, error) {
	if !c.GitHubApp {
		return c, nil
	}

	key := digest(c.Data)
	value, ok := a.recall(key)

	if !ok {
		t, err := request(ctx, c)
		if err != nil {
			return Credentials{}, err
		}

		value = []byte(t.Token)
		a.keep(key, token{value: value, expires: time.Now().Add(min(maxTokenAge, time.Until(t.ExpiresAt)*8/10))})
	}

	out := Credentials{Proxy: c.Proxy, Data: map[string][]byte{
		secrets.KeyUsername: []byte(githubapp.AccessTokenUsername),
		secrets.KeyPassword: value,
	}}
	out.copy(c.Data, secrets.KeyCACert, secrets.KeyTLSCert, secrets.KeyTLSPrivateKey)

	return out, nil
}

func (a *Apps) recall(key [sha256.Size]byte) ([]byte, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()

	t, ok := a.tokens[key]

	return t.value, ok && time.Now().Before(t.expires)
}

// keep a token, and forget those that have expired.
func (a *Apps) keep(key [sha256.Size]byte, t token) {
	a.mu.Lock()
	defer a.mu.Unlock()

	maps.DeleteFunc(a.tokens, func(_ [sha256.Size]byte, t token) bool { return time.Now().After(t.expires) })
	a.tokens[key] = t
}

// request a token. Nobody else waits meanwhile: GitHub may be slow.
func request(ctx context.Context, c Credentials) (*githubapp.AppToken, error) {
	ctx, cancel := context.WithTimeout(ctx, appTimeout)
	defer cancel()

	cfg, err := c.tls()
	if err != nil {
		return nil, err
	}

	app, err := githubapp.New(githubapp.WithAppData(c.Data), githubapp.WithTLSConfig(cfg), githubapp.WithProxyURL(c.Proxy))
	if err != nil {
		return nil, fault.Wrap(err, fault.Refused, "the GitHub App's credentials cannot be used")
	}

	t, err := app.GetToken(ctx)

	return t, classifyApp(err)
}

// tls configuration, with the private CA and the client certificate if there are any.
func (c Credentials) tls() (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}

	if ca := c.Data[secrets.KeyCACert]; len(ca) > 0 {
		pool, err := x509.SystemCertPool()
		if err != nil {
			return nil, errors.Wrap(err, "cannot read the system's certificates")
		}

		if !pool.AppendCertsFromPEM(ca) {
			return nil, fault.New(fault.Refused, "ca.crt in the Git credentials holds no certificate")
		}

		cfg.RootCAs = pool
	}

	if key := c.Data[secrets.KeyTLSPrivateKey]; len(key) > 0 {
		pair, err := KeyPair(c.Data[secrets.KeyTLSCert], key)
		if err != nil {
			return nil, err
		}

		cfg.Certificates = []tls.Certificate{pair}
	}

	return cfg, nil
}

// classifyApp says what GitHub's answer means.
func classifyApp(err error) error {
	if err == nil {
		return nil
	}

	if untrusted := (&tls.CertificateVerificationError{}); errors.As(err, &untrusted) {
		return fault.Wrap(err, fault.Refused, "certificate of GitHub not trusted: put its CA into ca.crt of the Git credentials")
	}

	if NotTaken(err) {
		return fault.Wrap(err, fault.Denied, "client certificate missing or refused by GitHub: check tls.crt and tls.key of the Git credentials")
	}

	answer := &github.ErrorResponse{}
	if !errors.As(err, &answer) || answer.Response == nil {
		return fault.Wrap(err, fault.Unreachable, "GitHub does not answer the GitHub App")
	}

	switch code := answer.Response.StatusCode; {
	case code == http.StatusUnauthorized:
		return fault.Newf(fault.Denied, "GitHub App refused: check githubAppID and githubAppPrivateKey: %s", answer.Message)
	case code == http.StatusNotFound:
		return fault.New(fault.Denied, "GitHub App not installed there: check its installation and githubAppInstallationID or Owner")
	case code == http.StatusForbidden:
		return fault.Newf(fault.Denied, "GitHub App lacks rights, or is suspended: %s", answer.Message)
	case code >= http.StatusInternalServerError, code == http.StatusTooManyRequests:
		return fault.Newf(fault.Unreachable, "GitHub fails with status %d: cannot get a token for the GitHub App", code)
	}

	return fault.Wrap(err, fault.Failing, "cannot get a token for the GitHub App")
}

// digest of credentials: others have another token.
func digest(data map[string][]byte) [sha256.Size]byte {
	h := sha256.New()
	for _, k := range slices.Sorted(maps.Keys(data)) {
		fmt.Fprintf(h, "%s %d %s\n", k, len(data[k]), data[k])
	}

	return [sha256.Size]byte(h.Sum(nil))
}

func number(b []byte) bool {
	n, err := strconv.ParseInt(string(b), 10, 64)

	return err == nil && n > 0
}
