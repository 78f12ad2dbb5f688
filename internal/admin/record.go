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

// Package admin is the first administrator of a platform: the record on the target that people sign in against, and
// the password behind it. Everything here is pure but for the randomness of passwords and salts.
package admin

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

const (
	// SecretType of records: kubeopera-api takes no other Secret for one.
	SecretType corev1.SecretType = "kubeopera.io/administrator"

	// AnnotationAdministratorUID carries the UID of the Administrator that made a record, or a password's Secret.
	AnnotationAdministratorUID = "kubeopera.io/administrator-uid"

	// AnnotationPasswordID carries the random id of a generated password. A record was made from the password that has
	// the same id; any other one does not work for it. Unlike a Secret's UID it survives a backup.
	AnnotationPasswordID = "kubeopera.io/password-id"
)

// Keys of a record, and of a password's Secret.
const (
	KeyUsername     = "username"
	KeyEmail        = "email"
	KeyPasswordHash = "passwordHash"
	KeyPassword     = "password"
)

// maxField bounds a field of a record that we read, in bytes.
const maxField = 1024

// A Record says who may sign in as administrator. It is a Secret on the target.
type Record struct {
	Username     string
	Email        string
	PasswordHash string // a PHC string
	// Administrator is the UID of the object that made the record.
	Administrator types.UID
	// PasswordID is the id of the password that the record was made from.
	PasswordID string
	// HostCluster is the name of the HostCluster that the record is for.
	HostCluster string
}

// RecordName is the name of a user's record.
func RecordName(username string) string { return "administrator-" + username }

// RecordKey is where a user's record is on the target.
func RecordKey(username string) types.NamespacedName {
	return types.NamespacedName{Namespace: v1alpha1.PlatformNamespace, Name: RecordName(username)}
}

// Secret returns the record as it is stored.
func (r Record) Secret() *corev1.Secret {
	key := RecordKey(r.Username)
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:   key.Namespace,
			Name:        key.Name,
			Labels:      map[string]string{v1alpha1.LabelAppManagedBy: v1alpha1.AppManagedBy, v1alpha1.LabelHostCluster: r.HostCluster},
			Annotations: map[string]string{AnnotationAdministratorUID: string(r.Administrator), AnnotationPasswordID: r.PasswordID},
		},
		Type: SecretType,
		Data: map[string][]byte{
			KeyUsername:     []byte(r.Username),
			KeyEmail:        []byte(r.Email),
			KeyPasswordHash: []byte(r.PasswordHash),
		},
	}
}

// ParseRecord reads a record. A Secret of another type or name, and one whose password could never be verified, is an
// error, which names no value.
func ParseRecord(s *corev1.Secret) (Record, error) {
	if s.Type != SecretType {
		return Record{}, errors.Errorf("Secret %s is no administrator: its type is not %s", s.GetName(), SecretType)
	}
	for _, key := range []string{KeyUsername, KeyEmail, KeyPasswordHash} {
		if n := len(s.Data[key]); n == 0 || n > maxField {
			return Record{}, errors.Errorf("Secret %s is no administrator: key %s must have 1 to %d bytes", s.GetName(), key, maxField)
		}
	}
	r := Record{
		Username:      string(s.Data[KeyUsername]),
		Email:         string(s.Data[KeyEmail]),
		PasswordHash:  string(s.Data[KeyPasswordHash]),
		Administrator: types.UID(s.GetAnnotations()[AnnotationAdministratorUID]),
		PasswordID:    s.GetAnnotations()[AnnotationPasswordID],
		HostCluster:   s.GetLabels()[v1alpha1.LabelHostCluster],
	}
	if s.GetName() != RecordName(r.Username) {
		return Record{}, errors.Errorf("Secret %s is no administrator: it must be called %s and the username", s.GetName(), RecordName(""))
	}
	if _, err := parse(r.PasswordHash); err != nil {
		return Record{}, errors.Wrapf(err, "Secret %s is no administrator", s.GetName())
	}
	return r, nil
}
