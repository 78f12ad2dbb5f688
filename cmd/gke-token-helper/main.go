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

// Command gke-token-helper is a credential plugin of kubectl and client-go for
// GKE. It takes the application-default credentials and needs no tool of Google's.
package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"golang.org/x/oauth2/google"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/execcredential"
)

// scope is what tokens are good for; GKE asks for this one.
const scope = "https://www.googleapis.com/auth/cloud-platform"

func main() { helper().Main() }

func helper() execcredential.Helper {
	return execcredential.Helper{
		Name: "gke-token-helper",
		Flags: func(f *flag.FlagSet) {
			// A token is good for every project that its account may see. The
			// flag says in the kubeconfig which one is meant.
			f.String("project", "", "Project of the GKE cluster.")
		},
		Token: func(ctx context.Context) (string, time.Time, error) {
			ts, err := google.DefaultTokenSource(ctx, scope)
			if err != nil {
				return "", time.Time{}, fmt.Errorf("cannot find credentials of Google Cloud: %w", err)
			}
			t, err := ts.Token()
			if err != nil {
				return "", time.Time{}, fmt.Errorf("cannot get a token: %w", err)
			}
			return t.AccessToken, t.Expiry, nil
		},
	}
}
