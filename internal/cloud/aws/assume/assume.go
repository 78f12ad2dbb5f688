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

// Package assume gives the credentials of an AWS role. It imports little, as
// the token helpers start anew for every token.
package assume

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

const (
	// Session is the name of sessions, where none is set.
	Session = "kubeopera"
	// expiryWindow is how long before its end a session is renewed.
	expiryWindow = 5 * time.Minute
)

// A Role that is assumed with the credentials of a configuration. It holds no secret.
type Role struct {
	ARN        string
	ExternalID string
	Session    string
}

// Credentials of a role that is assumed with those of a configuration, renewed
// before they end. They are asked for at first need.
func Credentials(cfg aws.Config, role Role) aws.CredentialsProvider {
	p := stscreds.NewAssumeRoleProvider(sts.NewFromConfig(cfg), role.ARN, func(o *stscreds.AssumeRoleOptions) {
		o.RoleSessionName = Session
		if role.Session != "" {
			o.RoleSessionName = role.Session
		}
		if role.ExternalID != "" {
			o.ExternalID = aws.String(role.ExternalID)
		}
	})
	return aws.NewCredentialsCache(p, func(o *aws.CredentialsCacheOptions) { o.ExpiryWindow = expiryWindow })
}
