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

package auth

import (
	"context"
	"net/http"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"

	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

// A Right is what somebody may do.
type Right = authorizationv1.ResourceAttributes

// Access tells what somebody may do. Nothing is remembered: a right that is
// taken away is gone at once.
type Access struct {
	reviews authorizationclient.SubjectAccessReviewInterface
}

// NewAccess returns an Access.
func NewAccess(reviews authorizationclient.SubjectAccessReviewInterface) *Access {
	return &Access{reviews: reviews}
}

// Check that somebody has a right. It fails with 403, or with 503 if the API
// server does not say.
func (a *Access) Check(ctx context.Context, who Identity, right Right) error {
	ctx, cancel := context.WithTimeout(ctx, reviewTimeout)
	defer cancel()
	out, err := a.reviews.Create(ctx, &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: who.Username, UID: who.UID, Groups: who.Groups, Extra: extra(who), ResourceAttributes: &right,
	}}, metav1.CreateOptions{})
	if err != nil {
		return reply.Errorf(http.StatusServiceUnavailable, reply.Unavailable, "the API server does not tell what you may do: try again").Because(err)
	}
	if s := out.Status; !s.Allowed || s.Denied {
		return reply.Errorf(http.StatusForbidden, reply.Denied, "you may not %s in namespace %s: ask for this right", describe(right), right.Namespace)
	}
	return nil
}

func extra(who Identity) map[string]authorizationv1.ExtraValue {
	all := make(map[string]authorizationv1.ExtraValue, len(who.Extra))
	for k, v := range who.Extra {
		all[k] = authorizationv1.ExtraValue(v)
	}
	return all
}

// describe a right as roles write it.
func describe(r Right) string {
	s := r.Verb + " " + r.Resource
	if r.Subresource != "" {
		s += "/" + r.Subresource
	}
	if r.Group != "" {
		s += "." + r.Group
	}
	if r.Name != "" {
		s += " " + r.Name
	}
	return s
}
