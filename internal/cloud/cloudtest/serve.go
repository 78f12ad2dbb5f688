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

package cloudtest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// A Server is a local cloud that listens on an address.
type Server struct {
	*Cloud

	// URL of all services.
	URL string
}

// Start serves a local cloud on a free port of this machine until the test ends.
func Start(tb testing.TB, o ...Options) *Server {
	tb.Helper()
	var options Options
	if len(o) > 0 {
		options = o[0]
	}
	c := New(options)
	s := httptest.NewServer(c.Handler())
	tb.Cleanup(s.Close)
	return &Server{Cloud: c, URL: s.URL}
}

// Serve serves a local cloud on an address (host:port) until the context ends.
// It calls ready, if given, once it listens.
func (c *Cloud) Serve(ctx context.Context, address string, ready func(*Server)) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return errors.Wrapf(err, "cannot listen on %s", address)
	}
	s := &http.Server{Handler: c.Handler(), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if ready != nil {
		ready(&Server{Cloud: c, URL: "http://" + l.Addr().String()})
	}
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return errors.Wrap(err, "cannot serve the local cloud")
	}
	return nil
}

// Env is the environment that leads SDKs and Terraform to the cloud at a URL:
// endpoints only, no keys.
func Env(url string) map[string]string {
	return map[string]string{
		"AWS_ENDPOINT_URL":                           url,
		"AWS_ENDPOINT_URL_S3":                        url,
		"AWS_ENDPOINT_URL_SSM":                       url,
		"AWS_ENDPOINT_URL_STS":                       url,
		"AWS_ENDPOINT_URL_EKS":                       url,
		"AWS_ENDPOINT_URL_EC2":                       url,
		"AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING":    url,
		"AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2": url,
		"STORAGE_EMULATOR_HOST":                      url,
	}
}

// Env is the environment that leads SDKs and Terraform here.
func (s *Server) Env() map[string]string { return Env(s.URL) }

// SetEnv leads the SDKs of a test here, and to no key or profile of this machine.
func (s *Server) SetEnv(t *testing.T) {
	t.Helper()
	for k, v := range s.Env() {
		t.Setenv(k, v)
	}
	for _, k := range []string{"AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS"} {
		t.Setenv(k, "")
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_CONFIG_FILE", "/nonexistent")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
}
