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

package canary

import (
	"context"
	"crypto/rand"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bitnami-labs/sealed-secrets/pkg/crypto"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/seal"
)

// play does what would be done on nodes: it makes Deployments run, and does
// Flux's part of a sync. What goes wrong is done again in a moment.
func (b *bed) play() {
	b.Helper()
	// The tree would bring these, and the controller of Sealed Secrets its key.
	for _, ns := range []string{render.SealedSecretsNamespace, v1alpha1.PlatformNamespace} {
		b.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}})
	}
	b.sealingKey()
	b.background(func(ctx context.Context) {
		wait.UntilWithContext(ctx, func(ctx context.Context) {
			b.runDeployments(ctx)
			b.sync(ctx)
		}, 100*time.Millisecond)
	})
}

func (b *bed) sealingKey() {
	b.Helper()
	key, _, err := crypto.GeneratePrivateKeyAndCert(2048, time.Hour, "")
	b.must(err)
	cert, err := crypto.SignKeyWithNotBefore(rand.Reader, key, time.Now().Add(-time.Minute), time.Hour, "")
	b.must(err)
	b.create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: render.SealedSecretsNamespace, Name: "key", Labels: map[string]string{seal.KeyLabel: seal.ActiveKey}},
		Data:       map[string][]byte{corev1.TLSCertKey: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw})},
	})
}

func (b *bed) runDeployments(ctx context.Context) {
	l := &appsv1.DeploymentList{}
	if b.cp.Client.List(ctx, l) != nil {
		return
	}
	for i := range l.Items {
		d := &l.Items[i]
		if d.Status.ObservedGeneration == d.Generation && d.Status.AvailableReplicas > 0 {
			continue
		}
		d.Status = appsv1.DeploymentStatus{
			ObservedGeneration: d.Generation, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1,
			Conditions: []appsv1.DeploymentCondition{
				{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue},
				{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable"},
			},
		}
		_ = b.cp.Client.Status().Update(ctx, d)
	}
}

// sync makes of each sync what Flux would.
func (b *bed) sync(ctx context.Context) {
	l := &v1alpha1.FluxBootstrapList{}
	if b.cp.Client.List(ctx, l, client.InNamespace(team)) != nil {
		return
	}
	head, err := os.ReadFile(filepath.Join(b.git.Dir, "refs", "heads", "main"))
	if err != nil {
		return
	}
	revision := "main@sha1:" + strings.TrimSpace(string(head))
	for i := range l.Items {
		if s := l.Items[i].Spec.ForProvider.Sync; s != nil && l.Items[i].DeletionTimestamp.IsZero() {
			b.reconcile(ctx, s, revision)
		}
	}
}

func (b *bed) reconcile(ctx context.Context, s *v1alpha1.Sync, revision string) {
	source := &sourcev1.GitRepository{}
	root := &kustomizev1.Kustomization{}
	if b.cp.Client.Get(ctx, key(v1alpha1.SyncName), source) != nil || b.cp.Client.Get(ctx, key(v1alpha1.SyncName), root) != nil {
		return
	}
	if source.Status.Artifact == nil || source.Status.Artifact.Revision != revision || source.Status.ObservedGeneration != source.Generation {
		source.Status.ObservedGeneration = source.Generation
		source.Status.Artifact = &fluxmeta.Artifact{Revision: revision, Path: "p", URL: "http://s/p", Digest: "sha256:" + strings.Repeat("0", 64), LastUpdateTime: metav1.Now()}
		succeed(&source.Status.Conditions)
		_ = b.cp.Client.Status().Update(ctx, source)
	}
	b.applied(ctx, root, revision)
	for _, layer := range s.Layers {
		k := &kustomizev1.Kustomization{}
		err := b.cp.Client.Get(ctx, key(layer.KustomizationName()), k)
		switch {
		case kerrors.IsNotFound(err):
			k.Namespace, k.Name = v1alpha1.FluxNamespace, layer.KustomizationName()
			k.Labels = map[string]string{v1alpha1.LabelLayer: string(layer)}
			k.Annotations = map[string]string{v1alpha1.AnnotationTreeHash: s.TreeHash}
			k.Spec = root.Spec
			_ = b.cp.Client.Create(ctx, k)
		case err == nil && k.Annotations[v1alpha1.AnnotationTreeHash] != s.TreeHash:
			k.Annotations[v1alpha1.AnnotationTreeHash] = s.TreeHash
			_ = b.cp.Client.Update(ctx, k)
		case err == nil:
			b.applied(ctx, k, revision)
		}
	}
}

func (b *bed) applied(ctx context.Context, k *kustomizev1.Kustomization, revision string) {
	if k.Status.LastAppliedRevision == revision && k.Status.ObservedGeneration == k.Generation {
		return
	}
	k.Status.ObservedGeneration, k.Status.LastAppliedRevision = k.Generation, revision
	succeed(&k.Status.Conditions)
	_ = b.cp.Client.Status().Update(ctx, k)
}

func succeed(cs *[]metav1.Condition) {
	apimeta.SetStatusCondition(cs, metav1.Condition{Type: fluxmeta.ReadyCondition, Status: metav1.ConditionTrue, Reason: "Succeeded", Message: "done"})
}

func key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: v1alpha1.FluxNamespace, Name: name}
}
