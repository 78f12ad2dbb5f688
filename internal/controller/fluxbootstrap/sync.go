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
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/flux"
	"github.com/kubeopera/provider-kubeopera/internal/gitauth"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// collectSync reads the State of what Flux reconciles.
func (w *workflow) collectSync(ctx context.Context, fb *v1alpha1.FluxBootstrap, t *target.Cluster, s State) (Sync, error) {
	p := fb.Spec.ForProvider
	if p.Sync == nil || p.Git == nil {
		return Sync{}, nil
	}

	out := Sync{Wanted: true}
	secret, err := w.secret(ctx, fb, p.Git.CredentialsSecretRef, "the Git credentials")
	if err != nil {
		return out, err
	}
	creds, err := gitauth.FromSecret(secret, string(p.Git.URL))
	if err != nil {
		return out, err
	}
	out.Desired = flux.Desired{ID: id(fb), Namespace: namespace(fb), Git: *p.Git, Sync: *p.Sync, Credentials: creds}

	if out.Observed, err = flux.ReadSync(ctx, t.Client, namespace(fb), creds.Proxy != nil); err != nil {
		return out, err
	}
	if err := out.Observed.CheckOwners(id(fb)); err != nil {
		return out, err
	}
	if err := out.compare(t); err != nil {
		return out, err
	}

	out.Health = flux.Judge(out.Observed, flux.Expected{
		TreeHash:    p.Sync.TreeHash,
		Layers:      inOrder(p.Sync.Layers),
		Settled:     settled(fb),
		Credentials: "Secret " + p.Git.CredentialsSecretRef.Name,
		Now:         s.Now,
	})
	if layer := out.Health.Waiting(); layer != "" {
		cause, err := flux.Blame(ctx, t.Client, namespace(fb), layer)
		if err != nil {
			return out, err
		}
		out.Health.Because(cause)
	}
	return out, nil
}

// compare what is there with what was asked for.
func (s *Sync) compare(t *target.Cluster) error {
	o, d := s.Observed, s.Desired
	git, err := sameSecret(t, o.Secret, d.Secret())
	if err != nil {
		return err
	}
	proxy, err := sameSecret(t, o.Proxy, d.Proxy())
	if err != nil {
		return err
	}
	s.Credentials = git && proxy
	if o.Source != nil {
		if s.Source, err = flux.Same(t.Client, o.Source, d.Source(o.CredentialsVersion())); err != nil {
			return err
		}
	}
	if o.Root != nil {
		s.Root, err = flux.Same(t.Client, o.Root, d.Root())
	}
	return err
}

// sameSecret tells whether a Secret is as it was asked for, or none was.
func sameSecret(t *target.Cluster, have, want *corev1.Secret) (bool, error) {
	switch {
	case want == nil || len(want.Data) == 0:
		return true, nil
	case have == nil:
		return false, nil
	}
	return flux.Same(t.Client, have, want)
}

// settled tells whether this very tree was healthy when we looked last.
func settled(fb *v1alpha1.FluxBootstrap) bool {
	sync := fb.Spec.ForProvider.Sync
	if fb.GetCondition(v1alpha1.TypeLayersReady).Status != corev1.ConditionTrue {
		return false
	}
	for _, want := range sync.Layers {
		if !slices.ContainsFunc(fb.Status.AtProvider.Layers, func(l v1alpha1.LayerStatus) bool {
			return l.Name == want && l.TreeHash == sync.TreeHash
		}) {
			return false
		}
	}
	return true
}

// inOrder sorts layers by what depends on what.
func inOrder(layers []v1alpha1.Layer) []v1alpha1.Layer {
	order := []v1alpha1.Layer{v1alpha1.LayerInfrastructure, v1alpha1.LayerSecrets, v1alpha1.LayerApps}
	out := slices.Clone(layers)
	slices.SortFunc(out, func(a, b v1alpha1.Layer) int {
		if d := slices.Index(order, a) - slices.Index(order, b); d != 0 {
			return d
		}
		return strings.Compare(string(a), string(b))
	})
	return out
}
