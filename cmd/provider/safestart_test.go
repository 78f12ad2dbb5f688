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
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

func TestSeesCRDs(t *testing.T) {
	boom := errors.New("boom")
	cases := map[string]struct {
		reason   string
		patience time.Duration
		// denials are the answers before the first that allows; -1 never allows.
		denials int
		err     error
		want    bool
	}{
		"Plain":   {reason: "Plain manifests do not grant it, and nobody waits for it.", denials: -1},
		"Granted": {reason: "Crossplane grants it.", patience: time.Minute, want: true},
		"Late":    {reason: "The first pod may be faster than Crossplane.", patience: time.Minute, denials: 2, want: true},
		"Never":   {reason: "All namespaces are watched without Crossplane, too.", patience: 2 * grantInterval, denials: -1},
		"Error":   {reason: "What the API server does not answer is no denial.", patience: time.Minute, err: boom},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := fake.NewClientset()
			asked := 0
			c.PrependReactor("create", "selfsubjectaccessreviews", func(clienttesting.Action) (bool, runtime.Object, error) {
				asked++
				allowed := tc.denials >= 0 && asked > tc.denials
				return true, &authorizationv1.SelfSubjectAccessReview{Status: authorizationv1.SubjectAccessReviewStatus{Allowed: allowed}}, tc.err
			})
			got, err := seesCRDs(t.Context(), c.AuthorizationV1().SelfSubjectAccessReviews(), tc.patience)
			if !errors.Is(err, tc.err) || got != tc.want {
				t.Errorf("%s\nseesCRDs(...): got %t, %v, want %t, %v", tc.reason, got, err, tc.want, tc.err)
			}
		})
	}
}
