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

// Package pki is a certificate authority in a directory, for what runs in a sandbox.
package pki

import (
	"crypto"
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

const (
	// CA is the name of the authority's own certificate and key.
	CA = "ca"
	// validity of all certificates: a sandbox never lives that long.
	validity = 365 * 24 * time.Hour
)

// Authority signs certificates. Each is a file <name>.crt in its directory, with <name>.key beside it.
type Authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// Identity is the subject of a certificate.
type Identity struct {
	// File is what its files are called.
	File string
	// Name and Group are what Kubernetes takes for user and group.
	Name, Group string
	// Hosts are names and addresses of a server; a client has none.
	Hosts []string
}

// New makes an authority.
func New(dir string) (*Authority, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, errors.Wrap(err, "cannot make the directory of certificates")
	}
	now := time.Now()
	a := &Authority{dir: dir, cert: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "sandbox"},
		IsCA: true, BasicConstraintsValid: true,
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(validity),
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}}
	var err error
	if a.key, err = a.newKey(CA); err != nil {
		return nil, err
	}
	err = a.sign(CA, a.cert, a.key.Public())
	return a, err
}

// Issue makes a key and a certificate for a client or a server.
func (a *Authority) Issue(id Identity) error {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return errors.Wrap(err, "cannot make a serial number")
	}
	cert := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: id.Name},
		NotBefore: a.cert.NotBefore, NotAfter: a.cert.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if id.Group != "" {
		cert.Subject.Organization = []string{id.Group}
	}
	for _, host := range id.Hosts {
		cert.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		if ip := net.ParseIP(host); ip != nil {
			cert.IPAddresses = append(cert.IPAddresses, ip)
			continue
		}
		cert.DNSNames = append(cert.DNSNames, host)
	}
	key, err := a.newKey(id.File)
	if err != nil {
		return err
	}
	return a.sign(id.File, cert, key.Public())
}

// KeyPair makes a key that signs something else than certificates: <name>.key and <name>.pub.
func (a *Authority) KeyPair(name string) error {
	key, err := a.newKey(name)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return errors.Wrap(err, "cannot encode a public key")
	}
	return a.write(name+".pub", "PUBLIC KEY", der)
}

// File returns the path of one of the authority's files.
func (a *Authority) File(name string) string { return filepath.Join(a.dir, name) }

// Read returns the content of one of the authority's files.
func (a *Authority) Read(name string) ([]byte, error) {
	content, err := os.ReadFile(a.File(name))
	return content, errors.Wrapf(err, "cannot read %s", name)
}

func (a *Authority) newKey(name string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a key")
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, errors.Wrap(err, "cannot encode a key")
	}
	return key, a.write(name+".key", "EC PRIVATE KEY", der)
}

func (a *Authority) sign(name string, cert *x509.Certificate, public crypto.PublicKey) error {
	der, err := x509.CreateCertificate(rand.Reader, cert, a.cert, public, a.key)
	if err != nil {
		return errors.Wrapf(err, "cannot sign the certificate of %s", name)
	}
	return a.write(name+".crt", "CERTIFICATE", der)
}

func (a *Authority) write(file, kind string, der []byte) error {
	content := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	return errors.Wrapf(os.WriteFile(a.File(file), content, 0o600), "cannot write %s", file)
}
