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

// Package administrator creates the first administrator of a platform, exactly once.
package administrator

import (
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// workers is the least number of Administrators that are worked on together: those that wait for a dead cluster must
// leave enough to the others.
const workers = 32

// Setup adds the controller of Administrators to the manager.
func Setup(mgr ctrl.Manager, o external.Options, targets target.Connector) error {
	o.MaxConcurrentReconciles = max(o.MaxConcurrentReconciles, workers)
	kind := v1alpha1.Kind(v1alpha1.AdministratorKind)
	w := &workflow{reader: mgr.GetAPIReader(), writer: mgr.GetClient(), targets: targets}
	r := external.NewReconciler(mgr, o, kind, w)
	return errors.Wrap(external.NewBuilder(mgr, o, kind, &v1alpha1.Administrator{}).Complete(r), "cannot set up controller of Administrators")
}
