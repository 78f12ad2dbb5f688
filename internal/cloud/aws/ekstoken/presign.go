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

// Package ekstoken makes the tokens that EKS takes: a presigned request to STS
// for the caller's identity, which names the cluster in a signed header. It
// imports little, as the token helpers start anew for every token.
package ekstoken

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

const (
	// prefix of a token, by which EKS knows its form.
	prefix = "k8s-aws-v1."
	// clusterHeader names the cluster, so that a token is good for one only.
	clusterHeader = "x-k8s-aws-id"
	// expiresHeader becomes a parameter of the query. Old verifiers ask for at
	// most 60 seconds; STS ignores it.
	expiresHeader = "X-Amz-Expires"
	expires       = "60"
	// valid is how long a token is used: STS takes it for 15 minutes, and the
	// last one is left for clocks that differ.
	valid = 14 * time.Minute
	// dateForm is the form of X-Amz-Date.
	dateForm = "20060102T150405Z"
)

// A Token for an EKS cluster.
type Token struct {
	Value string
	// Expires is when the token is to be replaced.
	Expires time.Time
}

// Presign makes a token for a cluster with the credentials and the region of a
// configuration. It makes no call unless the credentials need one. The address
// is always the region's own STS: EKS takes no other.
func Presign(ctx context.Context, cfg aws.Config, cluster string) (Token, error) {
	creds, err := cfg.Credentials.Retrieve(ctx)
	if err != nil {
		return Token{}, fmt.Errorf("cannot get AWS credentials: %w", err)
	}
	client := sts.NewPresignClient(sts.NewFromConfig(cfg, func(o *sts.Options) {
		o.BaseEndpoint = nil
		o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return creds, nil })
		o.APIOptions = append(o.APIOptions, smithyhttp.SetHeaderValue(clusterHeader, cluster), smithyhttp.SetHeaderValue(expiresHeader, expires))
	}))
	req, err := client.PresignGetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return Token{}, fmt.Errorf("cannot sign the request to STS: %w", err)
	}
	u, err := url.Parse(req.URL)
	if err != nil {
		return Token{}, errors.New("cannot read the address that was signed")
	}
	at, err := time.Parse(dateForm, u.Query().Get("X-Amz-Date"))
	if err != nil {
		return Token{}, fmt.Errorf("cannot read the date that was signed: %w", err)
	}

	t := Token{Value: prefix + base64.RawURLEncoding.EncodeToString([]byte(req.URL)), Expires: at.Add(valid)}
	if creds.CanExpire && creds.Expires.Before(t.Expires) {
		t.Expires = creds.Expires
	}
	return t, nil
}
