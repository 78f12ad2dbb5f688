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
	"crypto/tls"
	"slices"
	"strings"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// KeyPair is the client certificate in tls.crt and tls.key. The error says what
// is wrong with them, and nothing of what they hold.
func KeyPair(cert, key []byte) (tls.Certificate, error) {
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return pair, fault.New(fault.Refused, "tls.crt and tls.key do not fit together: store a certificate and its own key, both as PEM")
	}

	return pair, nil
}

// alerts are what a server says in TLS that does not take a client certificate,
// or misses one: the names that crypto/tls has for these alerts.
var alerts = []string{
	"bad certificate", "unsupported certificate", "revoked certificate", "expired certificate", "unknown certificate",
	"unknown certificate authority", "access denied", "error decrypting message", "certificate required",
}

// NotTaken tells whether an error is a server's answer to a client certificate,
// or to none. It comes as text only.
func NotTaken(err error) bool {
	_, alert, ok := strings.Cut(err.Error(), "remote error: tls: ")

	return ok && slices.ContainsFunc(alerts, func(a string) bool { return strings.HasPrefix(alert, a) })
}
