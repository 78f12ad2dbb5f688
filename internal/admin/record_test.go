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

package admin

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func record() Record {
	return Record{
		Username: "admin", Email: "admin@acme.com", PasswordHash: prefix + "m=65536,t=2,p=1$" + salt + "$" + tag,
		Administrator: "uid-1", PasswordID: "id-1", HostCluster: "my-cluster",
	}
}

func TestRecordRoundTrip(t *testing.T) {
	s := record().Secret()
	if s.GetNamespace() != "kubeopera-system" || s.GetName() != "administrator-admin" || s.Type != "kubeopera.io/administrator" {
		t.Errorf("Secret(): %s/%s of type %s is not where kubeopera-api looks", s.GetNamespace(), s.GetName(), s.Type)
	}
	got, err := ParseRecord(s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(record(), got); diff != "" {
		t.Errorf("ParseRecord(Secret()) (-want, +got):\n%s", diff)
	}
}

func TestParseRecordRefuses(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(s *corev1.Secret)
		want   string
	}{
		"OtherType": {reason: "Not every Secret is a record.", change: func(s *corev1.Secret) { s.Type = corev1.SecretTypeOpaque }, want: "its type is not"},
		"NoUser":    {reason: "A name is needed.", change: func(s *corev1.Secret) { delete(s.Data, KeyUsername) }, want: "key username must have"},
		"NoEmail":   {reason: "An address is needed.", change: func(s *corev1.Secret) { s.Data[KeyEmail] = nil }, want: "key email must have"},
		"NoHash":    {reason: "A hash is needed.", change: func(s *corev1.Secret) { delete(s.Data, KeyPasswordHash) }, want: "key passwordHash must have"},
		"LongName":  {reason: "Fields are bounded.", change: func(s *corev1.Secret) { s.Data[KeyUsername] = []byte(strings.Repeat("x", 2000)) }, want: "key username must have"},
		"OtherName": {reason: "A record cannot speak for another user.", change: func(s *corev1.Secret) { s.Name = "administrator-other" }, want: "must be called administrator-"},
		"BadHash":   {reason: "A password that can never be verified.", change: func(s *corev1.Secret) { s.Data[KeyPasswordHash] = []byte("plain") }, want: "cannot read password hash"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := record().Secret()
			tc.change(s)
			_, err := ParseRecord(s)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nParseRecord(...): got %v, want an error with %q", tc.reason, err, tc.want)
			}
		})
	}
}

func FuzzParseRecord(f *testing.F) {
	f.Add("administrator-admin", "admin", "admin@acme.com", prefix+"m=65536,t=2,p=1$"+salt+"$"+tag)
	f.Add("", "", "", "")
	f.Fuzz(func(t *testing.T, name, username, email, hash string) {
		s := record().Secret()
		s.Name = name
		s.Data = map[string][]byte{KeyUsername: []byte(username), KeyEmail: []byte(email), KeyPasswordHash: []byte(hash)}
		r, err := ParseRecord(s)
		if err != nil {
			if len(hash) > len(prefix) && strings.Contains(err.Error(), hash) && !strings.Contains(name, hash) {
				t.Error("an error must not repeat a hash")
			}
			return
		}
		again := r.Secret()
		if diff := cmp.Diff(s.Data, again.Data); diff != "" || again.GetName() != name {
			t.Errorf("ParseRecord and Secret must undo each other (-want, +got):\n%s", diff)
		}
	})
}
