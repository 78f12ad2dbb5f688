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

package token

import (
	"context"

	"golang.org/x/oauth2"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/aws/assume"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/aws/ekstoken"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
)

// maker makes a token.
type maker func(context.Context) (*oauth2.Token, error)

// newMaker returns what makes the tokens that a helper would make. It calls no
// cloud. Sessions of roles are kept in it from one token to the next.
func newMaker(ctx context.Context, creds *cloud.Credentials, h kubeconfig.Helper) (maker, error) {
	switch {
	case creds.None():
		return nil, fault.Newf(fault.Refused, "kubeconfig asks for %s, but its ProviderConfig has no credentials: its source is None", h.Command)
	case h.Command == kubeconfig.EKSTokenHelper && creds.AWS():
		return newEKS(ctx, creds, h)
	case h.Command == kubeconfig.GKETokenHelper && !creds.AWS():
		return newGKE(creds), nil
	default:
		return nil, fault.Newf(fault.Refused, "kubeconfig asks for %s, but its ProviderConfig is of type %s", h.Command, creds.Type)
	}
}

func newEKS(ctx context.Context, creds *cloud.Credentials, h kubeconfig.Helper) (maker, error) {
	cfg, err := creds.AWSConfig(ctx, h.Region)
	if err != nil {
		return nil, err
	}
	// A role may not assume itself, unless it trusts itself.
	if h.RoleARN != "" && (creds.Role == nil || creds.Role.ARN != h.RoleARN) {
		cfg.Credentials = assume.Credentials(cfg, assume.Role{ARN: h.RoleARN, ExternalID: h.ExternalID})
	}
	return func(ctx context.Context) (*oauth2.Token, error) {
		t, err := ekstoken.Presign(ctx, cfg, h.Cluster)
		if err != nil {
			return nil, creds.Classify(err)
		}
		return &oauth2.Token{AccessToken: t.Value, TokenType: "Bearer", Expiry: t.Expires}, nil
	}, nil
}

func newGKE(creds *cloud.Credentials) maker {
	return func(ctx context.Context) (*oauth2.Token, error) {
		// The source is bound to the context, so each token has its own.
		ts, err := creds.TokenSource(ctx)
		if err != nil {
			return nil, err
		}
		t, err := ts.Token()
		if err != nil {
			return nil, creds.Classify(err)
		}
		return t, nil
	}
}
