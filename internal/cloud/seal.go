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

package cloud

import (
	"bytes"
	"context"
	stderrors "errors"
	"io"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// Where the key is kept that opens sealed credentials, in the provider's own
// namespace, and where it says whom to seal for.
const (
	SealingIdentityName  = "kubeopera-sealing-identity"
	SealingIdentityKey   = "identity"
	SealingRecipientName = "kubeopera-sealing-recipient"
	SealingRecipientKey  = "recipient"
)

// Seal encrypts a credential for a recipient, in age's armored form.
func Seal(recipient string, plain []byte) ([]byte, error) {
	r, err := age.ParseX25519Recipient(recipient)
	if err != nil {
		return nil, errors.Wrap(err, "cannot read recipient")
	}
	out := &bytes.Buffer{}
	armored := armor.NewWriter(out)
	w, err := age.Encrypt(armored, r)
	if err != nil {
		return nil, errors.Wrap(err, "cannot seal")
	}
	if _, err := w.Write(plain); err != nil {
		return nil, errors.Wrap(err, "cannot seal")
	}
	if err := stderrors.Join(w.Close(), armored.Close()); err != nil {
		return nil, errors.Wrap(err, "cannot seal")
	}
	return out.Bytes(), nil
}

// EnsureSealing makes the provider's sealing key at first need, and publishes
// the recipient that belongs to it, in a Secret: the provider's Role has no
// other kind that could take it. It returns the recipient. A key that is there
// is never replaced: whatever was sealed for it could not be opened again. The
// reader must have no cache.
func EnsureSealing(ctx context.Context, live client.Reader, c client.Writer, namespace string) (string, error) {
	id, err := identity(ctx, live, namespace)
	if fault.Is(err, fault.Waiting) {
		id, err = makeIdentity(ctx, live, c, namespace)
	}
	if err != nil {
		return "", err
	}

	want := id.Recipient().String()
	key := types.NamespacedName{Namespace: namespace, Name: SealingRecipientName}
	s := &corev1.Secret{}
	err = live.Get(ctx, key, s)
	switch {
	case kerrors.IsNotFound(err):
		s = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: SealingRecipientName, Labels: ours()},
			Data:       map[string][]byte{SealingRecipientKey: []byte(want)},
		}
		if err := c.Create(ctx, s); err != nil && !kerrors.IsAlreadyExists(err) {
			return "", errors.Wrapf(err, "cannot create Secret %s", key)
		}
	case err != nil:
		return "", errors.Wrapf(err, "cannot get Secret %s", key)
	case string(s.Data[SealingRecipientKey]) != want:
		s.Data = map[string][]byte{SealingRecipientKey: []byte(want)}
		if err := c.Update(ctx, s); err != nil {
			return "", errors.Wrapf(err, "cannot update Secret %s", key)
		}
	}
	return want, nil
}

func ours() map[string]string { return map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy} }

// makeIdentity makes the key, unless somebody else was faster.
func makeIdentity(ctx context.Context, live client.Reader, c client.Writer, namespace string) (*age.X25519Identity, error) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a sealing key")
	}
	s := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: SealingIdentityName, Labels: ours()},
		Data:       map[string][]byte{SealingIdentityKey: []byte(id.String())},
	}
	err = c.Create(ctx, s)
	if kerrors.IsAlreadyExists(err) {
		return identity(ctx, live, namespace)
	}
	return id, errors.Wrapf(err, "cannot create Secret %s/%s", namespace, SealingIdentityName)
}

// identity reads the key. Its error is Waiting if there is none.
func identity(ctx context.Context, r client.Reader, namespace string) (*age.X25519Identity, error) {
	key := types.NamespacedName{Namespace: namespace, Name: SealingIdentityName}
	s := &corev1.Secret{}
	if err := r.Get(ctx, key, s); err != nil {
		if kerrors.IsNotFound(err) {
			return nil, fault.Newf(fault.Waiting, "Secret %s with the sealing key is not there yet", key)
		}
		return nil, errors.Wrapf(err, "cannot get Secret %s", key)
	}
	id, err := age.ParseX25519Identity(strings.TrimSpace(string(s.Data[SealingIdentityKey])))
	if err != nil {
		// The error of age quotes its input.
		return nil, fault.Newf(fault.Refused, "Secret %s key %s is no age identity: restore it from a backup", key, SealingIdentityKey)
	}
	return id, nil
}

// open decrypts a sealed credential.
func (r Resolver) open(ctx context.Context, c *Credentials, sealed []byte) ([]byte, error) {
	id, err := identity(ctx, r.Reader, r.Namespace)
	if err != nil {
		return nil, err
	}
	var in io.Reader = bytes.NewReader(sealed)
	if bytes.HasPrefix(bytes.TrimSpace(sealed), []byte(armor.Header)) {
		in = armor.NewReader(in)
	}
	plain, err := age.Decrypt(in, id)
	if _, ok := stderrors.AsType[*age.NoIdentityMatchError](err); ok {
		return nil, fault.Newf(fault.Refused, "%s is sealed for another key: seal it again for %s", c.From, id.Recipient())
	}
	if err != nil {
		return nil, fault.Newf(fault.Refused, "%s is not sealed with age: seal it for %s", c.From, id.Recipient())
	}
	out, err := io.ReadAll(io.LimitReader(plain, maxCredential+1))
	switch {
	case err != nil:
		return nil, fault.Newf(fault.Refused, "%s is damaged: seal it again for %s", c.From, id.Recipient())
	case len(out) == 0:
		return nil, fault.Newf(fault.Refused, "%s is empty", c.From)
	case len(out) > maxCredential:
		return nil, fault.Newf(fault.Refused, "%s is larger than 64 KiB: it holds no credential", c.From)
	}
	return out, nil
}
