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

package fluxbootstrap

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/flux"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// workflow brings Flux to targets.
type workflow struct {
	// reader of the management side.
	reader  client.Reader
	targets target.Connector
	charts  *flux.Charts
	clock   clock.PassiveClock
	events  event.Recorder
	log     logging.Logger
}

var _ external.Workflow[*v1alpha1.FluxBootstrap, State] = &workflow{}

// Collect what is there.
func (w *workflow) Collect(ctx context.Context, fb *v1alpha1.FluxBootstrap) (State, error) {
	s := State{Now: w.clock.Now()}
	t, err := w.targets.Connect(ctx, types.NamespacedName{Namespace: fb.GetNamespace(), Name: fb.Spec.ForProvider.KubeconfigSecretRef.Name})
	s.Target = t
	if meta.WasDeleted(fb) {
		s.Leaving = w.collectLeaving(ctx, fb, s, err)
		return s, nil
	}
	if err != nil {
		return s, err
	}

	if s.Install, err = w.collectInstall(ctx, fb, t); err != nil {
		return s, err
	}
	if s.Install.Terminating != nil {
		return s, nil
	}
	s.Sync, err = w.collectSync(ctx, fb, t, s)
	return s, err
}

// Next step towards what was asked for.
func (w *workflow) Next(s State) external.Step { return next(s) }

// NextDelete step towards nothing of ours being left.
func (w *workflow) NextDelete(s State) external.Step { return nextDelete(s) }

// secret of the management side, which has to appear if it is not there.
func (w *workflow) secret(ctx context.Context, fb *v1alpha1.FluxBootstrap, ref v1alpha1.SecretReference, what string) (*corev1.Secret, error) {
	s := &corev1.Secret{}
	err := w.reader.Get(ctx, types.NamespacedName{Namespace: fb.GetNamespace(), Name: ref.Name}, s)
	if client.IgnoreNotFound(err) != nil {
		return nil, errors.Wrapf(err, "cannot get the Secret with %s", what)
	}
	if err != nil {
		return nil, fault.Newf(fault.Waiting, "Secret %s with %s is not there yet", ref.Name, what)
	}
	return s, nil
}

// id of the cluster that a FluxBootstrap is for.
func id(fb *v1alpha1.FluxBootstrap) string { return fb.GetName() }

// namespace of Flux on the target.
func namespace(fb *v1alpha1.FluxBootstrap) string {
	if ns := fb.Spec.ForProvider.Namespace; ns != "" {
		return ns
	}
	return v1alpha1.FluxNamespace
}
