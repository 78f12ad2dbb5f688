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
	"fmt"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/admin"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// reasonRemoved is the reason of an Administrator whose record somebody has deleted. It stays Ready: it was created,
// exactly once, and who it is now is up to the platform.
const reasonRemoved xpv2.ConditionReason = "Removed"

// workflow creates administrators.
type workflow struct {
	// reader of the management side has no cache: what was just written must be read back as it is.
	reader  client.Reader
	writer  client.Writer
	targets target.Connector
}

var _ external.Workflow[*v1alpha1.Administrator, State] = &workflow{}

// Collect reads the password's Secret and the record. An Administrator that is being deleted has no business on the
// target any more, so nothing there can hold it up.
func (w *workflow) Collect(ctx context.Context, ad *v1alpha1.Administrator) (State, error) {
	s := State{Self: ad.GetUID(), Remembered: ad.Status.AtProvider.CreatedAt != nil}

	secret := &corev1.Secret{}
	err := w.reader.Get(ctx, passwordKey(ad), secret)
	if client.IgnoreNotFound(err) != nil {
		return s, errors.Wrap(err, "cannot get password Secret")
	}
	foreign := false
	if err == nil {
		var ours bool
		s.Password, ours = readPassword(secret)
		foreign = !ours
	}
	if meta.WasDeleted(ad) {
		return s, nil
	}
	if foreign {
		return s, fault.Newf(fault.Conflict, "Secret %s is not ours: delete or rename it, so that the password can be kept there", secret.GetName())
	}
	if ref := ad.GetWriteConnectionSecretToReference(); ref != nil && ref.Name == passwordKey(ad).Name {
		return s, fault.Newf(fault.Refused, "writeConnectionSecretToRef must not be %s: the password is kept there anyhow", ref.Name)
	}

	s.Record, err = w.record(ctx, ad)
	return s, err
}

// record reads the record on the target; nil if there is none.
func (w *workflow) record(ctx context.Context, ad *v1alpha1.Administrator) (*Record, error) {
	c, err := w.targets.Connect(ctx, kubeconfigKey(ad))
	if err != nil {
		return nil, err
	}
	secret := &corev1.Secret{}
	err = c.Client.Get(ctx, admin.RecordKey(string(ad.Spec.ForProvider.Username)), secret)
	if kerrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // None is as good an answer as one.
	}
	if err != nil {
		return nil, target.Classify(err)
	}
	return readRecord(secret)
}

// Next is the step that is missing.
func (w *workflow) Next(s State) external.Step { return s.Next() }

// NextDelete is the step that is missing for nothing of ours to be left.
func (w *workflow) NextDelete(s State) external.Step { return s.NextDelete() }

// Project writes what there is to the status.
func (w *workflow) Project(ad *v1alpha1.Administrator, s State) external.Projection {
	p := external.Projection{Exists: s.Password != nil || s.Record != nil || s.hadRecord(), Ready: ready(ad, s)}
	if meta.WasDeleted(ad) {
		return p
	}
	at := &ad.Status.AtProvider
	at.CreatedAt = createdAt(at.CreatedAt, s)
	at.PasswordSecret = ""
	if s.works() {
		at.PasswordSecret = passwordKey(ad).Name
		p.Details = managed.ConnectionDetails{
			admin.KeyUsername: []byte(ad.Spec.ForProvider.Username),
			admin.KeyPassword: []byte(s.Password.Value),
		}
	}
	return p
}

// createdAt is when the record was made: what is there says so, and once it is gone what we remember.
func createdAt(known *metav1.Time, s State) *metav1.Time {
	switch {
	case s.Record != nil:
		return &metav1.Time{Time: s.Record.Created}
	case known == nil && s.hadRecord():
		return &metav1.Time{Time: s.Password.Recorded}
	default:
		return known
	}
}

// ready is the Ready condition.
func ready(ad *v1alpha1.Administrator, s State) xpv2.Condition {
	email, name := ad.Spec.ForProvider.Email, admin.RecordName(string(ad.Spec.ForProvider.Username))
	switch {
	case meta.WasDeleted(ad):
		return external.NotReady(xpv2.ReasonDeleting, "The password Secret is being removed.")
	case s.Next() != external.Done:
		return external.NotReady(v1alpha1.ReasonInProgress, fmt.Sprintf("Creating administrator %s.", email))
	case s.Record == nil:
		return external.Ready(reasonRemoved, fmt.Sprintf("Administrator %s was created, and deleted since. It is not created again.", email))
	case s.Record.Owner != s.Self:
		return external.Ready(v1alpha1.ReasonExists, fmt.Sprintf("Administrator %s existed already: Secret %s/%s on the cluster. Its password stays.", ad.Spec.ForProvider.Username, v1alpha1.PlatformNamespace, name))
	case !s.works():
		return external.Ready(xpv2.ReasonAvailable, fmt.Sprintf("Administrator %s created. The Secret with its password was deleted.", email))
	default:
		return external.Ready(xpv2.ReasonAvailable, fmt.Sprintf("Administrator %s created.", email))
	}
}

// passwordKey is where the password is kept on the management side.
func passwordKey(ad *v1alpha1.Administrator) types.NamespacedName {
	return types.NamespacedName{Namespace: ad.GetNamespace(), Name: v1alpha1.AdminPasswordSecretName(ad.GetName())}
}

// kubeconfigKey is where the way into the target is kept.
func kubeconfigKey(ad *v1alpha1.Administrator) types.NamespacedName {
	return types.NamespacedName{Namespace: ad.GetNamespace(), Name: ad.Spec.ForProvider.KubeconfigSecretRef.Name}
}
