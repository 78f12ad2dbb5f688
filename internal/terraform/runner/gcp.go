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

package runner

import (
	"context"
	stderrors "errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/googleapi"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	cloudgcp "github.com/kubeopera/provider-kubeopera/internal/cloud/gcp"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// emulatorEnv is the variable by which Google's clients find an emulator.
const emulatorEnv = "STORAGE_EMULATOR_HOST"

// gcpCloud is a project on Google Cloud.
type gcpCloud struct {
	tokens oauth2.TokenSource
	bucket cloudgcp.Bucket
}

func newGCP(ctx context.Context, s run.Spec) (Cloud, error) {
	tokens := oauth2.StaticTokenSource(&oauth2.Token{})
	found, err := google.FindDefaultCredentials(ctx, cloud.GCPScope)
	switch {
	case err == nil:
		tokens = found.TokenSource
	case os.Getenv(emulatorEnv) == "":
		// An emulator wants none.
		return nil, failf(run.ClassAuth, "no Google Cloud credentials can be had: %s", cloudCause(err))
	}
	return &gcpCloud{tokens: tokens, bucket: cloudgcp.Bucket{
		Name: s.State.Bucket, Project: s.Project, Region: s.State.Region, Owner: s.Owner, Endpoint: s.State.Endpoint,
	}}, nil
}

func (c *gcpCloud) Check(context.Context) error {
	_, err := c.tokens.Token()
	if err == nil {
		return nil
	}
	class := fault.Denied
	refused, answered := stderrors.AsType[*oauth2.RetrieveError](err)
	_, network := stderrors.AsType[net.Error](err)
	if network || answered && refused.Response != nil && (refused.Response.StatusCode >= http.StatusInternalServerError || refused.Response.StatusCode == http.StatusTooManyRequests) {
		class = fault.Unreachable
	}
	return fault.Wrap(err, class, "Google Cloud does not take the credentials")
}

func (c *gcpCloud) EnsureBucket(ctx context.Context) error { return c.bucket.Ensure(ctx, c.tokens) }
func (c *gcpCloud) RemoveBucket(ctx context.Context) error { return c.bucket.Remove(ctx, c.tokens) }

// HasBucket asks with plain HTTP: one GET is all there is to it.
func (c *gcpCloud) HasBucket(ctx context.Context) (bool, error) {
	root := "https://storage.googleapis.com"
	if host := os.Getenv(emulatorEnv); host != "" {
		root = host
		if !strings.Contains(host, "://") {
			root = "http://" + host
		}
	}
	if c.bucket.Endpoint != "" {
		root, _, _ = strings.Cut(c.bucket.Endpoint, "/storage/v1")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(root, "/")+"/storage/v1/b/"+url.PathEscape(c.bucket.Name), http.NoBody) //nolint:gosec // The run says where its state is.
	if err != nil {
		return false, errors.Wrap(err, "cannot ask for the bucket")
	}
	token, err := c.tokens.Token()
	if err != nil {
		return false, cloud.Wrap(err, "Google Cloud does not take the credentials")
	}
	if token.AccessToken != "" {
		token.SetAuthHeader(req)
	}
	resp, err := http.DefaultClient.Do(req) //nolint:gosec // The same.
	if err != nil {
		return false, cloud.Wrap(err, "cannot look for bucket "+c.bucket.Name)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusNotFound {
		return false, nil
	}
	err = googleapi.CheckResponse(resp)
	if cloud.StatusOf(err) == http.StatusForbidden {
		return true, nil // What is wrong with it is found out by whoever uses it.
	}
	return err == nil, cloud.Wrap(err, "cannot look for bucket "+c.bucket.Name)
}

// SweepNetwork does nothing on Google Cloud. Where a Service's firewall rule keeps the
// network from going, the destroy fails with class Dependency and names it.
func (c *gcpCloud) SweepNetwork(context.Context, time.Duration, Say) error { return nil }

// SweepRest does nothing on Google Cloud: disks of claims stay.
func (c *gcpCloud) SweepRest(context.Context, time.Duration, Say) error { return nil }

func (c *gcpCloud) Kubeconfig(context.Context, string, time.Duration, time.Duration) ([]byte, error) {
	return nil, fault.New(fault.Refused, "nodes on Google Cloud publish no kubeconfig")
}

func (c *gcpCloud) RemoveParameters(context.Context, string) error { return nil }
