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

package controller

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/gate"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/customresourcesgate"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/controller/provisionedcluster"
	"github.com/kubeopera/provider-kubeopera/internal/external"
)

// SetupGated adds each controller as soon as all kinds that it needs are
// served. Crossplane makes the CRDs of a package that can start safely one by
// one, as somebody activates them, so none may be missed at the start.
// It needs to list and watch CRDs. A controller that cannot be added ends the
// manager, as it does without a gate.
func SetupGated(mgr ctrl.Manager, o external.Options, provisioning provisionedcluster.Settings) error {
	kinds := new(gate.Gate[schema.GroupVersionKind])
	o.Gate = kinds
	failed := make(chan error)
	targets := newPool(mgr, provisioning)
	for _, u := range units(provisioning) {
		kinds.Register(func() {
			o.Logger.Info("Starting controller", "kind", u.needs[0])
			if err := u.add(mgr, o, targets); err != nil {
				failed <- errors.Wrapf(err, "cannot start the controller of kind %s", u.needs[0])
			}
		}, u.kinds()...)
	}
	if err := mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		select {
		case err := <-failed:
			return err
		case <-ctx.Done():
			return nil
		}
	})); err != nil {
		return errors.Wrap(err, "cannot watch over the controllers")
	}
	return errors.Wrap(customresourcesgate.Setup(mgr, o.Options), "cannot watch CRDs")
}

// kinds are those that the unit needs, with their versions.
func (u unit) kinds() []schema.GroupVersionKind {
	out := make([]schema.GroupVersionKind, len(u.needs))
	for i, kind := range u.needs {
		out[i] = v1alpha1.Kind(kind)
	}
	return out
}
