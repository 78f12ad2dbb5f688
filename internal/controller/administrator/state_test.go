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
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/internal/external"
)

// Short names for the rows of the tables.
var (
	then     = time.Date(2026, 9, 26, 0, 35, 0, 0, time.UTC)
	fresh    = &Password{Owner: "me", ID: "one", Value: "secret"}
	recorded = &Password{Owner: "me", ID: "one", Value: "secret", Recorded: then}
	earlier  = &Password{Owner: "earlier", ID: "zero", Value: "secret", Recorded: then}
	emptied  = &Password{Owner: "me", ID: "one"}
	mine     = &Record{Owner: "me", PasswordID: "one", Created: then}
	theirs   = &Record{Owner: "earlier", PasswordID: "zero", Created: then}
	byHand   = &Record{Created: then}
)

func TestNext(t *testing.T) {
	cases := map[string]struct {
		reason string
		state  State
		want   external.Step
	}{
		"Nothing":                  {reason: "The password comes first.", state: State{}, want: CreatePassword},
		"PasswordOnly":             {reason: "The record is made of the password that is kept.", state: State{Password: fresh}, want: CreateRecord},
		"CrashBeforeNote":          {reason: "The record is there, and the password does not know.", state: State{Password: fresh, Record: mine}, want: NoteRecord},
		"StatusBeforeNote":         {reason: "The status is no reason to leave the note out.", state: State{Password: fresh, Record: mine, Remembered: true}, want: NoteRecord},
		"Both":                     {reason: "Nothing is left to do.", state: State{Password: recorded, Record: mine}, want: external.Done},
		"Steady":                   {reason: "Nothing is left to do.", state: State{Password: recorded, Record: mine, Remembered: true}, want: external.Done},
		"PasswordDeleted":          {reason: "Nobody knows the password any more; a new one would not work.", state: State{Record: mine}, want: external.Done},
		"PasswordDeletedThenKnown": {reason: "The same, later.", state: State{Record: mine, Remembered: true}, want: external.Done},
		"RecordDeleted":            {reason: "The note says that there was one: it is not brought back.", state: State{Password: recorded}, want: external.Done},
		"RecordDeletedStatus":      {reason: "So does the status.", state: State{Password: fresh, Remembered: true}, want: external.Done},
		"BothDeleted":              {reason: "The status alone is enough.", state: State{Remembered: true}, want: external.Done},
		"EarlierRecord":            {reason: "An earlier Administrator's record counts; no password is made.", state: State{Record: theirs}, want: external.Done},
		"EarlierBoth":              {reason: "Its password still works: it stays.", state: State{Record: theirs, Password: earlier}, want: external.Done},
		"RecordByHand":             {reason: "A record that somebody made counts too.", state: State{Record: byHand}, want: external.Done},
		"LostRace":                 {reason: "Another record came first: our password does not work.", state: State{Record: theirs, Password: fresh}, want: RemovePassword},
		"LostRaceByHand":           {reason: "The same with a record that names no password.", state: State{Record: byHand, Password: fresh}, want: RemovePassword},
		"Replaced":                 {reason: "Ours was deleted, and another one made.", state: State{Record: theirs, Password: recorded}, want: RemovePassword},
		"NewPasswordOldRecord":     {reason: "A password made anew by a slow leader does not work.", state: State{Record: mine, Password: &Password{Owner: "me", ID: "two", Value: "x"}}, want: RemovePassword},
		"LeftOver":                 {reason: "An Administrator of the same name left its password, and the record is gone: begin anew.", state: State{Password: earlier}, want: RemovePassword},
		"Emptied":                  {reason: "Without a password there can be no record.", state: State{Password: emptied}, want: RemovePassword},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.state.Self = "me"
			if diff := cmp.Diff(tc.want, tc.state.Next()); diff != "" {
				t.Errorf("%s\nNext() (-want, +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNextDelete(t *testing.T) {
	cases := map[string]struct {
		reason string
		state  State
		want   external.Step
	}{
		"Nothing":  {reason: "Nothing is left.", state: State{}, want: external.Done},
		"Unused":   {reason: "A password without a record is of no use.", state: State{Password: fresh}, want: RemovePassword},
		"Password": {reason: "One that works is the only copy.", state: State{Password: recorded}, want: external.Done},
		"LeftOver": {reason: "So is one of an Administrator of the same name.", state: State{Password: earlier}, want: external.Done},
		"Record":   {reason: "The record stays.", state: State{Record: mine}, want: external.Done},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.state.Self = "me"
			if diff := cmp.Diff(tc.want, tc.state.NextDelete()); diff != "" {
				t.Errorf("%s\nNextDelete() (-want, +got):\n%s", tc.reason, diff)
			}
		})
	}
}
