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

package clusteraccess

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// Do one step.
func (w *workflow) Do(ctx context.Context, ca *v1alpha1.ClusterAccess, s State, step external.Step) error {
	switch step {
	case Store:
		return w.create(ctx, ca, s, s.Kubeconfig)
	case Refresh:
		return w.refresh(ctx, s, s.Kubeconfig)
	case IssueToken:
		return w.issueToken(ctx, ca, s)
	case HandOver:
		return w.handOver(ctx, s)
	case Blocked:
		return blocked(s.Users)
	case Delete:
		return w.delete(ctx, s.Stored)
	case Release:
		return w.release(ctx, s.Stored)
	default:
		return errors.Errorf("unknown step %s", step)
	}
}

// create stores a kubeconfig in a Secret that is not there yet.
func (w *workflow) create(ctx context.Context, ca *v1alpha1.ClusterAccess, s State, data []byte) error {
	key := storedKey(ca)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	shape(secret, s, data)

	err := w.kube.Create(ctx, secret)
	if kerrors.IsAlreadyExists(err) {
		// Somebody was faster. Whose it is shows when we look again.
		return nil
	}
	return errors.Wrapf(err, "cannot create Secret %s", key)
}

// refresh brings the stored Secret up to date. Its resourceVersion makes sure
// that it is still the one that we have looked at.
func (w *workflow) refresh(ctx context.Context, s State, data []byte) error {
	secret := s.Stored.DeepCopy()
	shape(secret, s, data)
	return errors.Wrapf(w.kube.Update(ctx, secret), "cannot update Secret %s", client.ObjectKeyFromObject(secret))
}

// shape makes a Secret the stored kubeconfig of a cluster.
func shape(secret *corev1.Secret, s State, data []byte) {
	meta.AddLabels(secret, map[string]string{
		v1alpha1.LabelHostCluster: s.ID,
		v1alpha1.LabelManagedBy:   v1alpha1.ManagedBy,
	})
	delete(secret.Annotations, annotationHandedOver)
	switch {
	case !s.Hold:
		controllerutil.RemoveFinalizer(secret, v1alpha1.FinalizerInUse)
	case secret.DeletionTimestamp.IsZero():
		controllerutil.AddFinalizer(secret, v1alpha1.FinalizerInUse)
	}
	if secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	secret.Data[v1alpha1.KubeconfigKey] = data
}

// delete asks for the deletion of exactly the Secret that we have looked at.
func (w *workflow) delete(ctx context.Context, secret *corev1.Secret) error {
	uid := secret.GetUID()
	err := w.kube.Delete(ctx, secret, client.Preconditions{UID: &uid})
	return errors.Wrapf(client.IgnoreNotFound(err), "cannot delete Secret %s", client.ObjectKeyFromObject(secret))
}

// release takes our finalizer off.
func (w *workflow) release(ctx context.Context, secret *corev1.Secret) error {
	released := secret.DeepCopy()
	controllerutil.RemoveFinalizer(released, v1alpha1.FinalizerInUse)
	err := w.kube.Update(ctx, released)
	return errors.Wrapf(client.IgnoreNotFound(err), "cannot remove finalizer of Secret %s", client.ObjectKeyFromObject(secret))
}

// blocked names those who need the stored kubeconfig and are there to stay.
func blocked(users []User) error {
	names := []string{}
	for _, u := range users {
		if !u.Deleting {
			names = append(names, u.Kind+" "+u.Name)
		}
	}
	slices.Sort(names)
	return fault.Newf(fault.Failing, "kubeconfig is in use by %s: delete it first", strings.Join(names, ", "))
}
