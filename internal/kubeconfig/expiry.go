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
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// certificateExpiry returns when the first, the leaf, of PEM certificates ends.
func certificateExpiry(data []byte) (Expiry, error) {
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return Expiry{}, errors.Wrap(err, "cannot parse certificate")
		}
		return Expiry{Of: "client certificate", From: cert.NotBefore, At: cert.NotAfter}, nil
	}
	return Expiry{}, errors.New("no certificate")
}

// latest is the last second that a time in JSON can have (RFC 3339 ends with
// the year 9999).
const latest = 253402300799

// tokenExpiry returns when a token ends, if it is a JWT that says so. The
// signature is not looked at: the API server does that.
func tokenExpiry(token string) (Expiry, bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return Expiry{}, false
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return Expiry{}, false
	}
	claims := struct {
		// Numbers, which RFC 7519 allows to have a fraction.
		IssuedAt float64 `json:"iat"`
		Expires  float64 `json:"exp"`
	}{}
	if err := json.Unmarshal(payload, &claims); err != nil || claims.Expires <= 0 || claims.Expires > latest {
		return Expiry{}, false
	}
	e := Expiry{Of: "token", At: time.Unix(int64(claims.Expires), 0).UTC()}
	if claims.IssuedAt > 0 && claims.IssuedAt <= claims.Expires {
		e.From = time.Unix(int64(claims.IssuedAt), 0).UTC()
	}
	return e, true
}
