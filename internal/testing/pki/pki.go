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

// Package pki is a certificate authority in a directory, for control planes and sandboxes.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
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
	// validity of all certificates, which begin an hour ago for clocks that are behind. Nothing here lives that long.
	validity = 365 * 24 * time.Hour

	certBlock   = "CERTIFICATE"
	keyBlock    = "PRIVATE KEY"
	publicBlock = "PUBLIC KEY"
)

// Authority signs certificates. Each is a file <name>.crt in its directory, with <name>.key beside it.
type Authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// Pair is a certificate and its key, in PEM.
type Pair struct{ Cert, Key []byte }

// Identity is the subject of a certificate.
type Identity struct {
	// File is what its files are called.
	File string
	// Name and Groups are what Kubernetes takes for user and groups.
	Name   string
	Groups []string
	// Hosts are names and addresses of a server; a client has none.
	Hosts []string
}

// New makes an authority.
func New(dir string) (*Authority, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, errors.Wrap(err, "cannot make the directory of certificates")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a key")
	}
	now := time.Now()
	a := &Authority{dir: dir, key: key, cert: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kubeopera-test-ca"},
		IsCA: true, BasicConstraintsValid: true,
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(validity),
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}}
	p, err := a.sign(a.cert, key)
	if err != nil {
		return nil, err
	}
	if err := a.write(CA, p); err != nil {
		return nil, err
	}
	return Load(dir)
}

// Load reads an authority that New made.
func Load(dir string) (*Authority, error) {
	p, err := tls.LoadX509KeyPair(filepath.Join(dir, CA+".crt"), filepath.Join(dir, CA+".key"))
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read the authority in %s", dir)
	}
	key, ok := p.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		return nil, errors.Errorf("cannot use the authority's key in %s: not an ECDSA key", dir)
	}
	return &Authority{dir: dir, cert: p.Leaf, key: key}, nil
}

// Certificate of the authority itself, in PEM.
func (a *Authority) Certificate() []byte { return encode(certBlock, a.cert.Raw) }

// Sign makes a key and a certificate for a client or a server.
func (a *Authority) Sign(id Identity) (Pair, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return Pair{}, errors.Wrap(err, "cannot make a serial number")
	}
	cert := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: id.Name, Organization: id.Groups},
		NotBefore: a.cert.NotBefore, NotAfter: a.cert.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	for _, host := range id.Hosts {
		cert.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		if ip := net.ParseIP(host); ip != nil {
			cert.IPAddresses = append(cert.IPAddresses, ip)
			continue
		}
		cert.DNSNames = append(cert.DNSNames, host)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, errors.Wrap(err, "cannot make a key")
	}
	return a.sign(cert, key)
}

// Issue signs a certificate and keeps it, with its key, in the authority's directory.
func (a *Authority) Issue(id Identity) error {
	p, err := a.Sign(id)
	if err != nil {
		return err
	}
	return a.write(id.File, p)
}

// KeyPair makes a key that signs something else than certificates: <name>.key and <name>.pub.
func (a *Authority) KeyPair(name string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return errors.Wrap(err, "cannot make a key")
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return errors.Wrap(err, "cannot encode a key")
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return errors.Wrap(err, "cannot encode a public key")
	}
	if err := a.store(name+".key", encode(keyBlock, private)); err != nil {
		return err
	}
	return a.store(name+".pub", encode(publicBlock, public))
}

// File returns the path of one of the authority's files.
func (a *Authority) File(name string) string { return filepath.Join(a.dir, name) }

// Read returns the content of one of the authority's files.
func (a *Authority) Read(name string) ([]byte, error) {
	content, err := os.ReadFile(a.File(name))
	return content, errors.Wrapf(err, "cannot read %s", name)
}

// sign a certificate for a key.
func (a *Authority) sign(cert *x509.Certificate, key *ecdsa.PrivateKey) (Pair, error) {
	der, err := x509.CreateCertificate(rand.Reader, cert, a.cert, key.Public(), a.key)
	if err != nil {
		return Pair{}, errors.Wrap(err, "cannot sign a certificate")
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Pair{}, errors.Wrap(err, "cannot encode a key")
	}
	return Pair{Cert: encode(certBlock, der), Key: encode(keyBlock, private)}, nil
}

func (a *Authority) write(name string, p Pair) error {
	if err := a.store(name+".crt", p.Cert); err != nil {
		return err
	}
	return a.store(name+".key", p.Key)
}

func (a *Authority) store(file string, content []byte) error {
	return errors.Wrapf(os.WriteFile(a.File(file), content, 0o600), "cannot write %s", file)
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
