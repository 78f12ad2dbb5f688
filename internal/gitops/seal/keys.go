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

// Package seal makes Secrets into SealedSecrets that only one cluster can open.
package seal

import (
	"cmp"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/cert"
)

// KeyLabel marks the Secrets that hold the keys of a controller of Sealed
// Secrets; ActiveKey is the value of those that it may use.
const (
	KeyLabel  = "sealedsecrets.bitnami.com/sealed-secrets-key"
	ActiveKey = "active"
)

// A Key is the public half of a key that a controller can open secrets with.
type Key struct {
	// Fingerprint of the certificate: the SHA-256 of it in hexadecimal.
	Fingerprint string

	public    *rsa.PublicKey
	notBefore time.Time
	notAfter  time.Time
}

// Keys reads the certificates in the Secrets of a controller, the newest
// first. What is not a key is left out: the controller leaves it out, too.
func Keys(secrets []corev1.Secret) []Key {
	out := []Key{}

	for _, s := range secrets {
		certs, err := cert.ParseCertsPEM(s.Data[corev1.TLSCertKey])
		if err != nil || s.Labels[KeyLabel] != ActiveKey {
			continue
		}

		public, ok := certs[0].PublicKey.(*rsa.PublicKey)
		if !ok {
			continue
		}

		sum := sha256.Sum256(certs[0].Raw)
		out = append(out, Key{
			Fingerprint: hex.EncodeToString(sum[:]),
			public:      public,
			notBefore:   certs[0].NotBefore,
			notAfter:    certs[0].NotAfter,
		})
	}

	slices.SortFunc(out, func(a, b Key) int {
		return cmp.Or(b.notBefore.Compare(a.notBefore), cmp.Compare(a.Fingerprint, b.Fingerprint))
	})

	return out
}

// Newest key to seal with: one that has expired opens secrets still, but is
// not for new ones.
func Newest(keys []Key, now time.Time) (Key, bool) {
	for _, k := range keys {
		if now.Before(k.notAfter) && !now.Before(k.notBefore.Add(-skew)) {
			return k, true
		}
	}

	return Key{}, false
}

// skew between two clocks that is no reason to mistrust a key.
const skew = time.Hour
