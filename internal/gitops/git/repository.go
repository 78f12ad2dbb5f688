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

// Package git reads and writes one folder of a Git repository. It touches
// nothing else: a commit replaces that folder's tree object in the tree that
// the branch has, without a working copy, and a push moves the branch from
// exactly that commit or not at all.
package git

import (
	"context"
	"net/url"
	"path"
	"time"

	// It lets go-git clone from servers that speak multi_ack only, as Azure DevOps does.
	_ "github.com/fluxcd/pkg/git/gogit"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// How long the operations may take. A repository is fetched without its
// history, so that a minute is enough for large ones too.
const (
	headTimeout  = 15 * time.Second
	fetchTimeout = time.Minute
	pushTimeout  = time.Minute
)

// Options of a Repository.
type Options struct {
	// URL of the repository: https, http or ssh.
	URL string

	// Branch to read and write.
	Branch string

	// Path of the folder; slash-separated, relative and clean.
	Path string

	// Credentials as Flux keeps them: username and password, bearerToken,
	// identity and known_hosts, ca.crt, tls.crt and tls.key.
	Credentials map[string][]byte

	// Origin of the credentials, for people: which key of which Secret.
	Origin string

	// Proxy to the server; nil means that of the environment.
	Proxy *url.URL

	// Read tells of which files in the folder the content matters. Of the others,
	// which may be many and large, it is enough to know which content they have.
	Read func(path string) bool

	// AuthorName and AuthorEmail of the commits.
	AuthorName, AuthorEmail string
}

// A Repository is one folder on one branch of a Git repository.
type Repository struct {
	opts     Options
	endpoint *transport.Endpoint
	auth     transport.AuthMethod
	redact   redactor

	// now is when a commit is made.
	now func() time.Time

	// pause before another try, for tests to leave out.
	pause func(ctx context.Context, try int) error

	// beforePush is called between clone and push, for tests to race.
	beforePush func()
}

// New returns a Repository. It connects nowhere.
func New(o Options) (*Repository, error) {
	u, err := parseURL(o.URL)
	if err != nil {
		return nil, err
	}

	if path.Clean(o.Path) != o.Path || path.IsAbs(o.Path) || o.Path == "." {
		return nil, fault.Newf(fault.Refused, "the path %q in the repository is not a clean relative path", o.Path)
	}

	if o.Read == nil {
		o.Read = func(string) bool { return false }
	}

	auth, data, err := authenticate(u, o.Credentials)
	if err != nil {
		return nil, err
	}

	ep, err := transport.NewEndpoint(o.URL)
	if err != nil {
		return nil, fault.Wrap(err, fault.Refused, "cannot read the URL of the Git repository")
	}

	ep.CaBundle = data.CAFile
	ep.ClientCert = data.ClientCert
	ep.ClientKey = data.ClientKey

	return &Repository{
		opts:       o,
		endpoint:   ep,
		auth:       auth,
		redact:     newRedactor(o.Credentials, o.Proxy),
		now:        time.Now,
		pause:      pause,
		beforePush: func() {},
	}, nil
}

const (
	schemeSSH   = "ssh"
	schemeHTTP  = "http"
	schemeHTTPS = "https"
)

// parseURL refuses what we could not or would not use. Its messages leave the
// URL out where it may hold a password.
func parseURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, fault.New(fault.Refused, "the URL of the Git repository is not a URL")
	}

	if _, has := u.User.Password(); has {
		return nil, fault.New(fault.Refused, "the URL of the Git repository holds a password: put it into the credentials Secret")
	}

	switch u.Scheme {
	case schemeHTTPS, schemeHTTP:
		if u.User != nil {
			return nil, fault.New(fault.Refused, "the URL of the Git repository holds a user name or token: put it into the credentials Secret")
		}
	case schemeSSH:
	default:
		return nil, fault.New(fault.Refused, "the URL of the Git repository must begin with https://, http:// or ssh://")
	}

	if u.Host == "" || u.Path == "" || u.Path == "/" {
		return nil, fault.New(fault.Refused, "the URL of the Git repository names no host or no repository")
	}

	if u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.New(fault.Refused, "the URL of the Git repository must not have a query or a fragment")
	}

	return u, nil
}

// ref is the branch's reference.
func (r *Repository) ref() plumbing.ReferenceName {
	return plumbing.NewBranchReferenceName(r.opts.Branch)
}
