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
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

// server is a fake of the API server's reviews that counts them.
type server struct {
	asked  int
	fail   error
	status authenticationv1.TokenReviewStatus
	may    authorizationv1.SubjectAccessReviewStatus
}

func (s *server) clients() *fake.Clientset {
	c := fake.NewClientset()
	c.PrependReactor("create", "*", func(a k8stesting.Action) (bool, runtime.Object, error) {
		s.asked++
		if s.fail != nil {
			return true, nil, s.fail
		}
		create, _ := a.(k8stesting.CreateAction)
		switch o := create.GetObject().(type) {
		case *authenticationv1.TokenReview:
			o.Status = s.status
			return true, o, nil
		case *authorizationv1.SubjectAccessReview:
			o.Status = s.may
			return true, o, nil
		}
		return false, nil, nil
	})
	return c
}

func request(headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	for _, h := range headers {
		r.Header.Add("Authorization", h)
	}
	return r
}

func statusOf(err error) int {
	if err == nil {
		return http.StatusOK
	}
	return reply.As(err).Status
}

// TestRemembered asks once in ten seconds for each token, and never remembers
// that it got no answer.
func TestRemembered(t *testing.T) {
	s := &server{status: authenticationv1.TokenReviewStatus{Authenticated: true, User: Identity{Username: "u"}}}
	c := clocktesting.NewFakePassiveClock(time.Unix(1, 0))
	tokens := NewTokens(s.clients().AuthenticationV1().TokenReviews(), nil, c)
	steps := []struct {
		reason string
		token  string
		later  time.Duration
		change func()
		status int
		asked  int
	}{
		{"The first time the API server is asked.", "a", 0, nil, 200, 1},
		{"A moment later it is not.", "a", 9 * time.Second, nil, 200, 1},
		{"Another token is another question.", "b", 0, nil, 200, 2},
		{"A token that is revoked works for ten seconds at most.", "a", 2 * time.Second, func() { s.status = authenticationv1.TokenReviewStatus{} }, 401, 3},
		{"What is unknown is remembered, too.", "a", time.Second, nil, 401, 3},
		{"No answer is no.", "c", 0, func() { s.fail = errors.New("down") }, 503, 4},
		{"It is asked again at once.", "c", 0, nil, 503, 5},
		{"What was an answer stays one.", "a", 0, nil, 401, 5},
	}
	for _, tc := range steps {
		c.SetTime(c.Now().Add(tc.later))
		if tc.change != nil {
			tc.change()
		}
		if _, err := tokens.Identify(request("Bearer " + tc.token)); statusOf(err) != tc.status || s.asked != tc.asked {
			t.Errorf("%s: %d after %d questions, want %d after %d", tc.reason, statusOf(err), s.asked, tc.status, tc.asked)
		}
	}
}

func TestBearer(t *testing.T) {
	cases := map[string]struct {
		headers []string
		want    string
	}{
		"Good":      {[]string{"Bearer abc"}, "abc"},
		"LowerCase": {[]string{"bearer abc"}, "abc"},
		"None":      {nil, ""},
		"Two":       {[]string{"Bearer abc", "Bearer def"}, ""},
		"Basic":     {[]string{"Basic YTpi"}, ""},
		"Empty":     {[]string{"Bearer "}, ""},
		"Spaces":    {[]string{"Bearer a b"}, ""},
		"Long":      {[]string{"Bearer " + strings.Repeat("a", maxToken+1)}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := bearer(request(tc.headers...).Header)
			if got != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("%q, %v", got, err)
			}
			if err != nil && statusOf(err) != http.StatusUnauthorized {
				t.Errorf("status %d", statusOf(err))
			}
		})
	}
}

// TestFailsClosed lets nobody in whose identity or rights are not certain.
func TestFailsClosed(t *testing.T) {
	known := authenticationv1.TokenReviewStatus{Authenticated: true, User: Identity{Username: "u"}, Audiences: []string{"other"}}
	identities := map[string]struct {
		status    authenticationv1.TokenReviewStatus
		audiences []string
		want      int
	}{
		"Known":         {known, nil, 200},
		"NoName":        {authenticationv1.TokenReviewStatus{Authenticated: true}, nil, 401},
		"OtherAudience": {known, []string{"ours"}, 401},
		"OneOfOurs":     {known, []string{"ours", "other"}, 200},
	}
	for name, tc := range identities {
		t.Run(name, func(t *testing.T) {
			s := &server{status: tc.status}
			tokens := NewTokens(s.clients().AuthenticationV1().TokenReviews(), tc.audiences, clocktesting.NewFakePassiveClock(time.Unix(1, 0)))
			if _, err := tokens.Identify(request("Bearer a")); statusOf(err) != tc.want {
				t.Errorf("%d, want %d", statusOf(err), tc.want)
			}
		})
	}
	rights := map[string]struct {
		may  authorizationv1.SubjectAccessReviewStatus
		fail error
		want int
	}{
		"Allowed":   {authorizationv1.SubjectAccessReviewStatus{Allowed: true}, nil, 200},
		"NoOpinion": {authorizationv1.SubjectAccessReviewStatus{}, nil, 403},
		"Denied":    {authorizationv1.SubjectAccessReviewStatus{Allowed: true, Denied: true}, nil, 403},
		"Unsure":    {authorizationv1.SubjectAccessReviewStatus{EvaluationError: "webhook is down"}, nil, 403},
		"NoAnswer":  {authorizationv1.SubjectAccessReviewStatus{Allowed: true}, errors.New("down"), 503},
	}
	for name, tc := range rights {
		t.Run(name, func(t *testing.T) {
			s := &server{may: tc.may, fail: tc.fail}
			access := NewAccess(s.clients().AuthorizationV1().SubjectAccessReviews())
			who := Identity{Username: "u", Extra: map[string]authenticationv1.ExtraValue{"k": {"v"}}}
			if err := access.Check(t.Context(), who, Right{Verb: "get", Resource: "secrets"}); statusOf(err) != tc.want {
				t.Errorf("%d, want %d", statusOf(err), tc.want)
			}
		})
	}
}
