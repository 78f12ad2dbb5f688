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

package kubeconfig

import (
	"crypto/tls"
	"strings"
	"unicode"

	"k8s.io/client-go/rest"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// setUser takes the credentials.
func (k *Kubeconfig) setUser(u user) error {
	d := u.User
	if err := refuse(u); err != nil {
		return err
	}

	if d.Exec != nil {
		h, err := parseHelper(*d.Exec, u.Name)
		if err != nil {
			return err
		}
		k.Helper = h
	}
	if err := k.setCertificate(u); err != nil {
		return err
	}
	if err := k.setToken(u); err != nil {
		return err
	}
	if k.Helper == nil && d.Token == "" && d.ClientCertificateData == "" {
		return errors.Errorf("user %s has no credentials: add a token or a client certificate", quote(u.Name))
	}

	if d.Impersonate == "" && (d.ImpersonateUID != "" || len(d.ImpersonateGroups) > 0 || len(d.ImpersonateUserExtra) > 0) {
		return errors.Errorf("impersonation lacks the user: as-uid, as-groups and as-user-extra need as (user %s)", quote(u.Name))
	}
	k.config.Impersonate = rest.ImpersonationConfig{
		UserName: d.Impersonate,
		UID:      d.ImpersonateUID,
		Groups:   d.ImpersonateGroups,
		Extra:    d.ImpersonateUserExtra,
	}
	return nil
}

// refuse names what would have to be executed, read from a file, or is no
// longer understood by Kubernetes.
func refuse(u user) error {
	d, name := u.User, quote(u.Name)
	path := func(field string) error {
		return errors.Errorf("%s is a file path, and no file is read: put its content inline (user %s; kubectl config view --flatten does it)", field, name)
	}
	switch {
	case d.AuthProvider != nil:
		return errors.Errorf("auth-provider %s is refused: Kubernetes removed them; use a token or a client certificate (user %s)", quote(d.AuthProvider.Name), name)
	case d.Exec != nil && !isHelper(d.Exec.Command):
		return errors.Errorf("exec command %s is refused, nothing is executed: use a token, a client certificate, or %s or %s (user %s)",
			quote(d.Exec.Command), EKSTokenHelper, GKETokenHelper, name)
	case d.ClientCertificate != "":
		return path("client-certificate")
	case d.ClientKey != "":
		return path("client-key")
	case d.TokenFile != "":
		return path("tokenFile")
	case d.Username != "" || d.Password != "":
		return errors.Errorf("username and password are refused: Kubernetes removed them; use a token or a client certificate (user %s)", name)
	case d.Exec != nil && (d.Token != "" || d.ClientCertificateData != "" || d.ClientKeyData != ""):
		return errors.Errorf("both exec and other credentials are set: keep one of them (user %s)", name)
	default:
		return nil
	}
}

func (k *Kubeconfig) setCertificate(u user) error {
	d := u.User
	switch {
	case d.ClientCertificateData == "" && d.ClientKeyData == "":
		return nil
	case d.ClientKeyData == "":
		return errors.Errorf("client-key-data is missing beside client-certificate-data (user %s)", quote(u.Name))
	case d.ClientCertificateData == "":
		return errors.Errorf("client-certificate-data is missing beside client-key-data (user %s)", quote(u.Name))
	}

	cert, err := decode(d.ClientCertificateData, "client-certificate-data")
	if err != nil {
		return err
	}
	key, err := decode(d.ClientKeyData, "client-key-data")
	if err != nil {
		return err
	}
	expires, err := certificateExpiry(cert)
	if err != nil {
		return errors.Errorf("client-certificate-data holds no PEM certificate (user %s)", quote(u.Name))
	}
	if strings.Contains(string(key), "ENCRYPTED") {
		return errors.Errorf("client-key-data is encrypted with a passphrase: store the plain key (user %s)", quote(u.Name))
	}
	if _, err := tls.X509KeyPair(cert, key); err != nil {
		return errors.Errorf("client certificate and key do not belong together, or the key is no PEM key (user %s)", quote(u.Name))
	}
	k.config.CertData = cert
	k.config.KeyData = key
	k.expire(expires)
	return nil
}

func (k *Kubeconfig) setToken(u user) error {
	if u.User.Token == "" {
		return nil
	}
	token := strings.TrimSpace(u.User.Token)
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		return errors.Errorf("token has a space or line break in it: store it again on one line (user %s)", quote(u.Name))
	}
	k.config.BearerToken = token
	if e, ok := tokenExpiry(token); ok {
		k.expire(e)
	}
	return nil
}

// expire keeps the earliest end of the credentials.
func (k *Kubeconfig) expire(e Expiry) {
	if k.Expires == nil || e.At.Before(k.Expires.At) {
		k.Expires = &e
	}
}
