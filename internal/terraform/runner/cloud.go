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
	"bytes"
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/sweep"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// Cloud is what a run needs of its cloud account beside OpenTofu. All of it is
// idempotent; its errors are faults (package fault).
type Cloud interface {
	// Check the credentials, before anything is made.
	Check(ctx context.Context) error
	// EnsureBucket makes the state bucket what it has to be. It fails with
	// fault.Conflict if the bucket belongs to somebody else.
	EnsureBucket(ctx context.Context) error
	// HasBucket tells whether there is a bucket of that name, whosever it is.
	HasBucket(ctx context.Context) (bool, error)
	// RemoveBucket removes it with all versions of what is in it, if it is ours.
	RemoveBucket(ctx context.Context) error
	// SweepNetwork removes load balancers that the cluster's own controllers
	// made, with what belongs to them, and waits until they are gone. It says
	// what it removes.
	SweepNetwork(ctx context.Context, every time.Duration, say Say) error
	// SweepRest removes their volumes and interfaces that nothing uses any more.
	SweepRest(ctx context.Context, every time.Duration, say Say) error
	// Kubeconfig waits for what the first control plane leaves below a prefix.
	Kubeconfig(ctx context.Context, prefix string, every, within time.Duration) ([]byte, error)
	// Parameters returns the values of those parameters below a prefix that are
	// there, at most ten.
	Parameters(ctx context.Context, prefix string, names ...string) (map[string]string, error)
	// SetParameter gives a parameter below a prefix a value that is no secret,
	// or removes it if the value is empty.
	SetParameter(ctx context.Context, prefix, name, value string) error
	// RemoveParameters removes all parameters below a prefix.
	RemoveParameters(ctx context.Context, prefix string) error
}

// Say tells those who read the log.
type Say func(format string, args ...any)

// loop of a sweep for the cluster of a run.
func loop(s run.Spec, every time.Duration, say Say) sweep.Loop {
	return sweep.Loop{Cluster: s.CloudName, Every: every, Log: func(what string) { say("Removing %s", what) }}
}

// NewCloud returns the way to the cloud account of a run, with the credentials
// that the environment names in the SDKs' own words.
func NewCloud(ctx context.Context, s run.Spec) (Cloud, error) {
	if s.State.Backend == "gcs" {
		return newGCP(ctx, s)
	}
	return newAWS(ctx, s)
}

// awsConfigFile is a completed AWS configuration in the work directory.
const awsConfigFile = ".aws-config"

// completeEnv completes the AWS configuration of a run whose identity only its
// own pod knows. SDKs and OpenTofu read it from there.
func completeEnv(workDir string) error {
	const name = "AWS_CONFIG_FILE"
	path := os.Getenv(name)
	if path == "" {
		return nil
	}
	config, err := os.ReadFile(path) //nolint:gosec // The environment says where.
	if err != nil {
		return failWrap(err, run.ClassAuth, "cannot read the credentials")
	}
	complete := cloud.FillInjected(config, os.Getenv)
	if bytes.Equal(complete, config) {
		return nil
	}
	file := filepath.Join(workDir, awsConfigFile)
	if err := os.WriteFile(file, complete, 0o600); err != nil { //nolint:gosec // The caller says where it works.
		return errors.Wrap(err, "cannot write the AWS configuration")
	}
	return errors.Wrap(os.Setenv(name, file), "cannot name the AWS configuration")
}
