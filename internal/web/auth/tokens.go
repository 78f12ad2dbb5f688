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

// Package auth tells who asks and what they may: by TokenReview and
// SubjectAccessReview of the API server. When that does not answer, nobody may
// do anything.
package auth

import (
	"context"
	"crypto/sha256"
	"net/http"
	"slices"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	"k8s.io/utils/clock"

	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

const (
	// remembered is how long the answer about a token is used again. A token
	// that is revoked works no longer than that.
	remembered = 10 * time.Second

	// maxRemembered bounds the tokens that are remembered, at about 1 KiB each.
	maxRemembered = 4096

	// maxToken bounds a token in bytes: those of ServiceAccounts have 1 to 2 KiB, those of OIDC up to 8.
	maxToken = 16 << 10

	// reviewTimeout bounds a question to the API server.
	reviewTimeout = 10 * time.Second
)

// An Identity is who asks.
type Identity = authenticationv1.UserInfo

// Tokens tells who asks by their bearer tokens.
type Tokens struct {
	reviews   authenticationclient.TokenReviewInterface
	audiences []string
	seen      *cache.LRUExpireCache
}

// answer of the API server about a token. A token that it does not know has none.
type answer struct {
	known bool
	who   Identity
}

// NewTokens returns Tokens that are meant for one of the audiences, or for the
// API server if there are none.
func NewTokens(reviews authenticationclient.TokenReviewInterface, audiences []string, c clock.PassiveClock) *Tokens {
	return &Tokens{reviews: reviews, audiences: audiences, seen: cache.NewLRUExpireCacheWithClock(maxRemembered, c)}
}

// Identify whoever sent a request. It fails with 401, or with 503 if the API
// server does not say.
func (t *Tokens) Identify(r *http.Request) (Identity, error) {
	token, err := bearer(r.Header)
	if err != nil {
		return Identity{}, err
	}
	a, err := t.ask(r.Context(), token)
	if err != nil {
		return Identity{}, reply.Errorf(http.StatusServiceUnavailable, reply.Unavailable, "the API server does not tell whose token this is: try again").Because(err)
	}
	if !a.known {
		return Identity{}, reply.Errorf(http.StatusUnauthorized, reply.Unknown, "the API server does not know this token, or it has expired")
	}
	return a.who, nil
}

// bearer returns the token of a request.
func bearer(h http.Header) (string, error) {
	all := h.Values("Authorization")
	if len(all) != 1 {
		return "", reply.Errorf(http.StatusUnauthorized, reply.Unknown, "one header Authorization: Bearer <token> is needed")
	}
	scheme, token, _ := strings.Cut(all[0], " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > maxToken || strings.ContainsAny(token, " \t") {
		return "", reply.Errorf(http.StatusUnauthorized, reply.Unknown, "the header Authorization is not Bearer <token>")
	}
	return token, nil
}

// ask the API server, unless it has just said. Only its answers are
// remembered, no failures, and tokens by their hashes.
func (t *Tokens) ask(ctx context.Context, token string) (answer, error) {
	key := sha256.Sum256([]byte(token))
	if a, ok := t.seen.Get(key); ok {
		if a, ok := a.(answer); ok {
			return a, nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, reviewTimeout)
	defer cancel()
	review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: t.audiences}}
	out, err := t.reviews.Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return answer{}, err
	}
	a := answer{}
	if s := out.Status; s.Authenticated && s.User.Username != "" && t.meantFor(s.Audiences) {
		a = answer{known: true, who: s.User}
	}
	t.seen.Add(key, a, remembered)
	return a, nil
}

// meantFor tells whether a token's audiences are ours. An API server that
// knows nothing of audiences returns none.
func (t *Tokens) meantFor(audiences []string) bool {
	return len(t.audiences) == 0 || slices.ContainsFunc(audiences, func(a string) bool { return slices.Contains(t.audiences, a) })
}
