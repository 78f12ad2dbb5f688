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

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// maxSweeps is how often a destroy that something blocks is tried: the
// cluster's controllers make load balancers for as long as they live, so some
// may be left when the machines are gone.
const maxSweeps = 3

// destroy removes all there is of the cluster. The bucket goes last: as long
// as it is there, a destroy that was killed is taken up again, and without it
// there is nothing left to do.
func (r *runner) destroy(ctx context.Context) error {
	var found bool
	err := within(ctx, maxQuestion, func(ctx context.Context) (err error) {
		found, err = r.cloud.HasBucket(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if !found && !r.hasUnsaved() {
		r.log.Sayf("There is no state bucket %s: nothing was made, or all is removed", r.spec.State.Bucket)
		return nil
	}
	if err := within(ctx, maxQuestion, r.cloud.EnsureBucket); err != nil {
		return err
	}
	if err := r.begin(ctx); err != nil {
		return err
	}
	if err := r.remove(ctx); err != nil {
		return err
	}
	if r.spec.Topology == v1alpha1.TopologyVanilla {
		r.pub.step("Removing the parameters")
		prefix := names.ParameterPrefix(r.spec.CloudName)
		err := within(ctx, maxCleanUp, func(ctx context.Context) error { return r.cloud.RemoveParameters(ctx, prefix) })
		if err != nil {
			return err
		}
	}
	r.pub.step("Removing the state bucket")
	return within(ctx, maxCleanUp, r.cloud.RemoveBucket)
}

// remove what Terraform made, and what in its way others made.
func (r *runner) remove(ctx context.Context) error {
	for sweeps := 1; ; sweeps++ {
		r.pub.step("Removing load balancers and volumes of the cluster")
		err := r.sweep(ctx)
		switch {
		case err == nil:
		case classOf(err).IsTerminal() || ctx.Err() != nil:
			return err
		default:
			// It may go with the machines that use it.
			r.log.Sayf("Something is left, going on: %v", err)
		}
		r.pub.step("Destroying")
		err = r.change(ctx, r.tofu.destroy)
		if err == nil {
			break
		}
		if classOf(err) != run.ClassDependency || sweeps == maxSweeps || ctx.Err() != nil {
			return err
		}
		r.log.Sayf("Something is still in the way, looking for it: %v", err)
	}
	// Volumes were in use until the machines were gone; and in a network that
	// is not the cluster's own nothing stood in the way of load balancers.
	r.pub.step("Removing what the cluster has left")
	return r.sweep(ctx)
}

func (r *runner) sweep(ctx context.Context) error {
	return within(ctx, maxCleanUp, func(ctx context.Context) error {
		if err := r.cloud.SweepNetwork(ctx, r.Sweep, r.log.Sayf); err != nil {
			return err
		}
		return r.cloud.SweepRest(ctx, r.Sweep, r.log.Sayf)
	})
}
