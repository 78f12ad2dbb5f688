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

package target

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

const (
	// maxAnswer bounds an answer, in bytes. The largest that we ask for, a page
	// of nodes, is some MiB.
	maxAnswer = 64 << 20
	// maxRefusal bounds an answer that is an error, in bytes.
	maxRefusal = 64 << 10
)

// A guard keeps us from harm that the other side may do: a supplied kubeconfig
// may lead to any server. It ends answers that are too large, takes our
// credentials out of errors, which end in conditions and events, and follows
// no redirect, which could lead to what only we can reach. An API server sends
// none.
type guard struct {
	next http.RoundTripper
}

// RoundTrip sends a request.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := g.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	switch {
	case res.StatusCode >= http.StatusBadRequest:
		if err := redact(res, req.Header.Get("Authorization")); err != nil {
			return nil, err
		}
		return res, nil
	case res.StatusCode >= http.StatusMultipleChoices && res.StatusCode != http.StatusNotModified:
		_ = res.Body.Close() // Nobody reads it.
		return nil, redirectError{to: origin(res.Header.Get("Location"))}
	default:
		res.Body = &limited{ReadCloser: res.Body, left: maxAnswer}
		return res, nil
	}
}

// CancelRequest is asked for by client-go's wrappers, which warn without it.
// The context of a request cancels it.
func (g *guard) CancelRequest(_ *http.Request) {}

// redact reads the beginning of an answer and takes the request's credentials
// out of it.
func redact(res *http.Response, authorization string) error {
	body, err := io.ReadAll(io.LimitReader(res.Body, maxRefusal))
	_ = res.Body.Close() // All of it that counts is read.
	if err != nil {
		return errors.Wrap(err, "cannot read answer")
	}
	if _, credentials, ok := strings.Cut(authorization, " "); ok && credentials != "" {
		body = bytes.ReplaceAll(body, []byte(credentials), []byte("(redacted)"))
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	res.ContentLength = int64(len(body))
	res.Header.Del("Content-Length")
	return nil
}

// limited is a body that ends with an error if it is too large.
type limited struct {
	io.ReadCloser

	left int
}

// Read some bytes.
func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errors.Errorf("answer is larger than %d bytes", maxAnswer)
	}
	n, err := l.ReadCloser.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// A redirectError is what a request gets that is answered by a redirect.
type redirectError struct {
	to string
}

// Error returns where it leads to.
func (e redirectError) Error() string { return "redirect to " + e.to }

// origin returns scheme and host of a URL; the rest may hold anything.
func origin(location string) string {
	u, err := url.Parse(location)
	switch {
	case err != nil:
		return "something that is not a URL"
	case u.Host == "":
		return "another path"
	default:
		return u.Scheme + "://" + u.Host
	}
}
