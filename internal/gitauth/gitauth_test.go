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

package gitauth

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/gittest"
)

// key makes a private key, encrypted if there is a passphrase.
func key(t *testing.T, passphrase string) string {
	t.Helper()
	_, k, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	var block *pem.Block
	if passphrase == "" {
		block, err = ssh.MarshalPrivateKey(k, "")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(k, "", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(block))
}

// rsaKey is a private key as GitHub makes them for its Apps.
func rsaKey(t *testing.T) string {
	t.Helper()
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	b := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(k)})
	return strings.TrimSpace(string(b))
}

// pair is a client certificate and its key.
func pair(t *testing.T) (cert, key string) {
	t.Helper()
	c, k := gittest.Certificate(t)
	return string(c), string(k)
}

func TestFromSecret(t *testing.T) {
	const (
		https = "https://git.example.com/acme/iac.git"
		sshTo = "ssh://git@git.example.com/acme/iac.git"
		hosts = "git.example.com ssh-ed25519 AAAA"
	)
	plain, locked := key(t, ""), key(t, "open")
	appKey := rsaKey(t)
	cert, certKey := pair(t)
	_, otherKey := pair(t)

	type m = map[string]string
	cases := map[string]struct {
		reason string
		url    string
		in     m
		want   m
		app    bool
		err    string
	}{
		"Basic":         {reason: "Flux's own names.", url: https, in: m{"username": "me", "password": "p"}, want: m{"username": "me", "password": "p"}},
		"LineBreak":     {reason: "echo and editors add one.", url: https, in: m{"username": "me\n", "password": "p\r\n"}, want: m{"username": "me", "password": "p"}},
		"PasswordOnly":  {reason: "Servers do not look at the user name of a token.", url: https, in: m{"password": "p"}, want: m{"username": "git", "password": "p"}},
		"Token":         {reason: "Many people call it so.", url: https, in: m{"token": "p"}, want: m{"username": "git", "password": "p"}},
		"Bearer":        {reason: "For servers that take no password.", url: https, in: m{"bearerToken": "b"}, want: m{"bearerToken": "b"}},
		"PrivateCA":     {reason: "Both names that Flux knows.", url: https, in: m{"password": "p", "username": "me", "caFile": "CA"}, want: m{"username": "me", "password": "p", "ca.crt": "CA"}},
		"OthersDropped": {reason: "What Flux does not need stays here.", url: https, in: m{"password": "p", "note": "n"}, want: m{"username": "git", "password": "p"}},
		"App": {
			reason: "A GitHub App.", url: https, app: true,
			in:   m{"githubAppID": "1", "githubAppInstallationID": "2", "githubAppPrivateKey": appKey},
			want: m{"githubAppID": "1", "githubAppInstallationID": "2", "githubAppPrivateKey": appKey},
		},
		"AppWithoutKey": {
			reason: "It cannot sign.", url: https, in: m{"githubAppID": "1", "githubAppInstallationID": "2"},
			err: "Git credentials in Secret git: a GitHub App needs the key githubAppPrivateKey",
		},
		"AppWithoutInstallation": {
			reason: "It would not know whose token to ask for.", url: https, in: m{"githubAppID": "1", "githubAppPrivateKey": "k"},
			err: "Git credentials in Secret git: a GitHub App needs the key githubAppInstallationID or githubAppInstallationOwner, and not both",
		},
		"ProxyForSSH": {
			reason: "ssh goes through SOCKS only.", url: sshTo, in: m{"identity": plain, "known_hosts": hosts, "proxy": "http://proxy:3128"},
			err: "Git credentials in Secret git: proxy must be a socks5:// address for an ssh:// repository",
		},
		"ProxyIsNoAddress": {
			reason: "It may hold a password.", url: https, in: m{"password": "p", "proxy": "me:SECRET@proxy"},
			err: "Git credentials in Secret git: proxy is not an address like http://proxy:3128 or socks5://proxy:1080",
		},
		"Empty": {
			reason: "Pushing needs some.", url: https,
			err: "Git credentials in Secret git: an https:// repository needs the keys username and password, or bearerToken, or those of a GitHub App",
		},
		"SSHForHTTPS": {
			reason: "The other kind of credentials.", url: https, in: m{"identity": plain, "known_hosts": hosts},
			err: "Git credentials in Secret git: an https:// repository needs the keys username and password, or bearerToken, or those of a GitHub App",
		},
		"PlainHTTP": {
			reason: "Anybody on the way could read them.", url: "http://git.example.com/iac.git", in: m{"username": "me", "password": "p"},
			err: "Git credentials in Secret git: they are not sent over plain http://: use the https:// or ssh:// address of the repository",
		},
		"Anonymous": {reason: "A server in a sandbox.", url: "http://git.example.com/iac.git"},
		"SSH": {
			reason: "Flux's own names.", url: sshTo, in: m{"identity": plain, "known_hosts": hosts},
			want: m{"identity": plain, "known_hosts": hosts},
		},
		"SSHAuth": {
			reason: "The type kubernetes.io/ssh-auth; a line break at the end of a key is needed.", url: sshTo,
			in:   m{"ssh-privatekey": strings.TrimSpace(plain), "known_hosts": hosts + "\n"},
			want: m{"identity": plain, "known_hosts": hosts},
		},
		"Passphrase": {
			reason: "It opens the key.", url: sshTo, in: m{"identity": locked, "known_hosts": hosts, "password": "open"},
			want: m{"identity": locked, "known_hosts": hosts, "password": "open"},
		},
		"ClientCertificate": {
			reason: "All that some servers ask for.", url: https, in: m{"tls.crt": cert, "tls.key": certKey},
			want: m{"tls.crt": strings.TrimSpace(cert), "tls.key": strings.TrimSpace(certKey)},
		},
		"ClientCertificateToo": {
			reason: "Besides a password.", url: https, in: m{"tls.crt": cert, "tls.key": certKey, "username": "me", "password": "p"},
			want: m{"tls.crt": strings.TrimSpace(cert), "tls.key": strings.TrimSpace(certKey), "username": "me", "password": "p"},
		},
		"ClientKeyOfAnother": {
			reason: "Nobody could use them.", url: https, in: m{"tls.crt": cert, "tls.key": otherKey},
			err: "Git credentials in Secret git: tls.crt and tls.key do not fit together: store a certificate and its own key, both as PEM",
		},
		"ClientCertificateIsNone": {
			reason: "A path, for instance; it may be a secret.", url: https, in: m{"tls.crt": cert, "tls.key": "SECRET", "password": "p"},
			err: "Git credentials in Secret git: tls.crt and tls.key do not fit together: store a certificate and its own key, both as PEM",
		},
		"ClientCertificateWithoutKey": {
			reason: "Half of it would be left out without a word.", url: https, in: m{"tls.crt": cert, "password": "p"},
			err: "Git credentials in Secret git: tls.crt and tls.key do not fit together: store a certificate and its own key, both as PEM",
		},
		"ClientKeyOfTheApp": {
			reason: "A GitHub App has the same ones.", url: https,
			in:  m{"githubAppID": "1", "githubAppInstallationID": "2", "githubAppPrivateKey": appKey, "tls.key": certKey},
			err: "Git credentials in Secret git: tls.crt and tls.key do not fit together: store a certificate and its own key, both as PEM",
		},
		"NoPassphrase": {
			reason: "Flux could not open it.", url: sshTo, in: m{"identity": locked, "known_hosts": hosts},
			err: "Git credentials in Secret git: the private key in identity is encrypted: put its passphrase into the key password",
		},
		"NoKnownHosts": {
			reason: "Anybody could answer as the server.", url: sshTo, in: m{"identity": plain},
			err: "Git credentials in Secret git: an ssh:// repository needs the key known_hosts, as ssh-keyscan prints it",
		},
		"NoIdentity": {
			reason: "A password is not for ssh.", url: sshTo, in: m{"password": "p", "known_hosts": hosts},
			err: "Git credentials in Secret git: an ssh:// repository needs the key identity, a private key",
		},
		"NotAKey": {
			reason: "For instance the public half.", url: sshTo, in: m{"identity": "ssh-ed25519 SECRET", "known_hosts": hosts},
			err: "Git credentials in Secret git: identity is not a private key: store the whole file, from -----BEGIN to -----END",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "git"}, Data: map[string][]byte{}}
			for k, v := range tc.in {
				s.Data[k] = []byte(v)
			}
			c, err := FromSecret(s, tc.url)
			got, msg := m{}, ""
			for k, v := range c.Data {
				got[k] = string(v)
			}
			if err != nil {
				msg = err.Error()
				if !fault.Is(err, fault.Refused) {
					t.Errorf("\n%s\nclass: %s", tc.reason, fault.ClassOf(err))
				}
			}
			if diff := cmp.Diff(tc.err, msg); diff != "" {
				t.Fatalf("\n%s\nerror (-want, +got):\n%s", tc.reason, diff)
			}
			want := tc.want
			if want == nil {
				want = m{}
			}
			if diff := cmp.Diff(want, got); err == nil && diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if err == nil && c.GitHubApp != tc.app {
				t.Errorf("\n%s\nGitHubApp: %t", tc.reason, c.GitHubApp)
			}
		})
	}
}
