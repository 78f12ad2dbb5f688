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

package cloudtest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// tokenPath is where access tokens are given out for signed assertions.
const tokenPath = "/token"

// newGoogleKey makes the key of all service accounts.
func newGoogleKey() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // The system has no randomness: nothing works.
	}
	return k
}

// GCPKey is the JSON key of a service account in a project, for the cloud at a URL.
func (c *Cloud) GCPKey(at, project string) []byte {
	der, err := x509.MarshalPKCS8PrivateKey(c.google())
	if err != nil {
		panic(err) // An RSA key can always be marshalled.
	}
	data, err := json.Marshal(map[string]string{
		"type":           "service_account",
		"project_id":     project,
		"private_key_id": "local",
		"private_key":    string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		"client_email":   "kubeopera@" + project + ".iam.gserviceaccount.com",
		"client_id":      "1",
		"token_uri":      at + tokenPath,
	})
	if err != nil {
		panic(err) // Strings can always be marshalled.
	}
	return data
}

// GCPKey is the JSON key of a service account in a project of this cloud.
func (s *Server) GCPKey(project string) []byte { return s.Cloud.GCPKey(s.URL, project) }

// isGoogle tells whether a request is for Google Cloud.
func isGoogle(r *http.Request) bool {
	for _, p := range []string{"/storage/v1/", "/upload/storage/v1/", "/download/storage/v1/", computeRoot, "/projects/"} {
		if strings.HasPrefix(r.URL.Path, p) {
			return true
		}
	}
	_, signed := signatureOf(r)
	return r.URL.Path == tokenPath || strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") ||
		(!signed && r.Method == http.MethodGet && r.Header.Get("X-Goog-Api-Client") != "")
}

func (c *Cloud) serveGoogle(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == tokenPath {
		if err := c.begin(Call{"oauth2", "token"}); err != nil {
			writeJSON(w, err.Status, map[string]string{"error": err.Code, "error_description": err.Message})
			return
		}
		c.serveToken(w, r)
		return
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && !c.knows(token) {
		writeError(w, r, serviceStorage, fail(401, "authError", "Invalid Credentials"))
		return
	}
	if strings.HasPrefix(r.URL.Path, computeRoot) {
		c.serveCompute(w, r)
		return
	}
	c.serveStorage(w, r)
}

// knows tells whether an access token is valid.
func (c *Cloud) knows(token string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.options.Clock.Now().Before(c.tokens[token])
}

// serveToken gives an access token for an assertion that is signed with our key.
func (c *Cloud) serveToken(w http.ResponseWriter, r *http.Request) {
	body, err := peek(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	form, err := url.ParseQuery(string(body))
	if err != nil || !c.signedByUs(form.Get("assertion")) {
		writeJSON(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant", "error_description": "Invalid JWT Signature."})
		return
	}
	token := "ya29." + rand.Text()
	c.mu.Lock()
	c.tokens[token] = c.options.Clock.Now().Add(time.Hour)
	c.mu.Unlock()
	writeJSON(w, http.StatusOK, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600})
}

// signedByUs verifies a JSON web token.
func (c *Cloud) signedByUs(jwt string) bool {
	i := strings.LastIndex(jwt, ".")
	if i < 0 {
		return false
	}
	sig, err := base64.RawURLEncoding.DecodeString(jwt[i+1:])
	if err != nil {
		return false
	}
	sum := sha256.Sum256([]byte(jwt[:i]))
	return rsa.VerifyPKCS1v15(&c.google().PublicKey, crypto.SHA256, sum[:], sig) == nil
}
