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

package testing

import (
	"encoding/base64"
	"net/url"
	gotesting "testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *gotesting.T) {
	const value = "s3cr3t-canary/+"
	for name, text := range map[string]string{
		"Plain":   "a " + value,
		"Query":   "?a=" + url.QueryEscape(value),
		"Base64":  base64.StdEncoding.EncodeToString([]byte(value)),
		"Offset1": base64.StdEncoding.EncodeToString([]byte("u" + value + "tail")),
		"Offset2": base64.StdEncoding.EncodeToString([]byte("u:" + value + "tail")),
		"Offset3": base64.StdEncoding.EncodeToString([]byte("uu:" + value)),
	} {
		if Find("before "+text+" after", value) == "" {
			t.Errorf("%s: not found in %q", name, text)
		}
	}
	if at := Find("nothing s3cr3t here", value); at != "" {
		t.Errorf("found in %q", at)
	}
}

func TestLeaks(t *gotesting.T) {
	const value = "s3cr3t-canary"
	cases := map[string]struct {
		reason string
		places map[string]string
		value  Hidden
		want   []string
	}{
		"Hidden": {
			reason: "It is where it belongs, and only there.",
			places: map[string]string{"Secret a/b": "x " + value, "the logs": "nothing"},
			value:  Hidden{Name: "it", Value: value, At: []string{"Secret a/b"}},
		},
		"Leaked": {
			reason: "It is somewhere else, too, and is not repeated.",
			places: map[string]string{"Secret a/b": "x " + value, "the logs": "got " + value + " from it"},
			value:  Hidden{Name: "it", Value: value, At: []string{"Secret a/b"}},
			want:   []string{"it is in the logs: …got HERE from it…"},
		},
		"Missing": {
			reason: "A search that cannot find it would prove nothing.",
			places: map[string]string{"the logs": "nothing"},
			value:  Hidden{Name: "it", Value: value, At: []string{"Secret a/b"}},
			want:   []string{"it is not where it belongs: Secret a/b"},
		},
		"Empty": {reason: "Nor would one for nothing.", value: Hidden{Name: "it"}, want: []string{"it has no value"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *gotesting.T) {
			if diff := cmp.Diff(tc.want, Leaks(tc.places, tc.value)); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
