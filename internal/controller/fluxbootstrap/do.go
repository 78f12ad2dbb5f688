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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/flux"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// Do one step.
func (w *workflow) Do(ctx context.Context, fb *v1alpha1.FluxBootstrap, s State, step external.Step) error {
	c := s.Target.Client
	switch step {
	case LetGo:
		for _, u := range s.Install.Terminating.Ours {
			if err := flux.LetGo(ctx, c, u); err != nil {
				return err
			}
		}
		return nil
	case EnsureNamespace:
		return ensureNamespace(ctx, c, fb)
	case ApplyPullSecret:
		secret, err := w.pullSecret(ctx, fb)
		if err != nil || secret == nil {
			return err
		}
		return flux.Apply(ctx, c, secret)
	case RepairRelease, InstallRelease, UpgradeRelease:
		return w.release(ctx, fb, s, step)
	case ApplyCredentials:
		return applyCredentials(ctx, c, s.Sync.Desired)
	case ApplySource:
		return flux.Apply(ctx, c, s.Sync.Desired.Source(s.Sync.Observed.CredentialsVersion()))
	case ApplyRoot:
		return flux.Apply(ctx, c, s.Sync.Desired.Root())
	case Suspend:
		for _, u := range s.Leaving.Brought.Unsuspended() {
			if err := flux.Suspend(ctx, c, u); err != nil {
				return err
			}
		}
		return nil
	case Remove:
		for _, u := range s.Leaving.Brought.Removable(s.Now) {
			if err := flux.Remove(ctx, c, u); err != nil {
				return err
			}
		}
		return nil
	case RemoveCredentials:
		for i := range s.Leaving.Credentials {
			err := client.IgnoreNotFound(c.Delete(ctx, &s.Leaving.Credentials[i]))
			if err != nil {
				return errors.Wrap(target.Classify(err), "cannot delete the Git credentials")
			}
		}
		return nil
	default:
		return errors.Errorf("unknown step %q", step)
	}
}

// applyCredentials applies those of the repository and of the proxy to it, as
// far as there are any.
func applyCredentials(ctx context.Context, c client.Client, d flux.Desired) error {
	for _, secret := range []*corev1.Secret{d.Secret(), d.Proxy()} {
		if secret == nil || len(secret.Data) == 0 {
			continue
		}
		if err := flux.Apply(ctx, c, secret); err != nil {
			return err
		}
	}
	return nil
}

// release does a step on the Helm release.
func (w *workflow) release(ctx context.Context, fb *v1alpha1.FluxBootstrap, s State, step external.Step) error {
	h, err := flux.NewHelm(s.Target.Config, namespace(fb))
	if err != nil {
		return err
	}
	if step == RepairRelease {
		return h.Repair()
	}

	p, err := w.charts.Package(options(fb), fb.Spec.ForProvider.Chart)
	if err != nil {
		return err
	}
	if step == InstallRelease {
		return h.Install(ctx, p)
	}
	return h.Upgrade(ctx, p)
}

// ensureNamespace makes the namespace, create-only: one that is there is not ours.
func ensureNamespace(ctx context.Context, c client.Client, fb *v1alpha1.FluxBootstrap) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace(fb), Labels: flux.Labels(id(fb))}}
	ns.Labels["pod-security.kubernetes.io/warn"] = "restricted"
	ns.Labels["pod-security.kubernetes.io/warn-version"] = "latest"
	err := c.Create(ctx, ns, client.FieldOwner(flux.FieldManager))
	return errors.Wrap(target.Classify(client.IgnoreAlreadyExists(err)), "cannot create namespace "+ns.GetName())
}
