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

package provisionedcluster

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
)

// runPoll is how often a run is looked at, at least: Jobs and Secrets of another
// namespace are not watched, and people watch the progress.
const runPoll = 5 * time.Second

// pollInterval returns when to look at a ProvisionedCluster again.
func pollInterval(jitter float64) managed.PollIntervalHook {
	usual := external.PollInterval(jitter)
	return func(mg resource.Managed, poll time.Duration) time.Duration {
		wait := usual(mg, poll)
		if c := mg.GetCondition(v1alpha1.TypeAsyncOperation); c.Status == corev1.ConditionFalse {
			return min(wait, runPoll)
		}
		return wait
	}
}
