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

package gitopsenvironment

import (
	"context"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/gitops"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/seal"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// cluster is the target, as far as a tree has to do with it.
type cluster struct {
	client client.Client

	// uid of its namespace kube-system.
	uid string
}

// connect to the target, and ask it who it is.
func (w *workflow) connect(ctx context.Context, mg *v1alpha1.GitOpsEnvironment) (cluster, error) {
	c, err := w.targets.Connect(ctx, types.NamespacedName{Namespace: mg.Namespace, Name: mg.Spec.ForProvider.KubeconfigSecretRef.Name})
	if err != nil {
		return cluster{}, err
	}

	ns := &corev1.Namespace{}
	if err := c.Client.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, ns); err != nil {
		return cluster{}, target.Classify(err)
	}

	return cluster{client: c.Client, uid: string(ns.UID)}, nil
}

// keys of the controller of Sealed Secrets that is to unseal the tree's
// secrets, and where it runs if it is not the tree's own. Which one it is gets
// decided when the tree is new, and is kept in its marker.
func (c cluster) keys(ctx context.Context, r gitops.Remote) (existing string, ring seal.Keyring, err error) {
	existing = r.ExistingSealedSecrets

	if r.Files == nil {
		if existing, err = c.existing(ctx); err != nil {
			return "", ring, err
		}
	}

	namespace := existing
	if namespace == "" {
		namespace = render.SealedSecretsNamespace
	}

	l := &corev1.SecretList{}
	if err := c.client.List(ctx, l, client.InNamespace(namespace), client.MatchingLabels{seal.KeyLabel: seal.ActiveKey}); err != nil {
		return existing, ring, target.Classify(err)
	}

	return existing, seal.Keyring{Known: true, Keys: seal.Keys(l.Items)}, nil
}

// existing returns the namespace of a controller of Sealed Secrets that is not from a tree of ours.
func (c cluster) existing(ctx context.Context) (string, error) {
	l := &appsv1.DeploymentList{}
	if err := c.client.List(ctx, l); err != nil {
		return "", target.Classify(err)
	}

	for i := range l.Items {
		d := &l.Items[i]
		if d.Labels[v1alpha1.LabelAppManagedBy] == v1alpha1.AppManagedBy {
			continue
		}

		for _, container := range d.Spec.Template.Spec.Containers {
			if strings.Contains(container.Image, "sealed-secrets-controller") {
				return d.Namespace, nil
			}
		}
	}

	return "", nil
}
