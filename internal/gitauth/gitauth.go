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

// Package gitauth reads the Secrets that people keep Git credentials in.
package gitauth

import (
	"bytes"
	"net/url"
	"slices"

	"github.com/fluxcd/pkg/auth/githubapp"
	"github.com/fluxcd/pkg/runtime/secrets"
	"golang.org/x/crypto/ssh"
	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// defaultUsername goes with a token that came without a user name. Git servers
// that take tokens as passwords do not look at it.
const defaultUsername = "git"

const (
	// keyToken is how many people call a personal access token.
	keyToken = "token"

	// keyProxy is the proxy that leads to the server, from both sides: an
	// http://, https:// or socks5:// address, with its password if it has one.
	keyProxy = "proxy"
)

// Credentials for one repository.
type Credentials struct {
	// Data in the key names of Flux's own Secrets.
	Data map[string][]byte

	// GitHubApp tells whether they are those of a GitHub App. Flux gets itself
	// a token for them; whoever else needs one asks Apps.
	GitHubApp bool

	// Key of the Secret that the password, token or private key came from;
	// empty if there is none.
	Key string

	// DefaultUser tells whether Data has the usual user name since none was
	// given, which is wrong for servers that look at it.
	DefaultUser bool

	// Proxy to the server; nil means that of the environment.
	Proxy *url.URL
}

// FromSecret returns the credentials in a Secret, for the repository at address.
// It takes Flux's own key names, and those of the types kubernetes.io/basic-auth
// and kubernetes.io/ssh-auth. The error says what is missing; it never shows
// what is there.
func FromSecret(s *corev1.Secret, address string) (Credentials, error) {
	u, err := url.Parse(address)
	if err != nil {
		return Credentials{}, fault.New(fault.Refused, "the repository's address is not a URL")
	}

	in := trim(s.Data)
	proxy, err := proxyOf(in[keyProxy], u.Scheme)
	if err != nil {
		return Credentials{}, fault.Wrap(err, fault.Refused, "Git credentials in Secret "+s.GetName())
	}

	var c Credentials
	switch u.Scheme {
	case "ssh":
		c, err = fromSSH(in)
	case "https":
		c, err = fromHTTPS(in)
	case "http":
		err = fromHTTP(in)
	default:
		err = errors.New("the repository's address must begin with https:// or ssh://")
	}

	c.Proxy = proxy
	return c, fault.Wrap(err, fault.Refused, "Git credentials in Secret "+s.GetName())
}

// proxyOf reads the address of a proxy for a kind of repository.
func proxyOf(address []byte, scheme string) (*url.URL, error) {
	if len(address) == 0 {
		return nil, nil //nolint:nilnil // No proxy is no error.
	}
	u, err := url.Parse(string(address))
	switch {
	case err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "socks5"}, u.Scheme):
		return nil, errors.New("proxy is not an address like http://proxy:3128 or socks5://proxy:1080")
	case scheme == "ssh" && u.Scheme != "socks5":
		return nil, errors.New("proxy must be a socks5:// address for an ssh:// repository")
	}
	return u, nil
}

// fromHTTP refuses all credentials: anybody on the way could read them.
func fromHTTP(in map[string][]byte) error {
	for _, key := range []string{secrets.KeyPassword, secrets.KeyBearerToken, keyToken, secrets.KeyGitHubAppPrivateKey} {
		if len(in[key]) > 0 {
			return errors.New("they are not sent over plain http://: use the https:// or ssh:// address of the repository")
		}
	}
	return nil
}

func fromSSH(in map[string][]byte) (Credentials, error) {
	key := first(in, secrets.KeySSHPrivateKey, corev1.SSHAuthPrivateKey)
	if len(key) == 0 {
		return Credentials{}, errors.New("an ssh:// repository needs the key identity, a private key")
	}
	if len(in[secrets.KeySSHKnownHosts]) == 0 {
		return Credentials{}, errors.New("an ssh:// repository needs the key known_hosts, as ssh-keyscan prints it")
	}

	// ssh-keygen's format must end with a line break, which trim took away.
	key = append(bytes.Clone(key), '\n')
	if err := checkKey(key, in[secrets.KeyPassword]); err != nil {
		return Credentials{}, err
	}

	c := Credentials{Data: map[string][]byte{secrets.KeySSHPrivateKey: key}, Key: present(in, secrets.KeySSHPrivateKey, corev1.SSHAuthPrivateKey)}
	c.copy(in, secrets.KeySSHKnownHosts, secrets.KeySSHPublicKey, secrets.KeyPassword)
	return c, nil
}

