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

package cloudtest

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	"google.golang.org/api/storage/v1"
)

// status of an error, or 0 for no error.
func status(err error) int {
	if e, ok := err.(*googleapi.Error); ok { //nolint:errorlint // The client returns it as it is.
		return e.Code
	}
	return 0
}

func TestStorage(t *testing.T) {
	s := Start(t)
	ctx := t.Context()
	c, err := storage.NewService(ctx, option.WithoutAuthentication(), option.WithEndpoint(s.URL+"/storage/v1/"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Buckets.Insert("p", &storage.Bucket{Name: "state", Versioning: &storage.BucketVersioning{Enabled: true}}).Do(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Buckets.Insert("q", &storage.Bucket{Name: "state"}).Do(); status(err) != http.StatusConflict {
		t.Errorf("A name belongs to one project, got %v", err)
	}
	put := func(body string, generation int64) error {
		_, err := c.Objects.Insert("state", &storage.Object{Name: "a/default.tflock"}).IfGenerationMatch(generation).Media(strings.NewReader(body)).Do()
		return err
	}
	if err := put("one", 0); err != nil {
		t.Fatal(err)
	}
	if err := put("two", 0); status(err) != http.StatusPreconditionFailed {
		t.Errorf("A lock is taken once, got %v", err)
	}
	resp, err := c.Objects.Get("state", "a/default.tflock").Download()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); string(body) != "one" {
		t.Errorf("Download(): want one, got %q", body)
	}
	if err := c.Objects.Delete("state", "a/default.tflock").Do(); err != nil {
		t.Fatal(err)
	}
	live, err := c.Objects.List("state").Do()
	if err != nil || len(live.Items) != 0 {
		t.Errorf("A deleted object must not be listed: %v, %v", live, err)
	}
	all, err := c.Objects.List("state").Versions(true).Do()
	if err != nil || len(all.Items) != 1 {
		t.Errorf("Its generation must be kept: %v, %v", all, err)
	}
	if err := c.Buckets.Delete("state").Do(); status(err) != http.StatusConflict {
		t.Errorf("A bucket with generations must stay, got %v", err)
	}

	stranger, err := storage.NewService(ctx, option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "made-up"})), option.WithEndpoint(s.URL+"/storage/v1/"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stranger.Buckets.Get("state").Do(); status(err) != http.StatusUnauthorized {
		t.Errorf("A token that nobody gave must be refused, got %v", err)
	}
}

func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ready := make(chan *Server, 1)
	done := make(chan error, 1)
	go func() { done <- New(Options{}).Serve(ctx, "127.0.0.1:0", func(s *Server) { ready <- s }) }()
	s := <-ready
	resp, err := http.Get(s.URL + "/storage/v1/b?project=p")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	cancel()
	if err := <-done; err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("Serve(): %v, %s", err, resp.Status)
	}
	if err := New(Options{}).Serve(t.Context(), "127.0.0.1:-1", nil); err == nil {
		t.Error("An address that cannot be listened on must be an error")
	}
}
