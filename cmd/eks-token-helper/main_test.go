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

package main

import (
	"io"
	"strings"
	"testing"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/execcredential/helpertest"
)

const roleARN = "arn:aws:iam::333333333333:role/admins/eks"

func TestMain(m *testing.M) { helpertest.Main(m, helper()) }

// account gives a test an account of a local cloud.
func account(t *testing.T) {
	t.Helper()
	s := cloudtest.Start(t, cloudtest.Options{Roles: []cloudtest.Role{{ARN: roleARN, ExternalID: "tenant-7"}}})
	s.SetEnv(t)
	t.Setenv("AWS_ACCESS_KEY_ID", cloudtest.DefaultKey.ID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", cloudtest.DefaultKey.Secret)
}

func TestHelper(t *testing.T) {
	account(t)
	helpertest.Test(t, helper, []string{"--cluster-name=prod", "--region=eu-central-1", "--role-arn=" + roleARN, "--external-id", "tenant-7"}, "k8s-aws-v1.")
}

func TestErrors(t *testing.T) {
	account(t)
	cases := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"NoCluster": {reason: "A token is for one cluster.", args: []string{"--region=eu-central-1"}, want: "set --cluster-name and --region"},
		"NoRegion":  {reason: "Tokens are regional.", args: []string{"--cluster-name=prod"}, want: "set --cluster-name and --region"},
		"Role":      {reason: "A role that the account may not assume.", args: []string{"--cluster-name=prod", "--region=eu-central-1", "--role-arn=" + roleARN}, want: "AccessDenied"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out := &strings.Builder{}
			err := helper().Run(t.Context(), tc.args, "", out, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tc.want) || out.Len() > 0 {
				t.Errorf("%s\nRun(): want %q and no output, got %v, %q", tc.reason, tc.want, err, out)
			}
		})
	}
}