func checkKey(key, passphrase []byte) error {
	_, err := ssh.ParseRawPrivateKey(key)
	missing := &ssh.PassphraseMissingError{}
	switch {
	case errors.As(err, &missing) && len(passphrase) == 0:
		return errors.New("the private key in identity is encrypted: put its passphrase into the key password")
	case errors.As(err, &missing):
		_, err = ssh.ParseRawPrivateKeyWithPassphrase(key, passphrase)
		return errors.Wrap(err, "password does not open the private key in identity")
	default:
		if err != nil {
			// The error quotes what stands between the dashes.
			return errors.New("identity is not a private key: store the whole file, from -----BEGIN to -----END")
		}
		return nil
	}
}

func fromHTTPS(in map[string][]byte) (Credentials, error) {
	c := Credentials{Data: map[string][]byte{}}
	c.copy(in, secrets.KeyTLSCert, secrets.KeyTLSPrivateKey)
	if ca := first(in, secrets.KeyCACert, secrets.LegacyKeyCACert); len(ca) > 0 {
		c.Data[secrets.KeyCACert] = ca
	}
	if len(c.Data[secrets.KeyTLSCert]) > 0 || len(c.Data[secrets.KeyTLSPrivateKey]) > 0 {
		if _, err := KeyPair(c.Data[secrets.KeyTLSCert], c.Data[secrets.KeyTLSPrivateKey]); err != nil {
			return Credentials{}, err
		}
	}

	password := first(in, secrets.KeyPassword, keyToken)
	switch {
	case len(in[secrets.KeyGitHubAppID]) > 0:
		c.GitHubApp, c.Key = true, secrets.KeyGitHubAppPrivateKey
		c.copy(in, secrets.KeyGitHubAppID, secrets.KeyGitHubAppPrivateKey, secrets.KeyGitHubAppInstallationID,
			secrets.KeyGitHubAppInstallationOwner, secrets.KeyGitHubAppBaseURL)
		return c, c.checkGitHubApp()
	case len(password) > 0:
		c.Data[secrets.KeyPassword], c.Key = password, present(in, secrets.KeyPassword, keyToken)
		c.Data[secrets.KeyUsername], c.DefaultUser = []byte(defaultUsername), len(in[secrets.KeyUsername]) == 0
		c.copy(in, secrets.KeyUsername)
	case len(in[secrets.KeyBearerToken]) > 0:
		c.copy(in, secrets.KeyBearerToken)
		c.Key = secrets.KeyBearerToken
	case len(in[secrets.KeyTLSPrivateKey]) > 0:
		c.Key = secrets.KeyTLSPrivateKey // A client certificate is all that some servers ask for.
	default:
		return Credentials{}, errors.New("an https:// repository needs the keys username and password, or bearerToken, or those of a GitHub App")
	}
	return c, nil
}

func (c Credentials) checkGitHubApp() error {
	if len(c.Data[secrets.KeyGitHubAppPrivateKey]) == 0 {
		return errors.New("a GitHub App needs the key githubAppPrivateKey")
	}
	_, id := c.Data[secrets.KeyGitHubAppInstallationID]
	_, owner := c.Data[secrets.KeyGitHubAppInstallationOwner]
	if id == owner {
		return errors.New("a GitHub App needs the key githubAppInstallationID or githubAppInstallationOwner, and not both")
	}
	if !number(c.Data[secrets.KeyGitHubAppID]) || id && !number(c.Data[secrets.KeyGitHubAppInstallationID]) {
		return errors.New("githubAppID and githubAppInstallationID are numbers")
	}
	if base := c.Data[secrets.KeyGitHubAppBaseURL]; len(base) > 0 && !bytes.HasPrefix(base, []byte("https://")) {
		return errors.New("githubAppBaseURL must begin with https://")
	}
	if _, err := githubapp.New(githubapp.WithAppData(c.Data)); err != nil {
		return errors.New("githubAppPrivateKey is not an RSA private key: take the .pem file that GitHub gave you")
	}
	return nil
}

// copy the keys that are not empty.
func (c Credentials) copy(from map[string][]byte, keys ...string) {
	for _, k := range keys {
		if len(from[k]) > 0 {
			c.Data[k] = from[k]
		}
	}
}

// first of the keys that is not empty.
func first(in map[string][]byte, keys ...string) []byte { return in[present(in, keys...)] }

// present is the first of the keys that is not empty.
func present(in map[string][]byte, keys ...string) string {
	for _, k := range keys {
		if len(in[k]) > 0 {
			return k
		}
	}
	return ""
}

// trim white space around values: a line break at the end of a password comes
// from echo or an editor, and is never a part of it.
func trim(in map[string][]byte) map[string][]byte {
	out := make(map[string][]byte, len(in))
	for k, v := range in {
		out[k] = bytes.TrimSpace(v)
	}
	return out
}
