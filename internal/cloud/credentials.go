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

package cloud

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/aws/assume"
)

// Credentials of a cloud account, as a ProviderConfig says. They are never
// printed: String is what they may be called by.
type Credentials struct {
	// Type of the credentials.
	Type v1alpha1.CredentialType
	// Source of the credentials.
	Source v1alpha1.CredentialsSource
	// From says where they come from, for messages: a Secret and its key.
	From string
	// Role to assume, on AWS, if any.
	Role *assume.Role
	// Project on GCP.
	Project string

	key accessKey
	// account is a GCP service account's JSON key.
	account []byte
}

// accessKey is an AWS access key.
type accessKey struct{ ID, Secret string }

// String names the credentials without telling them.
func (c *Credentials) String() string { return c.From }

// GoString is String, so that no verb of fmt prints a secret.
func (c *Credentials) GoString() string { return c.From }

// Injected tells whether the identity is the one that the cloud gives to the pod.
func (c *Credentials) Injected() bool { return c.Source == v1alpha1.CredentialsInjectedIdentity }

// None tells whether there are no credentials at all.
func (c *Credentials) None() bool { return c.Source == v1alpha1.CredentialsNone }

// AWS tells whether the credentials are of an AWS account.
func (c *Credentials) AWS() bool { return c.Type != v1alpha1.CredentialGCPServiceAccount }

// Digest tells credentials apart without telling what they are.
func (c *Credentials) Digest() string {
	h := sha256.New()
	role := assume.Role{}
	if c.Role != nil {
		role = *c.Role
	}
	for _, s := range []string{string(c.Type), string(c.Source), c.key.ID, c.key.Secret, role.ARN, role.ExternalID, role.Session, c.Project, string(c.account)} {
		sum := sha256.Sum256([]byte(s))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// minRedacted is the least length of a text that is worth hiding: shorter ones
// are no secret and would blot out half of a log.
const minRedacted = 16

// Secrets are the texts that must not be seen anywhere, longest first: the keys
// as they are, and as they look inside of JSON and line by line.
func (c *Credentials) Secrets() []string {
	out := []string{c.key.Secret, c.key.ID}
	if len(c.account) > 0 {
		k := serviceAccount{}
		if json.Unmarshal(c.account, &k) == nil {
			escaped := strings.ReplaceAll(k.PrivateKey, "\n", `\n`)
			out = append(out, k.PrivateKey, escaped, k.PrivateKeyID)
			for l := range strings.SplitSeq(k.PrivateKey, "\n") {
				if !strings.HasPrefix(l, "-----") {
					out = append(out, l)
				}
			}
		}
	}
	out = slices.DeleteFunc(out, func(s string) bool { return len(s) < minRedacted })
	slices.SortFunc(out, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(out)
}
