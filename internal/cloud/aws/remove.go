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

package aws

import (
	"context"
	"net/http"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// Remove empties the bucket of all versions, delete markers and unfinished
// uploads, and deletes it. Only a bucket with our owner's tag is touched, any
// other one is a Conflict; one that is gone is done. It may be interrupted and
// repeated at any point: the tag stays for as long as the bucket does.
func (b Bucket) Remove(ctx context.Context, cfg sdk.Config) error {
	st, err := b.open(ctx, cfg)
	if err != nil {
		return err
	}
	_, err = st.s3.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &b.Name, ExpectedBucketOwner: st.account})
	switch cloud.StatusOf(err) {
	case http.StatusNotFound:
		return nil
	case http.StatusForbidden:
		return fault.Newf(fault.Conflict, "bucket %s is closed to us: it belongs to another account, or rights are missing", b.Name)
	}
	if err != nil {
		return cloud.Wrap(err, "cannot look for bucket "+b.Name)
	}
	owner, err := st.owner(ctx)
	if err != nil {
		return err
	}
	if err := st.mine(owner); err != nil {
		return err
	}
	if err := st.empty(ctx); err != nil {
		return err
	}
	if err := st.abort(ctx); err != nil {
		return err
	}
	_, err = st.s3.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &b.Name, ExpectedBucketOwner: st.account})
	if cloud.CodeOf(err) == "NoSuchBucket" {
		return nil
	}
	return cloud.Wrap(err, "cannot delete bucket "+b.Name)
}

// empty deletes all versions and delete markers, a page at a time. What is
// deleted is not listed again, so it is always the first page.
func (s *store) empty(ctx context.Context) error {
	for {
		page, err := s.s3.ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: &s.Name, ExpectedBucketOwner: s.account})
		if err != nil {
			return cloud.Wrap(err, "cannot list the versions in bucket "+s.Name)
		}
		ids := []types.ObjectIdentifier{}
		for _, v := range page.Versions {
			ids = append(ids, types.ObjectIdentifier{Key: v.Key, VersionId: v.VersionId})
		}
		for _, m := range page.DeleteMarkers {
			ids = append(ids, types.ObjectIdentifier{Key: m.Key, VersionId: m.VersionId})
		}
		if len(ids) == 0 {
			return nil
		}
		out, err := s.s3.DeleteObjects(ctx, &s3.DeleteObjectsInput{
			Bucket: &s.Name, ExpectedBucketOwner: s.account, Delete: &types.Delete{Objects: ids, Quiet: sdk.Bool(true)},
		})
		if err != nil {
			return cloud.Wrap(err, "cannot delete versions in bucket "+s.Name)
		}
		if len(out.Errors) > 0 {
			e := out.Errors[0]
			return errors.Errorf("cannot delete %d versions in bucket %s: %s of %s", len(out.Errors), s.Name, sdk.ToString(e.Code), sdk.ToString(e.Key))
		}
	}
}

// abort ends all uploads that were begun and never finished.
func (s *store) abort(ctx context.Context) error {
	pages := s3.NewListMultipartUploadsPaginator(s.s3, &s3.ListMultipartUploadsInput{Bucket: &s.Name, ExpectedBucketOwner: s.account})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return cloud.Wrap(err, "cannot list the uploads to bucket "+s.Name)
		}
		for _, u := range page.Uploads {
			_, err := s.s3.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &s.Name, Key: u.Key, UploadId: u.UploadId, ExpectedBucketOwner: s.account})
			if err != nil && cloud.CodeOf(err) != "NoSuchUpload" {
				return cloud.Wrap(err, "cannot end an upload to bucket "+s.Name)
			}
		}
	}
	return nil
}
