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

package provisionedcluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

const (
	// ownerSecret keeps what tells the clusters of a namespace from those of
	// every other one anywhere, so that an object of the same name takes its
	// state bucket up again, and nobody else does.
	ownerSecret = "kubeopera-owner"
	ownerKey    = "id"

	// ownerLength is how many hexadecimal digits of a hash an owner has.
	ownerLength = 32
)

// owner of a cluster's state bucket; empty as long as it is not made.
func (w *workflow) owner(ctx context.Context, namespace, name string) (string, error) {
	s := &corev1.Secret{}
	err := w.live.Get(ctx, types.NamespacedName{Namespace: namespace, Name: ownerSecret}, s)
	if err != nil {
		return "", errors.Wrapf(client.IgnoreNotFound(err), "cannot get Secret %s", ownerSecret)
	}
	return ownerOf(string(s.Data[ownerKey]), namespace, name), nil
}

// ownerOf is the owner of a cluster's state bucket.
func ownerOf(id, namespace, name string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id + "/" + namespace + "/" + name))
	return hex.EncodeToString(sum[:])[:ownerLength]
}

// identify makes the id of a namespace, once.
func (w *workflow) identify(ctx context.Context, namespace string) error {
	err := w.kube.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: ownerSecret, Labels: map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy},
		},
		Data: map[string][]byte{ownerKey: []byte(uuid.NewUUID())},
	})
	if kerrors.IsAlreadyExists(err) {
		return nil // Somebody was faster.
	}
	return errors.Wrapf(err, "cannot create Secret %s", ownerSecret)
}
