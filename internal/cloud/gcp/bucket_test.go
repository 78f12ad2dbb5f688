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

package gcp

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

const (
	me   = "0123456789abcdef0123456789abcdef"
	name = "kubeopera-terraform-state-prod"
)

var mine = Bucket{Name: name, Project: "my-project", Region: "europe-west3", Owner: me}

func start(t *testing.T) (*cloudtest.Server, oauth2.TokenSource) {
	t.Helper()
	s := cloudtest.Start(t)
	s.SetEnv(t)
	cfg, err := google.JWTConfigFromJSON(s.GCPKey("my-project"), cloud.GCPScope)
	if err != nil {
		t.Fatal(err)
	}
	return s, cfg.TokenSource(t.Context())
}

func put(t *testing.T, s *cloudtest.Server, key string) {
	t.Helper()
	resp, err := http.Post(fmt.Sprintf("%s/upload/storage/v1/b/%s/o?uploadType=media&name=%s", s.URL, name, key), "text/plain", bytes.NewBufferString("x"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
}

func TestEnsureAndRemove(t *testing.T) {
	s, ts := start(t)
	for range 2 {
		if err := mine.Ensure(t.Context(), ts); err != nil {
			t.Fatal(err)
		}
	}
	got := fmt.Sprint(s.GCSBuckets()[name].Resource)
	for _, want := range []string{"kubeopera-owner:" + me, "versioning:map[enabled:true]", "publicAccessPrevention:enforced", "location:europe-west3", "retentionDurationSeconds:0"} {
		if !strings.Contains(got, want) {
			t.Errorf("The bucket must have %s: %s", want, got)
		}
	}

	for i := range 1003 { // More than one page.
		put(t, s, fmt.Sprintf("state-%d", i%3))
	}
	for range 2 {
		if err := mine.Remove(t.Context(), ts); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.GCSBuckets()) > 0 {
		t.Error("the bucket must be gone, with all generations")
	}
}

func TestProtectedAgain(t *testing.T) {
	s, ts := start(t)
	if err := mine.Ensure(t.Context(), ts); err != nil {
		t.Fatal(err)
	}
	delete(s.GCSBuckets()[name].Resource, "versioning")
	if err := mine.Ensure(t.Context(), ts); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.GCSBuckets()[name].Resource["versioning"]); got != "map[enabled:true]" {
		t.Errorf("Versions must be kept again: %s", got)
	}
}

func TestWhose(t *testing.T) {
	cases := map[string]struct {
		reason string
		other  Bucket
	}{
		"OtherOwner":   {reason: "Another cluster's label.", other: Bucket{Name: name, Project: "my-project", Region: "us", Owner: "another"}},
		"OtherProject": {reason: "A stranger's bucket.", other: Bucket{Name: name, Project: "their-project", Region: "us", Owner: "another"}},
	}
	for n, tc := range cases {
		t.Run(n, func(t *testing.T) {
			s, ts := start(t)
			if err := tc.other.Ensure(t.Context(), ts); err != nil {
				t.Fatal(err)
			}
			if err := mine.Ensure(t.Context(), ts); !fault.Is(err, fault.Conflict) {
				t.Errorf("%s\nEnsure(): want Conflict, got %v", tc.reason, err)
			}
			if err := mine.Remove(t.Context(), ts); !fault.Is(err, fault.Conflict) {
				t.Errorf("%s\nRemove(): want Conflict, got %v", tc.reason, err)
			}
			if len(s.GCSBuckets()) != 1 {
				t.Errorf("%s\nthe bucket must stay", tc.reason)
			}
		})
	}
}

func TestClosed(t *testing.T) {
	s, ts := start(t)
	if err := (Bucket{Name: name, Project: "their-project", Owner: "another"}).Ensure(t.Context(), ts); err != nil {
		t.Fatal(err)
	}
	s.Fail(cloudtest.Call{Service: "storage", Operation: "GET b"}, 2, &cloudtest.Error{Status: 403, Code: "forbidden", Message: "no"})
	if err := mine.Ensure(t.Context(), ts); !fault.Is(err, fault.Conflict) {
		t.Errorf("A name that is taken in a project that is closed to us: want Conflict, got %v", err)
	}
}

func TestExists(t *testing.T) {
	s, ts := start(t)
	if there, err := mine.Exists(t.Context(), ts); err != nil || there {
		t.Errorf("There is none yet: got %t, %v", there, err)
	}
	if err := mine.Ensure(t.Context(), ts); err != nil {
		t.Fatal(err)
	}
	for status, want := range map[int]bool{http.StatusOK: true, http.StatusForbidden: true, http.StatusNotFound: false} {
		if status != http.StatusOK {
			s.Fail(cloudtest.Call{Service: "storage", Operation: "GET b"}, 1, &cloudtest.Error{Status: status, Code: "x", Message: "no"})
		}
		if there, err := mine.Exists(t.Context(), ts); err != nil || there != want {
			t.Errorf("With status %d: want %t, got %t, %v", status, want, there, err)
		}
	}
}

func TestEndpoint(t *testing.T) {
	cases := map[string]struct {
		reason, root, emulator, want string
	}{
		"None":     {reason: "Google's own."},
		"Root":     {reason: "Another one is named by its root.", root: "https://storage.example.org/", emulator: "x:1", want: "https://storage.example.org/storage/v1/"},
		"Emulator": {reason: "An emulator is a host.", emulator: "localhost:9", want: "http://localhost:9/storage/v1/"},
		"Full":     {reason: "Or a URL.", emulator: "http://localhost:9/storage/v1/", want: "http://localhost:9/storage/v1/"},
	}
	for n, tc := range cases {
		t.Run(n, func(t *testing.T) {
			t.Setenv(emulatorEnv, tc.emulator)
			if got := endpoint(tc.root, Emulator()); got != tc.want {
				t.Errorf("%s\nendpoint(): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
