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

package administrator

import (
	"context"
	"crypto/rand"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/admin"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// Do one step.
func (w *workflow) Do(ctx context.Context, ad *v1alpha1.Administrator, s State, step external.Step) error {
	switch step {
	case CreatePassword:
		return w.createPassword(ctx, ad)
	case RemovePassword:
		return w.removePassword(ctx, s.Password)
	case CreateRecord:
		return w.createRecord(ctx, ad, s.Password)
	case NoteRecord:
		return w.noteRecord(ctx, s)
	default:
		return errors.Errorf("cannot do unknown step %s", step)
	}
}

// createPassword generates a password and keeps it. If another leader was faster, its password is the one.
func (w *workflow) createPassword(ctx context.Context, ad *v1alpha1.Administrator) error {
	key := passwordKey(ad)
	secret := &corev1.Secret{
		// No owner reference: an Administrator that may not delete (managementPolicies) leaves its password, which is
		// the only copy, and garbage collection would take it.
		ObjectMeta: metav1.ObjectMeta{
			Namespace: key.Namespace,
			Name:      key.Name,
			Labels:    map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy, v1alpha1.LabelHostCluster: ad.GetName()},
			Annotations: map[string]string{
				admin.AnnotationAdministratorUID: string(ad.GetUID()),
				admin.AnnotationPasswordID:       rand.Text(),
			},
		},
		Data: map[string][]byte{
			admin.KeyUsername: []byte(ad.Spec.ForProvider.Username),
			admin.KeyPassword: []byte(admin.GeneratePassword()),
		},
	}
	err := w.writer.Create(ctx, secret)
	if kerrors.IsAlreadyExists(err) {
		return nil
	}
	return errors.Wrap(err, "cannot create password Secret")
}

// removePassword removes the Secret that was looked at, and no other one of its name.
func (w *workflow) removePassword(ctx context.Context, p *Password) error {
	uid, version := p.Secret.GetUID(), p.Secret.GetResourceVersion()
	err := w.writer.Delete(ctx, p.Secret, client.Preconditions{UID: &uid, ResourceVersion: &version})
	return errors.Wrap(client.IgnoreNotFound(err), "cannot delete password Secret")
}

// createRecord makes the record of the password that was read back. If there is one by now, it is looked at again.
func (w *workflow) createRecord(ctx context.Context, ad *v1alpha1.Administrator, p *Password) error {
	hash, err := admin.Hash(p.Value)
	if err != nil {
		return err
	}
	c, err := w.targets.Connect(ctx, kubeconfigKey(ad))
	if err != nil {
		return err
	}
	record := admin.Record{
		Username:      string(ad.Spec.ForProvider.Username),
		Email:         string(ad.Spec.ForProvider.Email),
		PasswordHash:  hash,
		Administrator: ad.GetUID(),
		PasswordID:    p.ID,
		HostCluster:   ad.GetName(),
	}
	err = c.Client.Create(ctx, record.Secret())
	switch {
	case kerrors.IsAlreadyExists(err):
		return nil
	case kerrors.IsNotFound(err), kerrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return fault.Newf(fault.Waiting, "Namespace %s is not there yet on the cluster; the platform brings it", v1alpha1.PlatformNamespace)
	default:
		return target.Classify(err)
	}
}

// noteRecord writes down when the record was made. A Secret that has changed meanwhile is looked at again.
func (w *workflow) noteRecord(ctx context.Context, s State) error {
	before := s.Password.Secret
	after := before.DeepCopy()
	after.Annotations[annotationRecordedAt] = s.Record.Created.UTC().Format(time.RFC3339)
	err := w.writer.Patch(ctx, after, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	return errors.Wrap(err, "cannot note on password Secret that the record was made")
}
