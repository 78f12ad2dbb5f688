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

package web

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"github.com/kubeopera/provider-kubeopera/internal/web/openapi"
)

// document holds requests and answers against the OpenAPI document: every
// answer is one that it has, and a request that is done is one that it takes.
type document struct {
	t      *testing.T
	router routers.Router
}

func newDocument(t *testing.T) document {
	t.Helper()
	data, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	doc.Servers = nil // Whatever the address of the test's server.
	router, err := legacy.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return document{t: t, router: router}
}

// RoundTrip sends a request, and checks it and its answer. A log that is
// followed has no end to wait for.
func (d document) RoundTrip(r *http.Request) (*http.Response, error) {
	var sent []byte
	if r.Body != nil {
		sent, _ = io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(sent))
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || strings.Contains(r.URL.RawQuery, "follow") && resp.StatusCode == http.StatusOK {
		return resp, err
	}
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(got))

	r.Body = io.NopCloser(bytes.NewReader(sent))
	route, params, err := d.router.FindRoute(r)
	if err != nil {
		if resp.StatusCode != http.StatusNotFound && resp.StatusCode != http.StatusMethodNotAllowed && resp.StatusCode != http.StatusBadRequest {
			d.t.Errorf("%s %s: %d, and the document does not know it: %v", r.Method, r.URL.Path, resp.StatusCode, err)
		}
		return resp, nil
	}
	in := &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true},
	}
	if err := openapi3filter.ValidateRequest(r.Context(), in); err != nil && resp.StatusCode < http.StatusMultipleChoices {
		d.t.Errorf("%s %s was done, and the document does not take it: %v", r.Method, r.URL.Path, err)
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: resp.StatusCode, Header: resp.Header, Options: in.Options}
	if err := openapi3filter.ValidateResponse(r.Context(), out.SetBodyBytes(got)); err != nil {
		d.t.Errorf("%s %s answered %d with what the document does not have: %v\n%s", r.Method, r.URL.Path, resp.StatusCode, err, got)
	}
	return resp, nil
}

// TestDocument asks for whatever the document has: each route is there, and
// each that it does not call public asks who wants it.
func TestDocument(t *testing.T) {
	w := newWorld(t)
	data, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			want := http.StatusUnauthorized
			if op.Security != nil && len(*op.Security) == 0 {
				want = http.StatusOK
			}
			if a := w.request("", method, strings.ReplaceAll(path, "{id}", "x"), ""); a.status != want {
				t.Errorf("%s %s: %d, want %d: %s", method, path, a.status, want, a.body)
			}
		}
	}
}
