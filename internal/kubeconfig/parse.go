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

// Package kubeconfig is the only code that turns the text of a kubeconfig into
// the configuration of a client. It is pure: it executes nothing, reads no
// file and opens no connection, whatever the kubeconfig asks for, and no error
// or warning of it holds a credential.
package kubeconfig

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"
	"time"

	"k8s.io/client-go/rest"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// MaxSize is the largest kubeconfig that is read, in bytes. A Secret holds at
// most 1 MiB; the kubeconfig of one context with a bundle of CAs is below 64 KiB.
const MaxSize = 512 << 10

// Kubeconfig is a kubeconfig that we accept, reduced to the one context in use.
type Kubeconfig struct {
	// Context, Cluster and User are the names of what is in use.
	Context string
	Cluster string
	User    string
	// Server is the address of the API server. It holds no credentials.
	Server *url.URL
	// Helper says how to get a cloud token. Nil if the kubeconfig carries its
	// own credentials.
	Helper *Helper
	// Expires is when the client certificate or the token ends, whichever is
	// first. Nil if neither says.
	Expires *Expiry

	digest string
	config *rest.Config
}

// Expiry is the end of a credential.
type Expiry struct {
	// Of names the credential: "client certificate" or "token".
	Of string
	// From is when it began. Zero if the credential does not say.
	From time.Time
	At   time.Time
}

// Parse reads a kubeconfig. An error says what is wrong and what to do; its
// cause comes first.
func Parse(data []byte) (*Kubeconfig, error) {
	f, err := read(data)
	if err != nil {
		return nil, err
	}

	c, err := f.context()
	if err != nil {
		return nil, err
	}
	cl, err := only(f.Clusters, "cluster", c.Context.Cluster, c.Name, func(c cluster) string { return c.Name })
	if err != nil {
		return nil, err
	}
	u, err := only(f.Users, "user", c.Context.User, c.Name, func(u user) string { return u.Name })
	if err != nil {
		return nil, err
	}

	sum := sha256.Sum256(data)
	k := &Kubeconfig{
		Context: c.Name,
		Cluster: cl.Name,
		User:    u.Name,
		digest:  hex.EncodeToString(sum[:]),
		config:  &rest.Config{},
	}
	if err := k.setCluster(cl); err != nil {
		return nil, err
	}
	if err := k.setUser(u); err != nil {
		return nil, err
	}
	if k.Plain() {
		k.dropCredentials()
	}
	return k, nil
}

// RESTConfig returns a fresh configuration of a client. With a Helper it has
// no credentials yet.
func (k *Kubeconfig) RESTConfig() *rest.Config {
	return rest.CopyConfig(k.config)
}

// Digest identifies the text that was parsed, as hexadecimal SHA-256.
func (k *Kubeconfig) Digest() string { return k.digest }

// Plain says that the server is asked over plain http. As kubectl does, we send
// it no credentials then: anybody on the way could read them.
func (k *Kubeconfig) Plain() bool { return k.Server.Scheme == "http" }

func (k *Kubeconfig) dropCredentials() {
	k.Helper, k.Expires = nil, nil
	k.config.BearerToken = ""
	k.config.TLSClientConfig = rest.TLSClientConfig{}
}

// Loopback says that the server's address leads back to where the client runs.
func (k *Kubeconfig) Loopback() bool { return loopback(k.Server.Hostname()) }

// context returns the context in use: the current one, or the only one.
func (f *file) context() (ctx, error) {
	switch {
	case len(f.Contexts) == 0:
		return ctx{}, errors.New("kubeconfig has no context: it needs one that names a cluster and a user")
	case f.CurrentContext == "" && len(f.Contexts) > 1:
		return ctx{}, errors.Errorf("kubeconfig has %d contexts and no current-context: choose one with: kubectl config use-context", len(f.Contexts))
	case f.CurrentContext == "":
		return f.Contexts[0], nil
	}

	var found []ctx
	for _, c := range f.Contexts {
		if c.Name == f.CurrentContext {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 0:
		return ctx{}, errors.Errorf("current-context names no context: there is none called %s", quote(f.CurrentContext))
	case 1:
		return found[0], nil
	default:
		return ctx{}, errors.Errorf("kubeconfig has %d contexts of one name: %s", len(found), quote(f.CurrentContext))
	}
}

// only finds the one entry of a name that a context refers to.
func only[T any](entries []T, kind, name, context string, nameOf func(T) string) (T, error) {
	var none T
	if name == "" {
		return none, errors.Errorf("context names no %s: add one to the context %s", kind, quote(context))
	}
	var found []T
	for _, e := range entries {
		if nameOf(e) == name {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return none, errors.Errorf("kubeconfig lacks the %s %s that the context %s names", kind, quote(name), quote(context))
	case 1:
		return found[0], nil
	default:
		return none, errors.Errorf("kubeconfig has %d %ss of one name: %s", len(found), kind, quote(name))
	}
}

// longest is how many bytes of a name are shown in a message, so that the rest
// of the message stays readable.
const longest = 40

func short(s string) string {
	r := []rune(s)
	if len(r) > longest {
		return string(r[:longest]) + "…"
	}
	return s
}

func quote(s string) string { return strconv.Quote(short(s)) }
