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

import "context"

// apply makes the cluster what the configuration says, and returns the outputs.
func (r *runner) apply(ctx context.Context) (map[string][]byte, error) {
	r.pub.step("Preparing the state bucket")
	if err := within(ctx, maxQuestion, r.cloud.EnsureBucket); err != nil {
		return nil, err
	}
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	if err := r.upgrade(ctx); err != nil {
		return nil, err
	}
	r.pub.step("Applying the configuration")
	if err := r.change(ctx, r.tofu.apply); err != nil {
		return nil, err
	}
	outputs, err := r.kubeconfig(ctx)
	if err != nil {
		return nil, err
	}
	// What came up just now may have begun with another version, in an earlier run.
	if err := r.upgrade(ctx); err != nil {
		return nil, err
	}
	return outputs, nil
}

// begin connects OpenTofu to the state, and the state to what earlier runs did.
func (r *runner) begin(ctx context.Context) error {
	r.pub.step("Initializing OpenTofu")
	if err := r.tofu.init(ctx); err != nil {
		return err
	}
	return r.restore(ctx)
}
