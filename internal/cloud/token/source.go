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
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

const (
	// resolveEvery is how soon a changed ProviderConfig shows in new tokens.
	resolveEvery = time.Minute
	// makeTimeout bounds the making of a token, with the assuming of a role.
	makeTimeout = 10 * time.Second
	// early is how long before its end a token is replaced, as long as the old one still works.
	early = 4 * time.Minute
	// pause between two tries to make a token.
	pause = 10 * time.Second
	// unknownExpiry is how long a token is used that does not say when it ends.
	unknownExpiry = 10 * time.Minute
	// maxTokens bounds the tokens that are kept.
	maxTokens = 4096
)

var _ target.Tokens = &Source{}

// A Source of cloud tokens. It is safe for concurrent use.
type Source struct {
	resolver cloud.Resolver
	clock    clock.PassiveClock
	make     func(context.Context, *cloud.Credentials, kubeconfig.Helper) (maker, error)

	mu     sync.Mutex
	tokens map[string]*entry
}

// New returns a Source of tokens that are made with what a resolver reads.
func New(r cloud.Resolver) *Source {
	return &Source{resolver: r, clock: clock.RealClock{}, make: newMaker, tokens: map[string]*entry{}}
}

// TokenSource returns the tokens for those whose kubeconfig is in a Secret. Its
// errors are faults; so are those of the tokens, if a ProviderConfig changes
// later on. It calls no cloud.
func (s *Source) TokenSource(ctx context.Context, kubeconfigSecret types.NamespacedName, h kubeconfig.Helper) (oauth2.TokenSource, error) {
	creds, err := s.credentials(ctx, kubeconfigSecret, h.Command)
	if err != nil {
		return nil, err
	}
	if _, err := s.make(ctx, creds, h); err != nil {
		return nil, err
	}
	return &tokens{source: s, secret: kubeconfigSecret, helper: h, creds: creds, resolved: s.clock.Now()}, nil
}

// tokens for one Secret.
type tokens struct {
	source *Source
	secret types.NamespacedName
	helper kubeconfig.Helper

	mu       sync.Mutex
	creds    *cloud.Credentials
	resolved time.Time
}

// Token returns a token that is valid for a while.
func (t *tokens) Token() (*oauth2.Token, error) {
	ctx, cancel := context.WithTimeout(context.Background(), makeTimeout)
	defer cancel()
	creds, err := t.current(ctx)
	if err != nil {
		return nil, err
	}
	return t.source.token(ctx, creds, t.helper)
}

// current returns the credentials, read again once in a while: a ProviderConfig
// that is changed or taken away counts for connections that are there, too.
func (t *tokens) current(ctx context.Context) (*cloud.Credentials, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.source.clock.Now()
	if now.Sub(t.resolved) < resolveEvery {
		return t.creds, nil
	}
	creds, err := t.source.credentials(ctx, t.secret, t.helper.Command)
	if err != nil {
		return nil, err
	}
	t.creds, t.resolved = creds, now
	return creds, nil
}

// entry is one token that is kept. Its lock is held while one is made, so that
// many who need it ask the cloud once.
type entry struct {
	mu    sync.Mutex
	maker maker
	token *oauth2.Token
	tried time.Time
	err   error
}

// token returns the token for some credentials and a cluster.
func (s *Source) token(ctx context.Context, creds *cloud.Credentials, h kubeconfig.Helper) (*oauth2.Token, error) {
	e := s.entry(strings.Join([]string{creds.Digest(), h.Command, h.Cluster, h.Region, h.RoleARN, h.ExternalID, h.Project}, "\n"))
	e.mu.Lock()
	defer e.mu.Unlock()

	now := s.clock.Now()
	if e.token != nil && e.token.Expiry.Sub(now) > early {
		return e.token, nil
	}
	if e.tried.IsZero() || now.Sub(e.tried) >= pause {
		e.tried = now
		e.renew(ctx, s, creds, h)
	}
	if e.token != nil && e.token.Expiry.After(now) {
		return e.token, nil
	}
	return nil, e.err
}

// renew makes a token. The one that is there stays if that fails.
func (e *entry) renew(ctx context.Context, s *Source, creds *cloud.Credentials, h kubeconfig.Helper) {
	if e.maker == nil {
		if e.maker, e.err = s.make(ctx, creds, h); e.err != nil {
			return
		}
	}
	t, err := e.maker(ctx)
	e.err = err
	if err != nil {
		return
	}
	if t.Expiry.IsZero() {
		t.Expiry = s.clock.Now().Add(unknownExpiry)
	}
	e.token, e.tried = t, time.Time{}
}

// entry returns the place for a token. There are as many as there are clusters;
// when credentials change often, all are made anew once in a long while.
func (s *Source) entry(key string) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.tokens[key]
	if e == nil {
		if len(s.tokens) >= maxTokens {
			clear(s.tokens)
		}
		e = &entry{}
		s.tokens[key] = e
	}
	return e
}
