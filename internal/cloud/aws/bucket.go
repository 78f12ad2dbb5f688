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
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

const (
	// OwnerTag of a bucket says whose it is.
	OwnerTag = "kubeopera.io/owner"
	// usEast1 is the one region that is never named when a bucket is made.
	usEast1 = "us-east-1"
)

// A Bucket keeps the Terraform state of one cluster.
type Bucket struct {
	Name, Region string
	// Owner is the value of its OwnerTag.
	Owner string
	// Endpoint instead of AWS's own, of a store that speaks S3.
	Endpoint string
}

// store is a bucket and the way to it.
type store struct {
	Bucket

	s3 *s3.Client
	// account that the bucket has to belong to; nil where there are none.
	account *string
}

// open finds out which account the bucket has to be in: a name can be taken by
// anybody, and a stranger's bucket may well be open to us.
func (b Bucket) open(ctx context.Context, cfg sdk.Config) (*store, error) {
	if b.Owner == "" {
		return nil, fault.Newf(fault.Refused, "bucket %s has no owner to be: a run must name one", b.Name)
	}
	cfg.Region = b.Region
	st := &store{Bucket: b, s3: b.client(cfg)}
	if b.Endpoint == "" {
		who, err := sts.NewFromConfig(cfg).GetCallerIdentity(ctx, nil)
		if err != nil {
			return nil, cloud.Wrap(err, "cannot ask AWS who we are")
		}
		st.account = who.Account
	}
	return st, nil
}

func (b Bucket) client(cfg sdk.Config) *s3.Client {
	cfg.Region = b.Region
	return s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.DisableLogOutputChecksumValidationSkipped = true
		if b.Endpoint != "" {
			o.BaseEndpoint = sdk.String(b.Endpoint)
		}
		o.UsePathStyle = o.BaseEndpoint != nil
	})
}

// Exists tells whether there is a bucket of that name, whosever it is. What is
// wrong with one that is closed to us, or in another region, is found out by
// whoever uses it.
func (b Bucket) Exists(ctx context.Context, cfg sdk.Config) (bool, error) {
	_, err := b.client(cfg).HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &b.Name})
	switch cloud.StatusOf(err) {
	case http.StatusNotFound:
		return false, nil
	case http.StatusForbidden, http.StatusMovedPermanently:
		return true, nil
	}
	return err == nil, cloud.Wrap(err, "cannot look for bucket "+b.Name)
}

// Ensure makes the bucket, or takes it up again: versioned, encrypted, private
// and tagged with its owner. It may be interrupted and repeated at any point. A
// bucket of another owner or another account is a Conflict.
func (b Bucket) Ensure(ctx context.Context, cfg sdk.Config) error {
	st, err := b.open(ctx, cfg)
	if err != nil {
		return err
	}
	there, err := st.exists(ctx)
	if err != nil {
		return err
	}
	if !there {
		if err := st.create(ctx); err != nil {
			return err
		}
	}
	owner, err := st.owner(ctx)
	if err != nil {
		return err
	}
	if owner == "" {
		err = st.claim(ctx)
	} else {
		err = st.mine(owner)
	}
	if err != nil {
		return err
	}
	return st.protect(ctx)
}

// exists tells whether there is a bucket that we may use. One that is closed to
// us counts as missing: what is wrong with it shows when we try to make it.
func (s *store) exists(ctx context.Context) (bool, error) {
	_, err := s.s3.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &s.Name, ExpectedBucketOwner: s.account})
	switch cloud.StatusOf(err) {
	case http.StatusNotFound, http.StatusForbidden:
		return false, nil
	case http.StatusMovedPermanently:
		return false, fault.Newf(fault.Conflict, "bucket %s is in another region than %s: the cluster cannot move", s.Name, s.Region)
	}
	return err == nil, cloud.Wrap(err, "cannot look for bucket "+s.Name)
}

// create makes the bucket with its owner's tag.
func (s *store) create(ctx context.Context) error {
	c := &types.CreateBucketConfiguration{Tags: s.tags()}
	if s.Region != usEast1 {
		c.LocationConstraint = types.BucketLocationConstraint(s.Region)
	}
	_, err := s.s3.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &s.Name, CreateBucketConfiguration: c})
	switch cloud.CodeOf(err) {
	case "BucketAlreadyOwnedByYou":
		return nil
	case "BucketAlreadyExists":
		return fault.Newf(fault.Conflict, "bucket %s belongs to another AWS account: give the cluster another name", s.Name)
	}
	return cloud.Wrap(err, "cannot create bucket "+s.Name)
}

