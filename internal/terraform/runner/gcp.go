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
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	cloudgcp "github.com/kubeopera/provider-kubeopera/internal/cloud/gcp"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/gcp/leftovers"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// leftoversNote is what a sweep keeps for the next one, beside the state.
const leftoversNote = "kubeopera/leftovers.json"

// gcpCloud is a project on Google Cloud.
type gcpCloud struct {
	spec   run.Spec
	tokens oauth2.TokenSource
	bucket cloudgcp.Bucket
}

func newGCP(ctx context.Context, s run.Spec) (Cloud, error) {
	tokens := oauth2.StaticTokenSource(&oauth2.Token{})
	found, err := google.FindDefaultCredentials(cloud.WithTokenTimeout(ctx), cloud.GCPScope)
	switch {
	case err == nil:
		tokens = found.TokenSource
	case cloudgcp.Emulator() == "":
		// An emulator wants none.
		return nil, failf(run.ClassAuth, "no Google Cloud credentials can be had: %s", cloudCause(err))
	}
	return &gcpCloud{spec: s, tokens: tokens, bucket: cloudgcp.Bucket{
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
func (c *gcpCloud) HasBucket(ctx context.Context) (bool, error) {
	return c.bucket.Exists(ctx, c.tokens)
}

func (c *gcpCloud) SweepNetwork(ctx context.Context, every time.Duration, say Say) error {
	return c.sweeper(every, say).Network(ctx, c.tokens)
}

func (c *gcpCloud) SweepRest(ctx context.Context, every time.Duration, say Say) error {
	return c.sweeper(every, say).Rest(ctx, c.tokens)
}

func (c *gcpCloud) sweeper(every time.Duration, say Say) *leftovers.Sweeper {
	return &leftovers.Sweeper{
		Loop: loop(c.spec, every, say), Project: c.spec.Project, Location: c.spec.Region,
		Memory: cloudgcp.Note{Bucket: c.bucket, Tokens: c.tokens, Name: leftoversNote},
	}
}

func (c *gcpCloud) Kubeconfig(context.Context, string, time.Duration, time.Duration) ([]byte, error) {
	return nil, fault.New(fault.Refused, "nodes on Google Cloud publish no kubeconfig")
}

func (c *gcpCloud) Parameters(context.Context, string, ...string) (map[string]string, error) {
	return map[string]string{}, nil
}

func (c *gcpCloud) SetParameter(context.Context, string, string, string) error { return nil }

func (c *gcpCloud) RemoveParameters(context.Context, string) error { return nil }
