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

package external

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	"github.com/crossplane/crossplane-runtime/v2/pkg/statemetrics"
)

// Count the managed resources of some kinds for Crossplane's metrics, as long
// as the manager runs. Without metrics nothing is counted.
func (o Options) Count(mgr ctrl.Manager, kinds ...schema.GroupVersionKind) error {
	m := o.MetricOptions
	if m == nil {
		return nil
	}

	for _, kind := range kinds {
		list, err := mgr.GetScheme().New(kind.GroupVersion().WithKind(kind.Kind + "List"))
		if err != nil {
			return errors.Wrapf(err, "cannot count objects of kind %s", kind.Kind)
		}

		l, ok := list.(resource.ManagedList)
		if !ok {
			return errors.Errorf("cannot count objects of kind %s: they are no managed resources", kind.Kind)
		}

		r := statemetrics.NewMRStateRecorder(mgr.GetClient(), o.Logger, m.MRStateMetrics, l, m.PollStateMetricInterval)
		if err := mgr.Add(manager.RunnableFunc(func(ctx context.Context) error { return o.count(ctx, r) })); err != nil {
			return errors.Wrapf(err, "cannot count objects of kind %s", kind.Kind)
		}
	}

	return nil
}

// count until the context ends. The recorder gives up on its first error, for
// which no controller has to end.
func (o Options) count(ctx context.Context, r *statemetrics.MRStateRecorder) error {
	for ctx.Err() == nil {
		if err := r.Start(ctx); err != nil {
			o.Logger.Info("Cannot count managed resources", "error", err.Error())
		}
	}

	return nil
}