func (s *store) tags() []types.Tag {
	return []types.Tag{{Key: sdk.String(OwnerTag), Value: sdk.String(s.Owner)}}
}

// owner returns the owner's tag of the bucket, or "" if it has none.
func (s *store) owner(ctx context.Context) (string, error) {
	out, err := s.s3.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: &s.Name, ExpectedBucketOwner: s.account})
	if cloud.CodeOf(err) == "NoSuchTagSet" {
		return "", nil
	}
	if err != nil {
		return "", cloud.Wrap(err, "cannot read the tags of bucket "+s.Name)
	}
	for _, t := range out.TagSet {
		if sdk.ToString(t.Key) == OwnerTag {
			return sdk.ToString(t.Value), nil
		}
	}
	return "", nil
}

// mine refuses a bucket of somebody else.
func (s *store) mine(owner string) error {
	if owner == s.Owner {
		return nil
	}
	return fault.Newf(fault.Conflict, "bucket %s belongs to another cluster: its tag %s is not %s", s.Name, OwnerTag, s.Owner)
}

// claim tags a bucket of our account that nobody owns and nobody has used: one
// that we made just before we were interrupted, where a store takes no tags at
// creation.
func (s *store) claim(ctx context.Context) error {
	out, err := s.s3.ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: &s.Name, ExpectedBucketOwner: s.account, MaxKeys: sdk.Int32(1)})
	if err != nil {
		return cloud.Wrap(err, "cannot list bucket "+s.Name)
	}
	if len(out.Versions)+len(out.DeleteMarkers) > 0 {
		return fault.Newf(fault.Conflict, "bucket %s belongs to nobody but is not empty: tag it %s=%s to use it", s.Name, OwnerTag, s.Owner)
	}
	_, err = s.s3.PutBucketTagging(ctx, &s3.PutBucketTaggingInput{Bucket: &s.Name, ExpectedBucketOwner: s.account, Tagging: &types.Tagging{TagSet: s.tags()}})
	if err != nil {
		return cloud.Wrap(err, "cannot tag bucket "+s.Name)
	}
	// Somebody may have claimed it at the same time: the last tag counts.
	owner, err := s.owner(ctx)
	if err != nil {
		return err
	}
	return s.mine(owner)
}

// protect makes the bucket private, encrypted and versioned.
func (s *store) protect(ctx context.Context) error {
	_, err := s.s3.PutPublicAccessBlock(ctx, &s3.PutPublicAccessBlockInput{
		Bucket: &s.Name, ExpectedBucketOwner: s.account,
		PublicAccessBlockConfiguration: &types.PublicAccessBlockConfiguration{
			BlockPublicAcls: sdk.Bool(true), BlockPublicPolicy: sdk.Bool(true), IgnorePublicAcls: sdk.Bool(true), RestrictPublicBuckets: sdk.Bool(true),
		},
	})
	if err := s.setting(err, "cannot make bucket "+s.Name+" private"); err != nil {
		return err
	}
	_, err = s.s3.PutBucketEncryption(ctx, &s3.PutBucketEncryptionInput{
		Bucket: &s.Name, ExpectedBucketOwner: s.account,
		ServerSideEncryptionConfiguration: &types.ServerSideEncryptionConfiguration{Rules: []types.ServerSideEncryptionRule{{
			ApplyServerSideEncryptionByDefault: &types.ServerSideEncryptionByDefault{SSEAlgorithm: types.ServerSideEncryptionAes256},
		}}},
	})
	if err := s.setting(err, "cannot encrypt bucket "+s.Name); err != nil {
		return err
	}
	_, err = s.s3.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{
		Bucket: &s.Name, ExpectedBucketOwner: s.account,
		VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled},
	})
	return cloud.Wrap(err, "cannot version bucket "+s.Name)
}

// setting wraps the error of a setting. A store that only speaks S3 may not know it.
func (s *store) setting(err error, msg string) error {
	if status := cloud.StatusOf(err); s.Endpoint != "" && (status == http.StatusNotImplemented || status == http.StatusMethodNotAllowed) {
		return nil
	}
	return cloud.Wrap(err, msg)
}
