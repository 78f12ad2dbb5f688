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

package execcredential

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAPIVersion(t *testing.T) {
	cases := map[string]struct {
		reason string
		info   string
		want   string
		fails  bool
	}{
		"None":    {reason: "On a terminal nobody says.", want: "client.authentication.k8s.io/v1"},
		"V1":      {reason: "What is asked for is echoed.", info: `{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}}`, want: "client.authentication.k8s.io/v1"},
		"V1beta1": {reason: "The older version, too.", info: `{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"}`, want: "client.authentication.k8s.io/v1beta1"},
		"Alpha":   {reason: "One that is gone is refused.", info: `{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1alpha1"}`, fails: true},
		"Other":   {reason: "Another kind is refused.", info: `{"kind":"Pod","apiVersion":"client.authentication.k8s.io/v1"}`, fails: true},
		"Broken":  {reason: "So is what cannot be read.", info: `{`, fails: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := APIVersion(tc.info)
			if got != tc.want || (err != nil) != tc.fails {
				t.Errorf("%s\nAPIVersion(): want %q, got %q, %v", tc.reason, tc.want, got, err)
			}
		})
	}
}

func TestWrite(t *testing.T) {
	cases := map[string]struct {
		reason  string
		expires time.Time
		want    string
	}{
		"Expires": {reason: "The time is UTC.", expires: time.Date(2026, 11, 29, 13, 0, 0, 0, time.FixedZone("", 3600)), want: `{"kind":"ExecCredential","apiVersion":"v","spec":{},"status":{"expirationTimestamp":"2026-11-29T12:00:00Z","token":"t"}}` + "\n"},
		"Unknown": {reason: "No time is no time.", want: `{"kind":"ExecCredential","apiVersion":"v","spec":{},"status":{"token":"t"}}` + "\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out := &bytes.Buffer{}
			if err := Write(out, "v", "t", tc.expires); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("%s\nWrite(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
