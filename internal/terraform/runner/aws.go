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
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	cloudaws "github.com/kubeopera/provider-kubeopera/internal/cloud/aws"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/aws/leftovers"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// checkTimeout bounds one question to a cloud, in which it may be tried more than once.
const checkTimeout = 30 * time.Second

// awsCloud is an account on AWS.
type awsCloud struct {
	spec   run.Spec
	cfg    sdk.Config
	bucket cloudaws.Bucket
}

func newAWS(ctx context.Context, s run.Spec) (Cloud, error) {
	cfg, err := config.LoadDefaultConfig(ctx, config.WithRegion(s.Region))
	if err != nil {
		return nil, failWrap(err, run.ClassAuth, "cannot use the AWS credentials")
	}
	return &awsCloud{spec: s, cfg: cfg, bucket: cloudaws.Bucket{
		Name: s.State.Bucket, Region: s.State.Region, Owner: s.Owner, Endpoint: s.State.Endpoint,
	}}, nil
}

func (c *awsCloud) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	// First whether there are any: the SDK would call that no answer.
	if _, err := c.cfg.Credentials.Retrieve(ctx); err != nil && cloud.StatusOf(err) == 0 && ctx.Err() == nil {
		return fault.Wrap(errors.New(cloudCause(err)), fault.Denied, "no AWS credentials can be had")
	}
	_, err := sts.NewFromConfig(c.cfg).GetCallerIdentity(ctx, nil)
	return cloud.Wrap(err, "AWS does not take the credentials")
}

func (c *awsCloud) EnsureBucket(ctx context.Context) error { return c.bucket.Ensure(ctx, c.cfg) }

func (c *awsCloud) RemoveBucket(ctx context.Context) error { return c.bucket.Remove(ctx, c.cfg) }

func (c *awsCloud) HasBucket(ctx context.Context) (bool, error) { return c.bucket.Exists(ctx, c.cfg) }

func (c *awsCloud) SweepNetwork(ctx context.Context, every time.Duration, say Say) error {
	return c.sweeper(every, say).Network(ctx, c.cfg)
}

func (c *awsCloud) SweepRest(ctx context.Context, every time.Duration, say Say) error {
	return c.sweeper(every, say).Rest(ctx, c.cfg)
}

func (c *awsCloud) sweeper(every time.Duration, say Say) *leftovers.Sweeper {
	return &leftovers.Sweeper{Loop: loop(c.spec, every, say)}
}

func (c *awsCloud) Kubeconfig(ctx context.Context, prefix string, every, within time.Duration) ([]byte, error) {
	return cloudaws.Kubeconfig(ctx, c.cfg, prefix, cloudaws.Wait{Every: every, For: within})
}

func (c *awsCloud) RemoveParameters(ctx context.Context, prefix string) error {
	return cloudaws.DeleteParameters(ctx, c.cfg, prefix)
}

// cloudCause is the innermost cause of an SDK's error.
func cloudCause(err error) string {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err.Error()
}
