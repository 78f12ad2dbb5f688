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
	"path"
	"slices"
	"strings"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// kustomize is what kustomize-controller does.
func (p *puppet) kustomize(ctx context.Context, k *kustomizev1.Kustomization, revision string) error {
	switch {
	case !k.DeletionTimestamp.IsZero():
		if controllerutil.RemoveFinalizer(k, kustomizev1.KustomizationFinalizer) {
			return client.IgnoreNotFound(p.c.Update(ctx, k))
		}

		return nil
	case k.Spec.Suspend:
		return nil
	case controllerutil.AddFinalizer(k, kustomizev1.KustomizationFinalizer):
		return p.c.Update(ctx, k)
	case k.Status.LastAppliedRevision == revision && k.Status.ObservedGeneration == k.Generation:
		return nil
	}

	for _, on := range k.Spec.DependsOn {
		before := &kustomizev1.Kustomization{}
		if err := p.c.Get(ctx, client.ObjectKey{Namespace: k.Namespace, Name: on.Name}, before); err != nil || before.Status.LastAppliedRevision != revision {
			return client.IgnoreNotFound(err)
		}
	}

	files, err := p.files(ctx, strings.TrimPrefix(k.Spec.Path, "./"))
	if err != nil {
		return err
	}

	for _, f := range files {
		if err := p.applyFile(ctx, k, f); err != nil {
			return errors.Wrapf(err, "cannot apply %s", f)
		}
	}

	k.Status.ObservedGeneration = k.Generation
	k.Status.LastAppliedRevision = revision
	succeed(&k.Status.Conditions)

	return p.c.Status().Update(ctx, k)
}

// files that a kustomization.yaml lists, folders included.
func (p *puppet) files(ctx context.Context, folder string) ([]string, error) {
	content, err := p.git(ctx, "show", p.branch+":"+path.Join(folder, "kustomization.yaml"))
	if err != nil {
		return nil, err
	}

	k := struct {
		Resources []string `json:"resources"`
	}{}
	if err := yaml.Unmarshal([]byte(content), &k); err != nil {
		return nil, errors.Wrap(err, "cannot read a kustomization")
	}

	for i, r := range k.Resources {
		k.Resources[i] = path.Join(folder, r)
	}

	return slices.DeleteFunc(k.Resources, func(f string) bool { return strings.Contains(f, "crd") }), nil
}

// applyFile applies the objects of a file. CRDs, and kinds that need them, are
// common to all targets and no matter of ours.
func (p *puppet) applyFile(ctx context.Context, k *kustomizev1.Kustomization, file string) error {
	content, err := p.git(ctx, "show", p.branch+":"+file)
	if err != nil {
		return err
	}

	for doc := range strings.SplitSeq("\n"+content, "\n---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(doc), &u.Object); err != nil {
			return errors.Wrap(err, "cannot read a manifest")
		}

		if len(u.Object) == 0 || u.GetKind() == "SealedSecret" || u.GetKind() == "CustomResourceDefinition" {
			continue
		}

		labels := u.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}

		labels["kustomize.toolkit.fluxcd.io/name"], labels["kustomize.toolkit.fluxcd.io/namespace"] = k.Name, k.Namespace
		u.SetLabels(labels)

		if err := p.c.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("kustomize-controller"), client.ForceOwnership); err != nil {
			return err
		}
	}

	return nil
}
