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

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// maxUnlocks bounds how many stale locks one command breaks: each killed run
// leaves one at most.
const maxUnlocks = 2

// withLock runs a command of OpenTofu that locks the state. It breaks a lock
// whose holder is provably gone, and no other one.
func (r *runner) withLock(ctx context.Context, do func(context.Context) error) error {
	for broken := 0; ; broken++ {
		err := do(ctx)
		if err == nil || classOf(err) != run.ClassLock || ctx.Err() != nil {
			return err
		}
		h, ok := parseHolder(err.Error())
		switch {
		case !ok:
			return err
		case !h.gone(r.spec.EndedHolders, r.host) || broken == maxUnlocks:
			return h.locked(r.spec.State)
		}
		r.log.Sayf("Breaking the state lock of %s since %s: that run has ended", h.Who, h.Created)
		// The lock is named by its id: if somebody else took it by now, it stays.
		if err := r.tofu.unlock(ctx, h.ID); err != nil {
			return errors.Wrapf(err, "cannot break the state lock of %s, which has ended", h.Who)
		}
	}
}
