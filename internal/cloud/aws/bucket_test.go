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
	"fmt"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

const (
	region = "eu-central-1"
	me     = "0123456789abcdef0123456789abcdef"
	name   = "kubeopera-terraform-state-prod"
)

func config(s *cloudtest.Server, k cloudtest.Key) sdk.Config {
	return sdk.Config{Region: region, BaseEndpoint: sdk.String(s.URL), Credentials: credentials.NewStaticCredentialsProvider(k.ID, k.Secret, "")}
}

func start(t *testing.T) (*cloudtest.Server, sdk.Config) {
	t.Helper()
	s := cloudtest.Start(t, cloudtest.Options{Keys: []cloudtest.Key{cloudtest.DefaultKey, cloudtest.OtherKey}})
	return s, config(s, cloudtest.DefaultKey)
}

func objects(cfg sdk.Config) *s3.Client {
	return s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })
}

func put(t *testing.T, cfg sdk.Config, key, body string) {
	t.Helper()
	_, err := objects(cfg).PutObject(t.Context(), &s3.PutObjectInput{Bucket: sdk.String(name), Key: sdk.String(key), Body: strings.NewReader(body)})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEnsure(t *testing.T) {
	for _, r := range []string{region, usEast1} {
		t.Run(r, func(t *testing.T) {
			s, cfg := start(t)
			b := Bucket{Name: name, Region: r, Owner: me}
			for range 2 {
				if err := b.Ensure(t.Context(), cfg); err != nil {
					t.Fatal(err)
				}
			}
			got := s.Buckets()[name]
			if diff := cmp.Diff(map[string]string{OwnerTag: me}, got.Tags); diff != "" || got.Region != r {
				t.Errorf("The bucket must be in %s and have its owner's tag only: %s\n%s", r, got.Region, diff)
			}
			if !strings.Contains(got.Settings["encryption"], "AES256") || strings.Count(got.Settings["publicAccessBlock"], "true") != 4 {
				t.Errorf("The bucket must be encrypted and private: %v", got.Settings)
			}
			cfg.Region = r
			v, err := objects(cfg).GetBucketVersioning(t.Context(), &s3.GetBucketVersioningInput{Bucket: sdk.String(name)})
			if err != nil || v.Status != "Enabled" {
				t.Errorf("The bucket must keep versions: %v, %v", v, err)
			}
		})
	}
}

// TestEnsureInterrupted lets each call fail once, and tries again.
func TestEnsureInterrupted(t *testing.T) {
	for _, op := range []string{"HEAD bucket", "PUT bucket", "GET tagging", "PUT publicAccessBlock", "PUT encryption", "PUT versioning"} {
		t.Run(op, func(t *testing.T) {
			s, cfg := start(t)
			cfg.RetryMaxAttempts = 1
			s.Fail(cloudtest.Call{Service: "s3", Operation: op}, 1, &cloudtest.Error{Status: 503, Code: "ServiceUnavailable", Message: "later"})
			b := Bucket{Name: name, Region: region, Owner: me}
			if err := b.Ensure(t.Context(), cfg); err == nil {
				t.Fatal("want the error of the call")
			}
			if err := b.Ensure(t.Context(), cfg); err != nil {
				t.Errorf("the next try must go on: %v", err)
			}
		})
	}
}

func TestWhose(t *testing.T) {
	account := cloudtest.DefaultKey.Account
	cases := map[string]struct {
		reason string
		bucket cloudtest.Bucket
		used   bool
		ensure fault.Class
		remove fault.Class
	}{
		"Mine":          {reason: "Our tag.", bucket: cloudtest.Bucket{Account: account, Region: region, Tags: map[string]string{OwnerTag: me}}},
		"OtherOwner":    {reason: "Another cluster's tag.", bucket: cloudtest.Bucket{Account: account, Region: region, Tags: map[string]string{OwnerTag: "another"}}, ensure: fault.Conflict, remove: fault.Conflict},
		"OtherAccount":  {reason: "A stranger's bucket, whatever its tags say.", bucket: cloudtest.Bucket{Account: cloudtest.OtherKey.Account, Region: region, Tags: map[string]string{OwnerTag: me}}, ensure: fault.Conflict, remove: fault.Conflict},
		"UntaggedEmpty": {reason: "One that nobody has used is taken, but never deleted untagged.", bucket: cloudtest.Bucket{Account: account, Region: region}, remove: fault.Conflict},
		"UntaggedUsed":  {reason: "One that somebody has used is not.", bucket: cloudtest.Bucket{Account: account, Region: region}, used: true, ensure: fault.Conflict, remove: fault.Conflict},
	}
	check := func(t *testing.T, reason, what string, want fault.Class, err error) {
		t.Helper()
		if want == "" && err != nil || want != "" && !fault.Is(err, want) {
			t.Errorf("%s\n%s: want class %q, got %v", reason, what, want, err)
		}
	}
	for n, tc := range cases {
		t.Run(n, func(t *testing.T) {
			b := Bucket{Name: name, Region: region, Owner: me}
			for what, do := range map[string]func(context.Context, sdk.Config) error{"Ensure": b.Ensure, "Remove": b.Remove} {
				s, cfg := start(t)
				s.SetBucket(name, tc.bucket)
				if tc.used {
					put(t, cfg, "theirs", "x")
				}
				err := do(t.Context(), cfg)
				if what == "Ensure" {
					check(t, tc.reason, what, tc.ensure, err)
					continue
				}
				check(t, tc.reason, what, tc.remove, err)
				if _, there := s.Buckets()[name]; there != (tc.remove != "") {
					t.Errorf("%s\nRemove: the bucket is there: %v", tc.reason, there)
				}
			}
		})
	}
}

func TestRemove(t *testing.T) {
	s, cfg := start(t)
	b := Bucket{Name: name, Region: region, Owner: me}
	if err := b.Ensure(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	c := objects(cfg)
	for i := range 1005 { // More than one page.
		put(t, cfg, fmt.Sprintf("state-%d", i%5), "x")
	}
	if _, err := c.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: sdk.String(name), Key: sdk.String("state-1")}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: sdk.String(name), Key: sdk.String("never")}); err != nil {
		t.Fatal(err)
	}

	s.Fail(cloudtest.Call{Service: "s3", Operation: "DELETE bucket"}, 1, &cloudtest.Error{Status: 403, Code: "AccessDenied", Message: "no"})
	if err := b.Remove(t.Context(), cfg); !fault.Is(err, fault.Denied) {
		t.Fatalf("Remove(): want Denied, got %v", err)
	}
	for range 2 { // The second time there is nothing left to do.
		if err := b.Remove(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.Buckets()) > 0 {
		t.Error("the bucket must be gone")
	}
	aborted := false
	for _, call := range s.Calls() {
		aborted = aborted || call == cloudtest.Call{Service: "s3", Operation: "DELETE object"}
	}
	if !aborted {
		t.Error("unfinished uploads must be ended")
	}
}

func TestNoOwner(t *testing.T) {
	s, cfg := start(t)
	s.SetBucket(name, cloudtest.Bucket{Account: cloudtest.DefaultKey.Account, Region: region})
	if err := (Bucket{Name: name, Region: region}).Remove(t.Context(), cfg); !fault.Is(err, fault.Refused) {
		t.Errorf("An owner that is not set must match no missing tag: %v", err)
	}
}

func TestExists(t *testing.T) {
	s, cfg := start(t)
	b := Bucket{Name: name, Region: region, Owner: me}
	if there, err := b.Exists(t.Context(), cfg); err != nil || there {
		t.Errorf("There is none yet: got %t, %v", there, err)
	}
	if err := b.Ensure(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	for who, cfg := range map[string]sdk.Config{"us": cfg, "others, whom it is closed to": config(s, cloudtest.OtherKey)} {
		if there, err := b.Exists(t.Context(), cfg); err != nil || !there {
			t.Errorf("It is there, for %s: got %t, %v", who, there, err)
		}
	}
}
