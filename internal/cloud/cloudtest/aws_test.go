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
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	ssmtypes "github.com/aws/aws-sdk-go-v2/service/ssm/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
)

func config(s *Server, k Key, region string) aws.Config {
	return aws.Config{
		Region: region, BaseEndpoint: aws.String(s.URL),
		Credentials: credentials.NewStaticCredentialsProvider(k.ID, k.Secret, ""),
	}
}

// code returns the error code of a service, or "" for no error.
func code(err error) string {
	if e, ok := errors.AsType[smithy.APIError](err); ok {
		return e.ErrorCode()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func TestSTS(t *testing.T) {
	role := Role{ARN: "arn:aws:iam::333333333333:role/deploy/runner", ExternalID: "tenant-7"}
	s := Start(t, Options{Roles: []Role{role}})
	ctx := t.Context()

	assume := func(k Key, externalID *string) error {
		_, err := sts.NewFromConfig(config(s, k, "eu-central-1")).AssumeRole(ctx, &sts.AssumeRoleInput{
			RoleArn: aws.String(role.ARN), RoleSessionName: aws.String("run"), ExternalId: externalID,
		})
		return err
	}
	wrong := DefaultKey
	wrong.Secret = "another"

	cases := map[string]struct {
		reason string
		err    error
		want   string
	}{
		"Assumed":         {reason: "The external ID opens the role.", err: assume(DefaultKey, aws.String("tenant-7"))},
		"NoExternalID":    {reason: "A role that asks for an external ID needs it.", err: assume(DefaultKey, nil), want: "AccessDenied"},
		"OtherExternalID": {reason: "It has to be the right one.", err: assume(DefaultKey, aws.String("tenant-8")), want: "AccessDenied"},
		"UnknownKey":      {reason: "A key that is not known is refused.", err: assume(Key{ID: "AKIANOBODY", Secret: "x"}, nil), want: "InvalidClientTokenId"},
		"WrongSecret":     {reason: "The signature is verified.", err: assume(wrong, nil), want: "SignatureDoesNotMatch"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := code(tc.err); got != tc.want {
				t.Errorf("%s\nAssumeRole(): want error %q, got %q", tc.reason, tc.want, got)
			}
		})
	}

	out, err := sts.NewFromConfig(config(s, DefaultKey, "us-east-1")).AssumeRole(ctx, &sts.AssumeRoleInput{
		RoleArn: aws.String(role.ARN), RoleSessionName: aws.String("run"), ExternalId: aws.String("tenant-7"),
	})
	if err != nil {
		t.Fatal(err)
	}
	cfg := config(s, DefaultKey, "us-east-1")
	cfg.Credentials = credentials.NewStaticCredentialsProvider(*out.Credentials.AccessKeyId, *out.Credentials.SecretAccessKey, *out.Credentials.SessionToken)
	who, err := sts.NewFromConfig(cfg).GetCallerIdentity(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "arn:aws:sts::333333333333:assumed-role/runner/run"; *who.Arn != want {
		t.Errorf("GetCallerIdentity(): want %s, got %s", want, *who.Arn)
	}
	s.EndSessions()
	if _, err := sts.NewFromConfig(cfg).GetCallerIdentity(ctx, nil); code(err) != "ExpiredToken" {
		t.Errorf("An ended session must be refused, got %v", err)
	}
}

func TestBuckets(t *testing.T) {
	s := Start(t, Options{Keys: []Key{DefaultKey, OtherKey}})
	ctx := t.Context()
	client := func(k Key, region string) *s3.Client {
		return s3.NewFromConfig(config(s, k, region), func(o *s3.Options) { o.UsePathStyle = true })
	}
	create := func(k Key, region, name, location string, tags ...s3types.Tag) error {
		in := &s3.CreateBucketInput{Bucket: aws.String(name)}
		if location != "" || len(tags) > 0 {
			in.CreateBucketConfiguration = &s3types.CreateBucketConfiguration{LocationConstraint: s3types.BucketLocationConstraint(location), Tags: tags}
		}
		_, err := client(k, region).CreateBucket(ctx, in)
		return err
	}
	if err := create(DefaultKey, "eu-central-1", "first", "eu-central-1", s3types.Tag{Key: aws.String("owner"), Value: aws.String("me")}); err != nil {
		t.Fatal(err)
	}
	if err := create(DefaultKey, "us-east-1", "virginia", ""); err != nil {
		t.Fatal(err)
	}

	cases := map[string]struct {
		reason string
		err    error
		want   string
	}{
		"Again":              {reason: "One's own bucket is told apart.", err: create(DefaultKey, "eu-central-1", "first", "eu-central-1"), want: "BucketAlreadyOwnedByYou"},
		"AgainInVirginia":    {reason: "us-east-1 takes it twice.", err: create(DefaultKey, "us-east-1", "virginia", "")},
		"Others":             {reason: "A name belongs to one account.", err: create(OtherKey, "eu-central-1", "first", "eu-central-1"), want: "BucketAlreadyExists"},
		"NoLocation":         {reason: "Outside us-east-1 a location is needed.", err: create(DefaultKey, "eu-central-1", "second", ""), want: "IllegalLocationConstraintException"},
		"LocationInVirginia": {reason: "In us-east-1 none may be given.", err: create(DefaultKey, "us-east-1", "second", "us-east-1"), want: "InvalidLocationConstraint"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := code(tc.err); got != tc.want {
				t.Errorf("%s\nCreateBucket(): want error %q, got %q", tc.reason, tc.want, got)
			}
		})
	}

	if got := s.Buckets()["first"].Tags["owner"]; got != "me" {
		t.Errorf("A bucket has the tags that it was created with, got %q", got)
	}
	mine := client(DefaultKey, "eu-central-1")
	if _, err := client(OtherKey, "eu-central-1").GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: aws.String("first")}); code(err) != "AccessDenied" {
		t.Errorf("Another account's bucket must be closed, got %v", err)
	}
	if _, err := mine.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: aws.String("first"), ExpectedBucketOwner: aws.String("999999999999")}); code(err) != "AccessDenied" {
		t.Errorf("The expected owner must be checked, got %v", err)
	}
	if _, err := mine.GetBucketEncryption(ctx, &s3.GetBucketEncryptionInput{Bucket: aws.String("first")}); code(err) != "ServerSideEncryptionConfigurationNotFoundError" {
		t.Errorf("A setting that was not put must be missing, got %v", err)
	}

	put := func(body string, ifNoneMatch *string) error {
		_, err := mine.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("first"), Key: aws.String("a/lock file"), Body: strings.NewReader(body), IfNoneMatch: ifNoneMatch})
		return err
	}
	if err := put("one", aws.String("*")); err != nil {
		t.Fatal(err)
	}
	if err := put("two", aws.String("*")); code(err) != "PreconditionFailed" {
		t.Errorf("A conditional put must be refused, got %v", err)
	}
	o, err := mine.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String("first"), Key: aws.String("a/lock file")})
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := io.ReadAll(o.Body); string(data) != "one" {
		t.Errorf("GetObject(): want one, got %q", data)
	}
	if _, err := mine.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: aws.String("first")}); code(err) != "BucketNotEmpty" {
		t.Errorf("A bucket with objects must stay, got %v", err)
	}
}

