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

package testing

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// certLife is how long certificates are good for; they begin an hour ago, for clocks that are behind.
const certLife = 7 * 24 * time.Hour

const (
	certBlock = "CERTIFICATE"
	keyBlock  = "PRIVATE KEY"
)

// authority is a certificate authority that signs for one control plane.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte // the certificate
}

// pair is a certificate and its key, in PEM.
type pair struct{ cert, key []byte }

// newAuthority makes an authority and writes it to dir as ca.crt and ca.key.
func newAuthority(dir string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, errors.Wrap(err, "cannot make CA key")
	}
	tmpl, err := template(pkix.Name{CommonName: "kubeopera-test-ca"})
	if err != nil {
		return nil, err
	}
	tmpl.IsCA, tmpl.BasicConstraintsValid = true, true
	tmpl.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, key.Public(), key)
	if err != nil {
		return nil, errors.Wrap(err, "cannot make CA certificate")
	}
	p, err := encode(der, key)
	if err != nil {
		return nil, err
	}
	if err := p.write(dir, "ca"); err != nil {
		return nil, err
	}
	return loadAuthority(dir)
}

// loadAuthority reads an authority that newAuthority wrote.
func loadAuthority(dir string) (*authority, error) {
	certPEM, err := os.ReadFile(filepath.Join(dir, "ca.crt")) //nolint:gosec // A directory of ours.
	if err != nil {
		return nil, errors.Wrap(err, "cannot read CA certificate")
	}
	keyPEM, err := os.ReadFile(filepath.Join(dir, "ca.key")) //nolint:gosec // A directory of ours.
	if err != nil {
		return nil, errors.Wrap(err, "cannot read CA key")
	}
	c, _ := pem.Decode(certPEM)
	k, _ := pem.Decode(keyPEM)
	if c == nil || k == nil {
		return nil, errors.Errorf("cannot read CA in %s: not PEM", dir)
	}
	cert, err := x509.ParseCertificate(c.Bytes)
	if err != nil {
		return nil, errors.Wrap(err, "cannot parse CA certificate")
	}
	key, err := x509.ParsePKCS8PrivateKey(k.Bytes)
	if err != nil {
		return nil, errors.Wrap(err, "cannot parse CA key")
	}
	ec, ok := key.(*ecdsa.PrivateKey)
	if !ok {
		return nil, errors.Errorf("cannot use CA key in %s: not an ECDSA key", dir)
	}
	return &authority{cert: cert, key: ec, pem: certPEM}, nil
}

// client signs a client certificate: Kubernetes takes the common name as user and the organisations as groups.
func (a *authority) client(user string, groups ...string) (pair, error) {
	tmpl, err := template(pkix.Name{CommonName: user, Organization: groups})
	if err != nil {
		return pair{}, err
	}
	tmpl.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.sign(tmpl)
}

// server signs a serving certificate for loopback.
func (a *authority) server(name string) (pair, error) {
	tmpl, err := template(pkix.Name{CommonName: name})
	if err != nil {
		return pair{}, err
	}
	tmpl.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	tmpl.DNSNames = []string{"localhost", "kubernetes.default.svc"}
	tmpl.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	return a.sign(tmpl)
}

func (a *authority) sign(tmpl *x509.Certificate) (pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return pair{}, errors.Wrap(err, "cannot make key")
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, a.cert, key.Public(), a.key)
	if err != nil {
		return pair{}, errors.Wrap(err, "cannot sign certificate")
	}
	return encode(der, key)
}

func template(subject pkix.Name) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, errors.Wrap(err, "cannot make serial number")
	}
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(certLife),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}, nil
}

func encode(der []byte, key *ecdsa.PrivateKey) (pair, error) {
	k, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return pair{}, errors.Wrap(err, "cannot encode key")
	}
	return pair{
		cert: pem.EncodeToMemory(&pem.Block{Type: certBlock, Bytes: der}),
		key:  pem.EncodeToMemory(&pem.Block{Type: keyBlock, Bytes: k}),
	}, nil
}

// write stores the pair as <name>.crt and <name>.key.
func (p pair) write(dir, name string) error {
	if err := os.WriteFile(filepath.Join(dir, name+".crt"), p.cert, 0o600); err != nil {
		return errors.Wrapf(err, "cannot write certificate of %s", name)
	}
	return errors.Wrapf(os.WriteFile(filepath.Join(dir, name+".key"), p.key, 0o600), "cannot write key of %s", name)
}
