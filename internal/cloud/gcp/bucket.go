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

// Package gcp does what provisioning needs of Google Cloud besides Terraform:
// the bucket that keeps the state.
package gcp

import (
	"context"
	"net/http"
	"os"
	"strings"

	"golang.org/x/oauth2"
	"google.golang.org/api/option"
	"google.golang.org/api/storage/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// OwnerLabel of a bucket says whose it is. Labels take no dots and slashes.
const OwnerLabel = "kubeopera-owner"

// emulatorEnv is the variable by which Google's clients find an emulator.
const emulatorEnv = "STORAGE_EMULATOR_HOST"

// A Bucket keeps the Terraform state of one cluster.
type Bucket struct {
	Name, Project, Region string
	// Owner is the value of its OwnerLabel.
	Owner string
	// Endpoint instead of Google's own.
	Endpoint string
}

// open makes a client. Without a token, as with an emulator, requests are anonymous.
func (b Bucket) open(ctx context.Context, ts oauth2.TokenSource) (*storage.Service, error) {
	if b.Owner == "" {
		return nil, fault.Newf(fault.Refused, "bucket %s has no owner to be: a run must name one", b.Name)
	}
	token, err := ts.Token()
	if err != nil {
		return nil, errors.Wrap(err, "cannot get a token of Google Cloud")
	}
	options := []option.ClientOption{option.WithTokenSource(ts)}
	if token.AccessToken == "" {
		options = []option.ClientOption{option.WithoutAuthentication()}
	}
	if e := endpoint(b.Endpoint, Emulator()); e != "" {
		options = append(options, option.WithEndpoint(e))
	}
	s, err := storage.NewService(ctx, options...)
	return s, errors.Wrap(err, "cannot make a client of Cloud Storage")
}

// Emulator is the root of an emulator that the environment names instead of
// Google Cloud; empty if there is none.
func Emulator() string {
	root, _, _ := strings.Cut(os.Getenv(emulatorEnv), "/storage/v1")
	root = strings.TrimSuffix(root, "/")
	if root != "" && !strings.Contains(root, "://") {
		root = "http://" + root
	}
	return root
}

// endpoint of the API, given the root of one, or that of an emulator.
func endpoint(root, emulator string) string {
	if root == "" {
		root = emulator
	}
	if root == "" || strings.Contains(root, "/storage/v1") {
		return root
	}
	return strings.TrimSuffix(root, "/") + "/storage/v1/"
}

// Exists tells whether there is a bucket of that name, whosever it is. What is
// wrong with one that is closed to us is found out by whoever uses it.
func (b Bucket) Exists(ctx context.Context, ts oauth2.TokenSource) (bool, error) {
	s, err := b.open(ctx, ts)
	if err != nil {
		return false, err
	}
	_, err = s.Buckets.Get(b.Name).Context(ctx).Do()
	switch cloud.StatusOf(err) {
	case http.StatusNotFound:
		return false, nil
	case http.StatusForbidden:
		return true, nil
	}
	return err == nil, cloud.Wrap(err, "cannot look for bucket "+b.Name)
}

// Ensure makes the bucket, or takes it up again: versioned, private and labelled
// with its owner; Cloud Storage encrypts everything. It may be interrupted and
// repeated at any point: the label is there from the first moment. A bucket of
// another owner is a Conflict.
func (b Bucket) Ensure(ctx context.Context, ts oauth2.TokenSource) error {
	s, err := b.open(ctx, ts)
	if err != nil {
		return err
	}
	found, err := s.Buckets.Get(b.Name).Context(ctx).Do()
	switch cloud.StatusOf(err) {
	case http.StatusNotFound, http.StatusForbidden:
		// What is wrong with one that is closed to us shows when we try to make it.
		found, err = s.Buckets.Insert(b.Project, b.wanted()).Context(ctx).Do()
		if cloud.StatusOf(err) == http.StatusConflict {
			found, err = b.again(ctx, s)
		}
	}
	if err != nil {
		return cloud.Wrap(err, "cannot ensure bucket "+b.Name)
	}
	if err := b.mine(found); err != nil {
		return err
	}
	if found.Versioning != nil && found.Versioning.Enabled && found.IamConfiguration != nil && found.IamConfiguration.PublicAccessPrevention == enforced {
		return nil
	}
	w := b.wanted()
	_, err = s.Buckets.Patch(b.Name, &storage.Bucket{Versioning: w.Versioning, IamConfiguration: w.IamConfiguration}).Context(ctx).Do()
	return cloud.Wrap(err, "cannot protect bucket "+b.Name)
}

// again looks at a bucket that was there when we wanted to make it: another run
// was faster, or it is a stranger's.
func (b Bucket) again(ctx context.Context, s *storage.Service) (*storage.Bucket, error) {
	found, err := s.Buckets.Get(b.Name).Context(ctx).Do()
	if status := cloud.StatusOf(err); status == http.StatusForbidden || status == http.StatusNotFound {
		return nil, fault.Newf(fault.Conflict, "bucket %s belongs to another project: give the cluster another name", b.Name)
	}
	return found, err
}

// enforced is how public access is prevented.
const enforced = "enforced"

func (b Bucket) wanted() *storage.Bucket {
	return &storage.Bucket{
		Name: b.Name, Location: b.Region, Labels: map[string]string{OwnerLabel: b.Owner},
		Versioning: &storage.BucketVersioning{Enabled: true},
		IamConfiguration: &storage.BucketIamConfiguration{
			PublicAccessPrevention:   enforced,
			UniformBucketLevelAccess: &storage.BucketIamConfigurationUniformBucketLevelAccess{Enabled: true},
		},
		// A state holds secrets: what is deleted is gone.
		SoftDeletePolicy: &storage.BucketSoftDeletePolicy{RetentionDurationSeconds: 0, ForceSendFields: []string{"RetentionDurationSeconds"}},
	}
}

// mine refuses a bucket of somebody else.
func (b Bucket) mine(found *storage.Bucket) error {
	if found.Labels[OwnerLabel] == b.Owner {
		return nil
	}
	return fault.Newf(fault.Conflict, "bucket %s belongs to somebody else: its label %s is not %s", b.Name, OwnerLabel, b.Owner)
}

// Remove empties the bucket of all generations and deletes it. Only a bucket
// with our owner's label is touched, any other one is a Conflict; one that is
// gone is done. It may be interrupted and repeated at any point.
func (b Bucket) Remove(ctx context.Context, ts oauth2.TokenSource) error {
	s, err := b.open(ctx, ts)
	if err != nil {
		return err
	}
	found, err := s.Buckets.Get(b.Name).Context(ctx).Do()
	if cloud.StatusOf(err) == http.StatusNotFound {
		return nil
	}
	if err != nil {
		return cloud.Wrap(err, "cannot look for bucket "+b.Name)
	}
	if err := b.mine(found); err != nil {
		return err
	}

	err = s.Objects.List(b.Name).Versions(true).Pages(ctx, func(page *storage.Objects) error {
		for _, o := range page.Items {
			err := s.Objects.Delete(b.Name, o.Name).Generation(o.Generation).Context(ctx).Do()
			if err != nil && cloud.StatusOf(err) != http.StatusNotFound {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return cloud.Wrap(err, "cannot empty bucket "+b.Name)
	}
	err = s.Buckets.Delete(b.Name).Context(ctx).Do()
	if cloud.StatusOf(err) == http.StatusNotFound {
		return nil
	}
	return cloud.Wrap(err, "cannot delete bucket "+b.Name)
}
