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

package provisions

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

// body of a request that may be.
const body = `{"id":"a","topology":"vanilla_kubeadm","region":"r","nodeCount":0,"instanceType":"i","kubernetesVersion":"1.36","credentialRef":"c","tags":{"k":"v"}}`

// FuzzParse: whatever is sent, it is answered with 4xx or it is a request that
// asks for the same when it is sent again.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		body, "", "null", "[]", "{", `{"id":1}`, `{"ID":"a"}`, `{"nodeCount":1e99}`, body[:len(body)-1] + `,"x":{"y":[1]}}`, body + body,
		strings.Replace(body, `"tags":{"k":"v"}`, `"tags":null,"existingNetwork":null,"writeConnectionSecretToRef":{"name":"s"}`, 1),
		strings.Replace(body, `"k"`, "\"\xff\"", 1),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		req, err := parse(data)
		if err != nil {
			if s := reply.As(err).Status; s != http.StatusBadRequest && s != http.StatusUnprocessableEntity {
				t.Fatalf("%d: %v", s, err)
			}
			return
		}
		again, err := json.Marshal(req)
		if err != nil {
			t.Fatal(err)
		}
		second, err := parse(again)
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if d := differences(req.object("ns", "u"), second.object("ns", "u")); len(d) > 0 {
			t.Fatalf("it is another one in %v: %s", d, again)
		}
	})
}

func TestDifferences(t *testing.T) {
	cases := map[string]struct {
		reason string
		other  string
		want   []string
	}{
		"Same":       {"", body, nil},
		"Defaults":   {"What is left out is the same as its default.", strings.Replace(body, `"id"`, `"provider":"aws","capacityType":"OnDemand","controlPlaneCount":1,"apiServerAllowedCIDRs":[],"id"`, 1), nil},
		"Two":        {"Every field is named.", strings.Replace(strings.Replace(body, `"r"`, `"s"`, 1), `"c"`, `"d"`, 1), []string{"credentialRef", "region"}},
		"More":       {"", strings.Replace(body, `"id"`, `"nodeVolumeSizeGiB":50,"id"`, 1), []string{"nodeVolumeSizeGiB"}},
		"Less":       {"", strings.Replace(body, `,"tags":{"k":"v"}`, ``, 1), []string{"tags"}},
		"ThatSecret": {"", strings.Replace(body, `"id"`, `"writeConnectionSecretToRef":{"name":"s"},"id"`, 1), []string{"writeConnectionSecretToRef"}},
	}
	a, err := parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b, err := parse([]byte(tc.other))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, differences(a.object("ns", "u"), b.object("ns", "u"))); d != "" {
				t.Errorf("%s\n%s", tc.reason, d)
			}
		})
	}
}

func TestWithoutValue(t *testing.T) {
	cases := map[string]struct{ msg, want string }{
		"String": {`Invalid value: "a: b\"": must be: a network`, "must be: a network"},
		"Number": {`Invalid value: 2000: spec.x in body should be less than or equal to 1000`, "spec.x in body should be less than or equal to 1000"},
		"Object": {`Invalid value: {"a":[{"b":": "}]}: must be 1: or 3`, "must be 1: or 3"},
		"None":   {`Invalid value: must be 1, 3, 5 or 7: etcd needs an odd number`, "must be 1, 3, 5 or 7: etcd needs an odd number"},
		"Enum":   {`Unsupported value: "x": supported values: "a", "b"`, `supported values: "a", "b"`},
		"Only":   {`Invalid value: "x"`, "has a value that is not taken"},
		"Other":  {`Too long: may not be more than 63 bytes`, "Too long: may not be more than 63 bytes"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, withoutValue(tc.msg)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestStreams(t *testing.T) {
	s := newStreams(3, 2)
	var give []func()
	for _, tc := range []struct {
		user string
		ok   bool
	}{{"a", true}, {"a", true}, {"a", false}, {"b", true}, {"b", false}} {
		g, err := s.take(tc.user)
		if (err == nil) != tc.ok {
			t.Fatalf("%s: %v, want ok: %t", tc.user, err, tc.ok)
		}
		if g != nil {
			give = append(give, g)
		}
	}
	give[0]()
	give[0]() // Only what was taken is given back.
	if _, err := s.take("b"); err != nil {
		t.Error(err)
	}
	if _, err := s.take("a"); err == nil {
		t.Error("a was given more than there is")
	}
}