func TestParameters(t *testing.T) {
	s := Start(t)
	ctx := t.Context()
	c := ssm.NewFromConfig(config(s, DefaultKey, "eu-west-1"))
	put := func(in ssm.PutParameterInput) error {
		in.Type = ssmtypes.ParameterTypeSecureString
		_, err := c.PutParameter(ctx, &in)
		return err
	}
	name := aws.String("/kubeopera/x/lock")
	if err := put(ssm.PutParameterInput{Name: name, Value: aws.String("me")}); err != nil {
		t.Fatal(err)
	}

	cases := map[string]struct {
		reason string
		in     ssm.PutParameterInput
		want   string
	}{
		"Taken":      {reason: "Without overwrite the first one wins.", in: ssm.PutParameterInput{Name: name, Value: aws.String("you")}, want: "ParameterAlreadyExists"},
		"Overwrite":  {reason: "With overwrite the last one does.", in: ssm.PutParameterInput{Name: name, Value: aws.String("you"), Overwrite: aws.Bool(true)}},
		"TooLarge":   {reason: "A standard parameter has 4096 bytes.", in: ssm.PutParameterInput{Name: aws.String("/k/s"), Value: aws.String(strings.Repeat("x", 4097))}, want: "ValidationException"},
		"Advanced":   {reason: "An advanced one has more.", in: ssm.PutParameterInput{Name: aws.String("/k/a"), Value: aws.String(strings.Repeat("x", 4097)), Tier: ssmtypes.ParameterTierAdvanced}},
		"FarTooMuch": {reason: "Nothing has more than 8192 bytes.", in: ssm.PutParameterInput{Name: aws.String("/k/b"), Value: aws.String(strings.Repeat("x", 8193)), Tier: ssmtypes.ParameterTierAdvanced}, want: "ValidationException"},
	}
	for n, tc := range cases {
		t.Run(n, func(t *testing.T) {
			if got := code(put(tc.in)); got != tc.want {
				t.Errorf("%s\nPutParameter(): want error %q, got %q", tc.reason, tc.want, got)
			}
		})
	}

	for i := range 25 {
		s.SetParameter(DefaultKey.Account, "eu-west-1", "/many/"+string(rune('a'+i))+"/deep", "v")
	}
	seen := 0
	for p := ssm.NewGetParametersByPathPaginator(c, &ssm.GetParametersByPathInput{Path: aws.String("/many"), Recursive: aws.Bool(true)}); p.HasMorePages(); {
		page, err := p.NextPage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		seen += len(page.Parameters)
	}
	if seen != 25 {
		t.Errorf("GetParametersByPath(): want 25 parameters, got %d", seen)
	}
	if out, err := c.GetParameter(ctx, &ssm.GetParameterInput{Name: aws.String("/many/a/deep")}); err != nil || *out.Parameter.Value == "v" {
		t.Errorf("A SecureString must not be readable without decryption: %v", err)
	}
}

