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

// Command eks-token-helper is a credential plugin of kubectl and client-go for
// EKS. It needs no tool of AWS, and makes no call unless the credentials need one.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/aws/assume"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/aws/ekstoken"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/execcredential"
)

func main() { helper().Main() }

func helper() execcredential.Helper {
	var cluster, region string
	role := assume.Role{}
	return execcredential.Helper{
		Name: "eks-token-helper",
		Flags: func(f *flag.FlagSet) {
			f.StringVar(&cluster, "cluster-name", "", "Name of the EKS cluster (required).")
			f.StringVar(&region, "region", "", "Region of the EKS cluster (required).")
			f.StringVar(&role.ARN, "role-arn", "", "ARN of a role to assume first.")
			f.StringVar(&role.ExternalID, "external-id", "", "External ID that the role asks for.")
		},
		Token: func(ctx context.Context) (string, time.Time, error) {
			if cluster == "" || region == "" {
				return "", time.Time{}, errors.New("set --cluster-name and --region: see --help")
			}
			cfg, err := config.LoadDefaultConfig(ctx, config.WithRegion(region))
			if err != nil {
				return "", time.Time{}, fmt.Errorf("cannot configure AWS: %w", err)
			}
			if role.ARN != "" {
				cfg.Credentials = assume.Credentials(cfg, role)
			}
			t, err := ekstoken.Presign(ctx, cfg, cluster)
			return t.Value, t.Expires, err
		},
	}
}
