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
	"context"
	"io"
	"net/http"

	"golang.org/x/oauth2"
	"google.golang.org/api/storage/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
)

// maxNote bounds what is read: a note on a thousand machines takes 100 KB.
const maxNote = 16 << 20

// A Note is a small object in a bucket, beside the state.
type Note struct {
	Bucket Bucket
	// Tokens to read and write with.
	Tokens oauth2.TokenSource
	// Name of the object.
	Name string
}

// Read what was written last; nil if nothing was.
func (n Note) Read(ctx context.Context) ([]byte, error) {
	s, err := n.Bucket.open(ctx, n.Tokens)
	if err != nil {
		return nil, err
	}
	resp, err := s.Objects.Get(n.Bucket.Name, n.Name).Context(ctx).Download()
	if cloud.StatusOf(err) == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, cloud.Wrap(err, "cannot read "+n.Name+" in bucket "+n.Bucket.Name)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxNote))
	return data, errors.Wrapf(err, "cannot read %s in bucket %s", n.Name, n.Bucket.Name)
}

// Write a note in place of the last one.
func (n Note) Write(ctx context.Context, data []byte) error {
	s, err := n.Bucket.open(ctx, n.Tokens)
	if err != nil {
		return err
	}
	_, err = s.Objects.Insert(n.Bucket.Name, &storage.Object{Name: n.Name}).Media(bytes.NewReader(data)).Context(ctx).Do()
	return cloud.Wrap(err, "cannot write "+n.Name+" in bucket "+n.Bucket.Name)
}