func TestEKS(t *testing.T) {
	s := Start(t)
	ctx := t.Context()
	s.SetEKSCluster(EKSCluster{Account: DefaultKey.Account, Region: "eu-west-1", Name: "prod", Status: "ACTIVE", Endpoint: "https://x", CA: "Q0E="})
	c := eks.NewFromConfig(config(s, DefaultKey, "eu-west-1"))
	out, err := c.DescribeCluster(ctx, &eks.DescribeClusterInput{Name: aws.String("prod")})
	if err != nil || *out.Cluster.Endpoint != "https://x" || *out.Cluster.CertificateAuthority.Data != "Q0E=" {
		t.Errorf("DescribeCluster(): got %v, %v", out, err)
	}
	if _, err := c.DescribeCluster(ctx, &eks.DescribeClusterInput{Name: aws.String("none")}); code(err) != "ResourceNotFoundException" {
		t.Errorf("DescribeCluster(): want ResourceNotFoundException, got %v", err)
	}
	versions, err := c.DescribeClusterVersions(ctx, &eks.DescribeClusterVersionsInput{})
	if err != nil || len(versions.ClusterVersions) != 4 {
		t.Errorf("DescribeClusterVersions(): got %v, %v", versions, err)
	}
}

func TestFail(t *testing.T) {
	s := Start(t)
	c := ssm.NewFromConfig(config(s, DefaultKey, "eu-west-1"), func(o *ssm.Options) { o.RetryMaxAttempts = 1 })
	s.Fail(Call{"ssm", "GetParameter"}, 1, &Error{Status: 400, Code: "AccessDeniedException", Message: "no"})
	in := &ssm.GetParameterInput{Name: aws.String("/x")}
	if _, err := c.GetParameter(t.Context(), in); code(err) != "AccessDeniedException" {
		t.Errorf("The next call must fail as asked, got %v", err)
	}
	if _, err := c.GetParameter(t.Context(), in); code(err) != "ParameterNotFound" {
		t.Errorf("The one after it must not, got %v", err)
	}
}
