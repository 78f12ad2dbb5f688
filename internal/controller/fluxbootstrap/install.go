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
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/flux"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// pullSecretName is the name on the target of the Secret to pull Flux's images with.
const pullSecretName = v1alpha1.SyncName + "-registry"

// collectInstall reads the State of Flux itself.
func (w *workflow) collectInstall(ctx context.Context, fb *v1alpha1.FluxBootstrap, t *target.Cluster) (Install, error) {
	i := Install{}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace(fb)}}
	var err error
	if i.Namespace, err = flux.Get(ctx, t.Client, ns); err != nil {
		return i, err
	}
	if ns.GetDeletionTimestamp() != nil {
		i.Terminating, err = w.collectTerminating(ctx, fb, t, ns)
		return i, err
	}

	all, err := flux.ReadComponents(ctx, t.Client)
	if err != nil {
		return i, err
	}
	if i.Release, err = flux.ReadRelease(ctx, t.Client, namespace(fb)); err != nil {
		return i, err
	}
	if !i.Release.Ours() {
		crds, err := flux.ReadCRDs(ctx, t.Client)
		if err != nil {
			return i, err
		}
		i.Existing = flux.Detect(all, crds, i.Release, needs(fb))
	}
	if i.Existing != nil {
		i.Components = i.Existing.Components
		if err := i.Existing.Err(); err != nil {
			return i, err
		}
		i.Unready, err = unready(ctx, fb, t, i)
		return i, err
	}

	if i.Digest, err = w.charts.Digest(options(fb), fb.Spec.ForProvider.Chart); err != nil {
		return i, err
	}
	i.Components = slices.DeleteFunc(all, func(c flux.Component) bool { return c.Namespace != namespace(fb) })
	i.Missing = len(missing(fb, i)) > 0 && fb.Spec.ForProvider.Chart == nil
	if i.Unready, err = unready(ctx, fb, t, i); err != nil {
		return i, err
	}
	i.PullSecret, err = w.samePullSecret(ctx, fb, t)
	return i, err
}

// needs towards a Flux that is there already.
func needs(fb *v1alpha1.FluxBootstrap) flux.Needs {
	return flux.Needs{Namespace: namespace(fb), Components: fb.Spec.ForProvider.Components, Labels: flux.Labels(id(fb))}
}

// options of the built-in Flux.
func options(fb *v1alpha1.FluxBootstrap) flux.Options {
	o := flux.Options{Namespace: namespace(fb), Components: fb.Spec.ForProvider.Components}
	if v := fb.Spec.ForProvider.Version; v != nil {
		o.Version = *v
	}
	if fb.Spec.ForProvider.RegistryPullSecretRef != nil {
		o.ImagePullSecret = pullSecretName
	}
	return o
}

// required components: those that were asked for. What a chart of somebody else
// installs is up to its values.
func required(fb *v1alpha1.FluxBootstrap, i Install) []v1alpha1.Component {
	if i.Existing == nil && fb.Spec.ForProvider.Chart != nil {
		return []v1alpha1.Component{v1alpha1.ComponentSource, v1alpha1.ComponentKustomize}
	}
	return fb.Spec.ForProvider.Components
}

// missing components of those that are required.
func missing(fb *v1alpha1.FluxBootstrap, i Install) []v1alpha1.Component {
	return slices.DeleteFunc(slices.Clone(required(fb, i)), func(want v1alpha1.Component) bool {
		return slices.ContainsFunc(i.Components, func(c flux.Component) bool { return c.Name == string(want) })
	})
}

// unready says which component does not run, and why; empty if all do.
func unready(ctx context.Context, fb *v1alpha1.FluxBootstrap, t *target.Cluster, i Install) (string, error) {
	for _, c := range i.Components {
		if c.Ready || !slices.Contains(required(fb, i), v1alpha1.Component(c.Name)) {
			continue
		}
		why, err := flux.Diagnose(ctx, t.Client, c)
		return c.Name + " does not run: " + cmp.Or(why, c.Message), err
	}
	if m := missing(fb, i); len(m) > 0 {
		return string(m[0]) + " is not there", nil
	}
	return "", nil
}

func (w *workflow) samePullSecret(ctx context.Context, fb *v1alpha1.FluxBootstrap, t *target.Cluster) (bool, error) {
	want, err := w.pullSecret(ctx, fb)
	if err != nil || want == nil {
		return want == nil, err
	}
	have := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: want.GetNamespace(), Name: want.GetName()}}
	found, err := flux.Get(ctx, t.Client, have)
	switch {
	case err != nil || !found:
		return false, err
	case have.GetLabels()[v1alpha1.LabelAppManagedBy] != v1alpha1.AppManagedBy:
		// One that an earlier host cluster of another name has left is taken up.
		return false, fault.Newf(fault.Conflict, "Secret %s/%s is there already and not ours: rename or delete it", have.GetNamespace(), have.GetName())
	}
	return flux.Same(t.Client, have, want)
}

// pullSecret to be on the target; nil if none was asked for.
func (w *workflow) pullSecret(ctx context.Context, fb *v1alpha1.FluxBootstrap) (*corev1.Secret, error) {
	ref := fb.Spec.ForProvider.RegistryPullSecretRef
	if ref == nil {
		return nil, nil //nolint:nilnil // None is as good an answer as one.
	}
	s, err := w.secret(ctx, fb, *ref, "the registry's credentials")
	if err != nil {
		return nil, err
	}
	config := s.Data[corev1.DockerConfigJsonKey]
	if len(config) == 0 {
		return nil, fault.Newf(fault.Refused, "Secret %s has no key %s", ref.Name, corev1.DockerConfigJsonKey)
	}
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace(fb), Name: pullSecretName, Labels: flux.Labels(id(fb))},
		Type:       corev1.SecretTypeDockerConfigJson,
		Data:       map[string][]byte{corev1.DockerConfigJsonKey: config},
	}, nil
}
