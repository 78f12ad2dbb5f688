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

	rtclient "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
)

// registrar fixes an object's external name and gives it its finalizer, before
// anything is observed and in one write. The reconciler would add the finalizer
// only after Observe, and the API server's answer to that takes the place of
// the status that Observe has just written, so that people would see it a
// reconcile later.
type registrar struct {
	client rtclient.Client
}

var _ managed.Initializer = registrar{}

// Initialize a managed resource, once.
func (r registrar) Initialize(ctx context.Context, mg resource.Managed) error {
	if meta.WasDeleted(mg) {
		return nil
	}

	changed := controllerutil.AddFinalizer(mg, managed.FinalizerName)

	if meta.GetExternalName(mg) == "" {
		meta.SetExternalName(mg, mg.GetName())

		changed = true
	}

	if !changed {
		return nil
	}

	return errors.Wrap(r.client.Update(ctx, mg), "cannot register")
}
