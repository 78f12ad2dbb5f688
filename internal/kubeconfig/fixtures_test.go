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
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"
)

// now is the time of all tests here.
var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// pair makes a self-signed certificate and its key, both as base64 of PEM.
func pair(tb testing.TB, notAfter time.Time) (cert, key string) {
	tb.Helper()
	priv, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "admin"},
		NotBefore:    notAfter.Add(-time.Hour),
		NotAfter:     notAfter,
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, priv.Public(), priv)
	if err != nil {
		tb.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(priv)
	if err != nil {
		tb.Fatal(err)
	}
	return encode("CERTIFICATE", der), encode("EC PRIVATE KEY", keyDER)
}

func encode(kind string, der []byte) string {
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// jwt makes a token that expires at a time. Its signature is of no interest.
func jwt(expires time.Time) string {
	payload := fmt.Sprintf(`{"sub":"system:serviceaccount:a:b","exp":%d}`, expires.Unix())
	return "eyJhbGciOiJub25lIn0." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + ".c2lnbmF0dXJl"
}

// with writes a kubeconfig of one context. The parts are the lines below
// cluster and below user.
func with(clusterLines, userLines string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: main
contexts:
- name: main
  context: {cluster: prod, user: admin}
clusters:
- name: prod
  cluster:
%s
users:
- name: admin
  user:
%s
`, indent(clusterLines), indent(userLines))
}

func indent(lines string) string {
	return "    " + strings.ReplaceAll(lines, "\n", "\n    ")
}

const server = "server: https://api.example.com:6443"
