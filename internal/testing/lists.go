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
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// lists answers a list of all namespaces with what is in some of them. Each of these is asked for on its own, so that
// it costs the same however many Targets share the control plane.
type lists struct {
	http.RoundTripper

	namespaces []string
	mapper     meta.RESTMapper
}

// RoundTrip sends a request to the control plane.
func (l *lists) RoundTrip(r *http.Request) (*http.Response, error) {
	root, resource, ok := l.everywhere(r)
	if !ok {
		return l.RoundTripper.RoundTrip(r) //nolint:wrapcheck // It is none of ours.
	}
	// What is said of the list as a whole, or why there is none: that the kind is unknown, or not for this user.
	all, err := l.list(r, r.URL.Path, "limit=1")
	if err != nil || all.StatusCode != http.StatusOK {
		return all, err
	}
	content := map[string]any{}
	if err := decode(all, &content); err != nil {
		return nil, err
	}
	items := []json.RawMessage{}
	for _, namespace := range l.namespaces {
		some, err := l.list(r, root+"/namespaces/"+namespace+"/"+resource, r.URL.RawQuery)
		if err != nil || some.StatusCode != http.StatusOK {
			return some, err
		}
		found := struct {
			Items []json.RawMessage `json:"items"`
		}{}
		if err := decode(some, &found); err != nil {
			return nil, err
		}
		items = append(items, found.Items...)
	}
	content["items"] = items
	if m, ok := content["metadata"].(map[string]any); ok {
		delete(m, "continue")
		delete(m, "remainingItemCount")
	}
	b, err := json.Marshal(content)
	all.Body, all.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	return all, errors.Wrap(err, "cannot encode a list")
}

// everywhere says of which resource, below which root, a request lists all namespaces, if it does.
func (l *lists) everywhere(r *http.Request) (root, resource string, ok bool) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	of := schema.GroupVersionResource{}
	switch {
	case r.Method != http.MethodGet:
		return "", "", false
	case len(parts) == 3 && parts[0] == "api":
		of.Version, of.Resource = parts[1], parts[2]
	case len(parts) == 4 && parts[0] == "apis":
		of.Group, of.Version, of.Resource = parts[1], parts[2], parts[3]
	default:
		return "", "", false
	}
	kind, err := l.mapper.KindFor(of)
	if err != nil {
		return "", "", false // The control plane says what is wrong.
	}
	mapping, err := l.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil || mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return "", "", false
	}
	return strings.TrimSuffix(r.URL.Path, "/"+of.Resource), of.Resource, true
}

// list what is at a path, as r asks for it but for the query.
func (l *lists) list(r *http.Request, path, query string) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Path, r.URL.RawPath, r.URL.RawQuery = path, "", query
	return l.RoundTripper.RoundTrip(r) //nolint:wrapcheck // It is none of ours.
}

// decode the body of an answer.
func decode(r *http.Response, into any) error {
	defer func() { _ = r.Body.Close() }()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return errors.Wrap(err, "cannot read a list of the control plane")
	}
	return errors.Wrap(json.Unmarshal(b, into), "cannot decode a list of the control plane, of "+strconv.Itoa(len(b))+" bytes")
}
