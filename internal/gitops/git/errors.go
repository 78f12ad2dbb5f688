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

package git

import (
	"context"
	"crypto/x509"
	"net"
	"net/url"
	"slices"
	"strings"
	"syscall"

	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/gitauth"
)

// errMoved: the branch is not where it was when we cloned it.
var errMoved = errors.New("the branch moved while we wrote to it")

// moved are the words of servers whose branch moved. They come as text only.
func moved(reason string) bool {
	return containsAny(reason, "non-fast-forward", "fetch first", "cannot lock ref", "failed to update ref",
		"failed to lock", "incorrect old value", "stale info", "reference already exists", "atomic push failed")
}

// protected are the words of servers that do not let us write to the branch.
func protected(reason string) bool {
	return containsAny(reason, "hook declined", "protected", "prohibited", "not allowed", "denied", "permission", "insufficient", "read only", "read-only", "unauthorized", "forbidden", "GH006", "GH013")
}

func containsAny(s string, words ...string) bool {
	s = strings.ToLower(s)

	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, strings.ToLower(w)) })
}

// classify an error of the transport. The message names the cause first, and
// nothing of the credentials.
func (r *Repository) classify(err error, doing string) error {
	if err == nil {
		return nil
	}

	host := r.endpoint.Host
	text := r.redact.clean(err.Error())
	certs := &x509.UnknownAuthorityError{}
	name := &x509.HostnameError{}
	invalid := &x509.CertificateInvalidError{}
	dns := &net.DNSError{}

	switch {
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed), containsAny(text, "unable to authenticate"):
		return fault.Newf(fault.Denied, "Git credentials refused by %s: %scannot %s", host, r.replace(), doing)
	case errors.Is(err, transport.ErrInvalidAuthMethod):
		return fault.New(fault.Refused, "the Git credentials do not fit the URL")
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return fault.Newf(fault.Refused, "Git repository not found on %s, or these credentials may not see it: cannot %s", host, doing)
	case errors.As(err, &certs), errors.As(err, name), errors.As(err, invalid), containsAny(text, "x509:"):
		return fault.Newf(fault.Refused, "certificate of %s not trusted: put its CA into ca.crt of the Git credentials: %s", host, text)
	case containsAny(text, "no common algorithm for host key"):
		return fault.Newf(fault.Refused, "host key of %s is of another kind than those in known_hosts: add what ssh-keyscan prints, once you have checked it", host)
	case containsAny(text, "knownhosts:", "key is unknown", "host key"):
		return fault.Newf(fault.Refused, "host key of %s not in known_hosts of the Git credentials: %s", host, text)
	case containsAny(text, "proxy authentication required"):
		return fault.Newf(fault.Denied, "proxy refuses us on the way to %s: put its password into proxy of the Git credentials", host)
	case containsAny(text, "proxyconnect", "socks connect"):
		return fault.Newf(fault.Unreachable, "proxy on the way to Git server %s fails: cannot %s: %s", host, doing, text)
	case gitauth.NotTaken(err) && len(r.endpoint.ClientCert) == 0:
		return fault.Newf(fault.Denied, "client certificate asked for by %s: put it and its key into tls.crt and tls.key of the Git credentials: %s", host, text)
	case gitauth.NotTaken(err):
		return fault.Newf(fault.Denied, "client certificate refused by %s: replace tls.crt and tls.key of the Git credentials: %s", host, text)
	case containsAny(text, "remote error: tls: handshake failure"):
		return fault.Newf(fault.Denied, "TLS refused by %s: if it asks for a client certificate, check tls.crt and tls.key of the Git credentials: %s", host, text)
	case errors.As(err, &dns):
		return fault.Newf(fault.Unreachable, "Git server %s not found in DNS: cannot %s", host, doing)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fault.Newf(fault.Unreachable, "Git server %s refuses connections: cannot %s", host, doing)
	case errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		return fault.Newf(fault.Unreachable, "Git server %s does not answer in time: cannot %s", host, doing)
	case containsAny(text, "read only", "read-only", "access denied", "permission", "not granted", "not allowed"):
		return fault.Newf(fault.Denied, "Git credentials lack rights on %s: cannot %s: %s", host, doing, text)
	case isNetwork(err), containsAny(text, "tls: ", "unexpected requesting", "status code: 5", "connection reset", "eof", "no route", "network is unreachable"):
		return fault.Newf(fault.Unreachable, "Git server %s fails: cannot %s: %s", host, doing, text)
	}

	return fault.Newf(fault.Failing, "cannot %s: %s", doing, text)
}

// replace says which credentials to replace, if that is known.
func (r *Repository) replace() string {
	if r.opts.Origin == "" {
		return ""
	}

	return "replace " + r.opts.Origin + ": "
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }

	return errors.As(err, &t) && t.Timeout()
}

func isNetwork(err error) bool {
	op := &net.OpError{}

	return errors.As(err, &op)
}

// A redactor removes secrets from what servers and libraries say.
type redactor struct{ secrets []string }

// public are the keys of credentials that are no secrets.
func public(key string) bool {
	return slices.Contains([]string{"username", "known_hosts", "ca.crt", "caFile", "tls.crt", "identity.pub"}, key)
}

// minSecret is the length below which a value is not worth looking for: its
// absence would say more than its presence.
const minSecret = 4

func newRedactor(credentials map[string][]byte, proxy *url.URL) redactor {
	out := redactor{}

	if proxy != nil {
		if p, _ := proxy.User.Password(); len(p) >= minSecret {
			out.secrets = append(out.secrets, p, url.QueryEscape(p))
		}
	}

	for k, v := range credentials {
		if s := strings.TrimSpace(string(v)); !public(k) && len(s) >= minSecret {
			out.secrets = append(out.secrets, s)
		}
	}

	return out
}

// maxMessage is the length of a message that people still read.
const maxMessage = 300

// clean makes a text fit for people: no secrets, one line, not too long.
func (r redactor) clean(s string) string {
	for _, x := range r.secrets {
		s = strings.ReplaceAll(s, x, "[redacted]")
	}

	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " ")
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}

	return s
}
