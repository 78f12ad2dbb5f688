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

package gittest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The GitHub App that the stand-in knows, and where it is installed.
const (
	AppID        = "4711"
	Installation = "42"
	Owner        = "acme"
)

// GitHub stands in for GitHub's API at the wire: the part of it that makes
// tokens for GitHub Apps. It checks the signature of each request as GitHub
// does. Nothing else of GitHub is there; the repository is on a Git server that
// takes these tokens.
type GitHub struct {
	// Token that it gives out.
	Token string

	// Status to answer with instead, if it is not 0.
	Status atomic.Int32

	// WantsCertificate has it ask for a client certificate.
	WantsCertificate atomic.Bool

	// Tokens counts those that were given out.
	Tokens atomic.Int32

	key    *rsa.PrivateKey
	server *httptest.Server
	cert   []byte
}

// ServeGitHub starts a stand-in with a certificate of its own.
func ServeGitHub(tb testing.TB) *GitHub {
	tb.Helper()

	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		tb.Fatal(err)
	}

	g := &GitHub{Token: "ghs_s3cret-of-the-installation", key: key}

	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v3/app/installations/"+Installation+"/access_tokens", g.token)
	mux.HandleFunc("GET /api/v3/users/"+Owner+"/installation", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"id":%s}`, Installation)
	})

	g.server = httptest.NewUnstartedServer(g.guard(mux))

	cert, certKey := Certificate(tb)
	g.cert = cert

	pair, err := tls.X509KeyPair(cert, certKey)
	if err != nil {
		tb.Fatal(err)
	}

	g.server.Listener = patient{g.server.Listener}
	g.server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	strict := g.server.TLS.Clone()
	strict.ClientAuth = tls.RequireAnyClientCert
	g.server.TLS.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		if g.WantsCertificate.Load() {
			return strict, nil
		}

		return nil, nil //nolint:nilnil // The usual one.
	}
	g.server.StartTLS()
	tb.Cleanup(g.server.Close)

	return g
}

// Credentials of the App, in Flux's key names.
func (g *GitHub) Credentials() map[string][]byte {
	return map[string][]byte{
		"githubAppID":             []byte(AppID),
		"githubAppInstallationID": []byte(Installation),
		"githubAppPrivateKey":     pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(g.key)}),
		"githubAppBaseURL":        []byte(g.server.URL + "/api/v3"),
		"ca.crt":                  g.cert,
	}
}

// guard answers only those who are the App.
func (g *GitHub) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := int(g.Status.Load())
		if status == 0 && !g.signed(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")) {
			status = http.StatusUnauthorized
		}

		if status != 0 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `{"message":%q}`, http.StatusText(status))

			return
		}

		next.ServeHTTP(w, r)
	})
}

// signed tells whether a JWT is from the App, and of now.
func (g *GitHub) signed(jwt string) bool {
	signed, signature, ok := cut(jwt)
	if !ok {
		return false
	}

	sum := sha256.Sum256([]byte(signed))
	if rsa.VerifyPKCS1v15(&g.key.PublicKey, crypto.SHA256, sum[:], signature) != nil {
		return false
	}

	_, payload, _ := strings.Cut(signed, ".")
	claims := struct {
		Issuer  string `json:"iss"`
		Expires int64  `json:"exp"`
	}{}
	b, err := base64.RawURLEncoding.DecodeString(payload)

	return err == nil && json.Unmarshal(b, &claims) == nil && claims.Issuer == AppID &&
		time.Until(time.Unix(claims.Expires, 0)) > 0 && time.Until(time.Unix(claims.Expires, 0)) < 10*time.Minute
}

// cut a JWT into what is signed, and the signature.
func cut(jwt string) (string, []byte, bool) {
	i := strings.LastIndex(jwt, ".")
	if i < 0 {
		return "", nil, false
	}

	sig, err := base64.RawURLEncoding.DecodeString(jwt[i+1:])

	return jwt[:i], sig, err == nil
}

func (g *GitHub) token(w http.ResponseWriter, _ *http.Request) {
	g.Tokens.Add(1)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_, _ = fmt.Fprintf(w, `{"token":%q,"expires_at":%q}`, g.Token, time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
}
