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

package cloud

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/aws/assume"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// GCPScope is what tokens for Google Cloud are good for.
const GCPScope = "https://www.googleapis.com/auth/cloud-platform"

// AWSConfig is the configuration of AWS SDKs with these credentials and no
// others: nothing of the machine's own profiles and keys is used unless the
// identity is injected. Sessions of a role are renewed before they end. It makes
// no call. Endpoints and proxies come from the environment.
func (c *Credentials) AWSConfig(ctx context.Context, region string) (aws.Config, error) {
	if !c.AWS() {
		return aws.Config{}, fault.Newf(fault.Refused, "credentials are of Google Cloud, not of AWS: %s", c)
	}
	cfg, err := c.base(ctx, region)
	if err != nil {
		return aws.Config{}, errors.Wrap(err, "cannot configure AWS")
	}
	if c.Role != nil {
		cfg.Credentials = assume.Credentials(cfg, *c.Role)
	}
	return cfg, nil
}

// base is the configuration before a role is assumed. The SDK's own loader
// would ask for the profile that the machine's environment names.
func (c *Credentials) base(ctx context.Context, region string) (aws.Config, error) {
	if c.Injected() {
		return config.LoadDefaultConfig(ctx, config.WithRegion(region))
	}
	env, err := config.NewEnvConfig()
	if err != nil {
		return aws.Config{}, err
	}
	client := awshttp.NewBuildableClient()
	if env.CustomCABundle != "" {
		pem, err := os.ReadFile(env.CustomCABundle)
		if err != nil {
			return aws.Config{}, err
		}
		client = client.WithTransportOptions(func(t *http.Transport) { trust(t, pem) })
	}
	cfg := aws.Config{Region: region, HTTPClient: client, ConfigSources: []any{env}}
	if env.BaseEndpoint != "" {
		cfg.BaseEndpoint = aws.String(env.BaseEndpoint)
	}
	if c.None() {
		cfg.Credentials = aws.AnonymousCredentials{}
	} else {
		cfg.Credentials = credentials.NewStaticCredentialsProvider(c.key.ID, c.key.Secret, "")
	}
	return cfg, nil
}

// trust adds certificate authorities to those of a transport.
func trust(t *http.Transport, pem []byte) {
	if t.TLSClientConfig == nil {
		t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	pool := t.TLSClientConfig.RootCAs
	if pool == nil {
		pool, _ = x509.SystemCertPool()
	}
	if pool == nil {
		pool = x509.NewCertPool()
	}
	pool.AppendCertsFromPEM(pem)
	t.TLSClientConfig.RootCAs = pool
}

// TokenSource gives tokens for Google Cloud with these credentials. It makes no
// call unless the identity is injected. The tokens are cached and renewed.
func (c *Credentials) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	switch {
	case c.AWS():
		return nil, fault.Newf(fault.Refused, "credentials are of AWS, not of Google Cloud: %s", c)
	case c.None():
		return oauth2.StaticTokenSource(&oauth2.Token{}), nil
	case c.Injected():
		found, err := google.FindDefaultCredentials(WithTokenTimeout(ctx), GCPScope)
		if err != nil {
			return nil, fault.New(fault.Denied, "no identity of Google Cloud is given to the provider: see Workload Identity")
		}
		return found.TokenSource, nil
	}
	cfg, err := google.JWTConfigFromJSON(c.account, GCPScope)
	if err != nil {
		return nil, fault.Newf(fault.Refused, "%s is no service account's key", c)
	}
	return cfg.TokenSource(WithTokenTimeout(ctx)), nil
}

// WithTokenTimeout returns a context for Google's token sources in which a token
// is waited for until its deadline, and for 10 s at most. They ask without any
// context themselves, so a server that does not answer would be waited for
// without end.
func WithTokenTimeout(ctx context.Context) context.Context {
	timeout := checkTimeout
	if deadline, ok := ctx.Deadline(); ok {
		timeout = max(min(timeout, time.Until(deadline)), time.Millisecond)
	}
	return context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Timeout: timeout})
}
