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
	"io"
	"io/fs"
	"time"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// Options of a run.
type Options struct {
	// RunDir holds run.SpecFile and run.ConfigFile.
	RunDir string
	// WorkDir is where OpenTofu works. It may outlive the run: a state that
	// could not be written to its bucket waits in it.
	WorkDir string
	// RescueDir holds run.RescueKey if an earlier run had to save its state there.
	RescueDir string
	// Tofu is the path of OpenTofu or Terraform.
	Tofu string
	// Modules that are built in: vpc, security, compute, …
	Modules fs.FS
	// Cloud makes the run's way to its cloud account.
	Cloud func(ctx context.Context, spec run.Spec) (Cloud, error)
	// Secrets is where the run reports.
	Secrets Secrets
	// Out takes the log.
	Out io.Writer
	// Redacted are values that no log, status or Secret may show.
	Redacted []string
	Times
}

// Times bound everything that a run waits for.
type Times struct {
	// Run is how long init and apply or destroy may take together; then they are interrupted.
	Run time.Duration
	// Grace is how long OpenTofu may take to stop after its one interrupt. It
	// waits for what it has begun to create.
	Grace time.Duration
	// Earlier is how long to wait for an earlier run on this host to end.
	Earlier time.Duration
	// Poll and PollFor say how often and for how long a vanilla cluster's kubeconfig is asked for.
	Poll, PollFor time.Duration
	// Upgrade is how long control planes that are upgraded may come no further.
	// They give up by themselves before it: package bootstrap, parts/upgrade.sh.
	Upgrade time.Duration
	// Sweep is the time between two looks for what the cluster's own controllers left.
	Sweep time.Duration
	// PushFor is how long a state that could not be written is tried again.
	PushFor time.Duration
	// Publish is the time between two reports, PublishFor how long the final one is tried.
	Publish, PublishFor time.Duration
	// Backoff is the first pause before something is tried again; each next one is twice as long.
	Backoff time.Duration
}

// DefaultTimes are those of the product's documents where these name one. An
// apply takes 10 to 40 minutes. A Job's grace period is an hour, the last
// minutes of which are for the state and the report.
func DefaultTimes() Times {
	return Times{
		Run:        2 * time.Hour,
		Grace:      55 * time.Minute,
		Earlier:    time.Minute,
		Poll:       20 * time.Second,
		PollFor:    20 * time.Minute,
		Upgrade:    40 * time.Minute,
		Sweep:      10 * time.Second,
		PushFor:    15 * time.Minute,
		Publish:    2 * time.Second,
		PublishFor: 10 * time.Minute,
		Backoff:    time.Second,
	}
}

const (
	// maxPause between two tries.
	maxPause = 30 * time.Second
	// maxQuestion bounds what is asked of a cloud, retries included.
	maxQuestion = 5 * time.Minute
	// maxCleanUp bounds what is removed beside OpenTofu. Load balancers take minutes to go.
	maxCleanUp = 30 * time.Minute
)
