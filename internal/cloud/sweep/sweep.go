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

// Package sweep removes things of a cloud that vanish slowly, and waits until
// they are gone.
package sweep

import (
	"context"
	"time"

	"k8s.io/utils/clock"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// A Loop removes the leftovers of one cluster.
type Loop struct {
	// Cluster is what the cluster is called in the account.
	Cluster string
	// Every and For bound the wait for what vanishes slowly: 10 s and 10
	// minutes by default. A load balancer's interfaces take up to 5 minutes.
	Every, For time.Duration
	// Clock, the real one by default.
	Clock clock.Clock
	// Log is told each thing that is removed, if set.
	Log func(what string)
}

// A Step removes what it finds, and returns what is still there.
type Step func(context.Context) (left []string, err error)

// Say that something is removed.
func (l Loop) Say(what string) {
	if l.Log != nil {
		l.Log(what)
	}
}

// Until does steps, each for as long as it leaves something, within the time.
func (l Loop) Until(ctx context.Context, steps ...Step) error {
	if l.Cluster == "" {
		return errors.New("cannot sweep for a cluster without a name")
	}
	if l.Every == 0 {
		l.Every = 10 * time.Second
	}
	if l.For == 0 {
		l.For = 10 * time.Minute
	}
	if l.Clock == nil {
		l.Clock = clock.RealClock{}
	}
	end := l.Clock.Now().Add(l.For)
	for _, do := range steps {
		for {
			left, err := do(ctx)
			if err != nil {
				return err
			}
			if len(left) == 0 {
				break
			}
			if !l.Clock.Now().Add(l.Every).Before(end) {
				return fault.Newf(fault.Unhealthy, "%d leftovers of cluster %s do not go, %s among them: delete them by hand", len(left), l.Cluster, left[0])
			}
			select {
			case <-ctx.Done():
				return errors.Wrap(ctx.Err(), "cannot wait for leftovers to go")
			case <-l.Clock.After(l.Every):
			}
		}
	}
	return nil
}
