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
	"fmt"
	"strings"
	"time"
)

// A Key is an access key of a user in an account.
type Key struct {
	ID, Secret string
	// Account has 12 digits.
	Account string
	// User is the name of the key's user.
	User string
}

// ARN of the key's user.
func (k Key) ARN() string { return "arn:aws:iam::" + k.Account + ":user/" + k.User }

// File is the key in the form of a shared credentials file.
func (k Key) File() string {
	return fmt.Sprintf("[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n", k.ID, k.Secret)
}

// Keys that tests use. They open nothing anywhere else.
var (
	// DefaultKey is accepted if no other key is named.
	DefaultKey = Key{ID: "AKIALOCALCLOUD000001", Secret: "local-cloud-secret-of-the-first-account", Account: "111111111111", User: "kubeopera"}
	// OtherKey belongs to another account.
	OtherKey = Key{ID: "AKIALOCALCLOUD000002", Secret: "local-cloud-secret-of-the-other-account", Account: "222222222222", User: "somebody"}
)

// A Role that can be assumed with any key.
type Role struct {
	ARN string
	// ExternalID that has to be given, if set.
	ExternalID string
}

func (r Role) account() string {
	parts := strings.Split(r.ARN, ":")
	if len(parts) < 6 {
		return ""
	}
	return parts[4]
}

// name of the role, without its path.
func (r Role) name() string { return r.ARN[strings.LastIndex(r.ARN, "/")+1:] }

// session is what AssumeRole gives out.
type session struct {
	key     Key
	token   string
	arn     string
	expires time.Time
}

// identity is the caller of a request.
type identity struct {
	account string
	arn     string
	region  string
}

// lookup returns the secret and the identity behind an access key.
func (c *Cloud) lookup(accessKey, token string) (Key, string, *Error) {
	for _, k := range c.options.Keys {
		if k.ID == accessKey {
			return k, k.ARN(), nil
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.sessions[accessKey]
	switch {
	case !ok || s.token != token:
		return Key{}, "", fail(403, "InvalidClientTokenId", "The security token included in the request is invalid.")
	case c.options.Clock.Now().After(s.expires):
		return Key{}, "", fail(403, "ExpiredToken", "The security token included in the request is expired")
	}
	return s.key, s.arn, nil
}

// EndSessions lets all sessions of assumed roles expire at once.
func (c *Cloud) EndSessions() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, s := range c.sessions {
		s.expires = time.Time{}
		c.sessions[id] = s
	}
}
