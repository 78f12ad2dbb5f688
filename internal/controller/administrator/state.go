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
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/admin"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// The steps, besides external.Done.
const (
	// CreatePassword makes the password's Secret on the management side, unless there is one.
	CreatePassword external.Step = "CreatePassword"
	// RemovePassword removes the password's Secret: it shows a password that does not work, or nobody needs it any more.
	RemovePassword external.Step = "RemovePassword"
	// CreateRecord makes the record on the target from the password that was read back, unless there is one.
	CreateRecord external.Step = "CreateRecord"
	// NoteRecord writes down, on the password's Secret, that the record was made.
	NoteRecord external.Step = "NoteRecord"
)

// annotationRecordedAt, on the password's Secret, says when the record was made from that password. It outlives a lost
// status, so that a record that somebody deletes is not brought back.
const annotationRecordedAt = "kubeopera.io/administrator-recorded-at"

// A State is what there is of an administrator.
type State struct {
	// Self is the UID of the Administrator.
	Self types.UID
	// Remembered tells that the Administrator's status says that there has been a record.
	Remembered bool
	// Password on the management side; nil if there is no Secret, or one that is not ours.
	Password *Password
	// Record on the target; nil if there is none.
	Record *Record
}

// A Password is what the Secret on the management side says.
type Password struct {
	// Secret is the one that this was read from.
	Secret *corev1.Secret
	// Owner is the UID of the Administrator that made it.
	Owner types.UID
	// ID tells generated passwords apart.
	ID string
	// Value of the password; empty if somebody has emptied the Secret.
	Value string
	// Recorded is when a record was made from it; zero if that is not known.
	Recorded time.Time
}

// A Record is what the Secret on the target says.
type Record struct {
	// Owner is the UID of the Administrator that made it.
	Owner types.UID
	// PasswordID is the ID of the Password that it was made from.
	PasswordID string
	// Created is when it was made.
	Created time.Time
}

// Next is the step that is missing.
//
// The password comes first, create-only, and is read back before the record is made of it, create-only too. So
// whichever of two leaders comes second works with what the first one wrote, and a crash leaves one of three things:
//
//   - a password without record: the record is made from that password;
//   - a record whose password does not know of it yet: that is noted;
//   - both: nothing is left to do.
//
// A record that is deleted is not brought back: once there has been one, the password's Secret or the status says so.
// Only a record that somebody deletes in the instant between its creation and the note is made once more, with the
// same password; to note it before would lose the administrator in a crash in that instant.
func (s State) Next() external.Step {
	switch {
	case s.Record != nil && s.Password != nil && s.Password.ID != s.Record.PasswordID:
		// Somebody else's record came first, or the password was made anew: what we show would not work.
		return RemovePassword
	case s.Record != nil && s.Password != nil && s.Password.Recorded.IsZero():
		return NoteRecord
	case s.Record != nil, s.hadRecord():
		return external.Done
	case s.Password == nil:
		return CreatePassword
	case s.Password.Owner != s.Self, s.Password.Value == "":
		// Left by an Administrator of the same name that is gone, or emptied by somebody: no use for a new record.
		return RemovePassword
	default:
		return CreateRecord
	}
}

// NextDelete is the step that is missing for nothing of ours to be left that is of no use. The record stays: it is the
// platform's own user, and deleting must leave everything on the target running. So does the password that it was made
// from, which is the only copy.
func (s State) NextDelete() external.Step {
	if s.Password != nil && s.Password.Recorded.IsZero() {
		return RemovePassword
	}
	return external.Done
}

// hadRecord tells that there has been a record for this Administrator.
func (s State) hadRecord() bool {
	return s.Remembered || (s.Password != nil && s.Password.Owner == s.Self && !s.Password.Recorded.IsZero())
}

// works tells that the password is the one that the record was made from.
func (s State) works() bool {
	return s.Record != nil && s.Password != nil && s.Password.ID == s.Record.PasswordID && s.Password.Value != ""
}

// readPassword reads the password's Secret; ours is false for one that somebody else made.
func readPassword(s *corev1.Secret) (p *Password, ours bool) {
	uid, ok := s.GetAnnotations()[admin.AnnotationAdministratorUID]
	if !ok || s.GetLabels()[v1alpha1.LabelManagedBy] != v1alpha1.ManagedBy {
		return nil, false
	}
	// A time that cannot be read was not written by us: there has been a record all the same.
	recorded, err := time.Parse(time.RFC3339, s.GetAnnotations()[annotationRecordedAt])
	if err != nil && s.GetAnnotations()[annotationRecordedAt] != "" {
		recorded = s.GetCreationTimestamp().Time
	}
	return &Password{
		Secret:   s,
		Owner:    types.UID(uid),
		ID:       s.GetAnnotations()[admin.AnnotationPasswordID],
		Value:    string(s.Data[admin.KeyPassword]),
		Recorded: recorded,
	}, true
}

// readRecord reads the record's Secret.
func readRecord(s *corev1.Secret) (*Record, error) {
	r, err := admin.ParseRecord(s)
	if err != nil {
		return nil, fault.Newf(fault.Conflict, "%s; delete it on the cluster", err)
	}
	return &Record{Owner: r.Administrator, PasswordID: r.PasswordID, Created: s.GetCreationTimestamp().Time}, nil
}
