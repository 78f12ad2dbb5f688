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

package admin

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Cost of a new hash: the OWASP Password Storage Cheat Sheet's first choice for a server that must not fall over when
// many people sign in at once (19 MiB, two passes, one lane; about 20 ms). Salt and tag have the sizes of RFC 9106,
// section 3.1 and 4. A hash carries its own cost, so raising these leaves older ones valid.
const (
	memoryKiB = 19 * 1024
	passes    = 2
	lanes     = 1
	saltBytes = 16
	tagBytes  = 32
)

// Limits of a hash that we verify. Whoever can write a record could otherwise make us spend any amount of memory and
// time. The upper ones leave room for RFC 9106's second recommendation (64 MiB, three passes, four lanes).
const (
	maxHash      = 512 // characters
	maxMemoryKiB = 128 * 1024
	maxPasses    = 8
	maxLanes     = 8
	minSalt      = 8 // bytes, RFC 9106
	maxSalt      = 64
	minTag       = 16
	maxTag       = 64
)

// maxPassword bounds a password, in bytes: hashing a longer one is work that a stranger gets for nothing.
const maxPassword = 1024

// prefix of the PHC strings that we make and take: Argon2id, version 1.3 (0x13).
const prefix = "$argon2id$v=19$"

// b64 is the encoding of PHC strings. It is strict, so that one hash has one spelling.
var b64 = base64.RawStdEncoding.Strict()

// parsed is a PHC string taken apart.
type parsed struct {
	memory uint32 // KiB
	passes uint32
	lanes  uint8
	salt   []byte
	tag    []byte
}

// GeneratePassword returns a password of 26 upper-case letters and digits that holds at least 128 bits of randomness.
// Its alphabet (RFC 4648 base32) has no 0, 1, 8 or 9, so nothing is mistaken for O, I or B.
func GeneratePassword() string { return rand.Text() }

// Hash returns the PHC string of the password's Argon2id hash, with a fresh salt.
func Hash(password string) (string, error) {
	if password == "" || len(password) > maxPassword {
		return "", errors.Errorf("cannot hash password: it must have 1 to %d bytes", maxPassword)
	}
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // It never fails: crypto/rand ends the program instead.
	p := parsed{memory: memoryKiB, passes: passes, lanes: lanes, salt: salt}
	p.tag = p.derive(password, tagBytes)
	return p.String(), nil
}

// Verify tells whether the password is the one that was hashed. The comparison takes the same time wherever they
// differ. A hash of another kind, or one that would cost more than our limits allow, is an error.
func Verify(hash, password string) (bool, error) {
	p, err := parse(hash)
	if err != nil {
		return false, err
	}
	if len(password) > maxPassword {
		return false, nil
	}
	return subtle.ConstantTimeCompare(p.tag, p.derive(password, len(p.tag))) == 1, nil
}

// derive computes a tag of n bytes.
func (p parsed) derive(password string, n int) []byte {
	return argon2.IDKey([]byte(password), p.salt, p.passes, p.memory, p.lanes, uint32(n)) //nolint:gosec // n is at most maxTag.
}

// String returns the PHC string.
func (p parsed) String() string {
	return fmt.Sprintf("%sm=%d,t=%d,p=%d$%s$%s", prefix, p.memory, p.passes, p.lanes, b64.EncodeToString(p.salt), b64.EncodeToString(p.tag))
}

// parse takes a PHC string apart and holds it against the limits. Its errors never repeat the input.
func parse(hash string) (parsed, error) {
	if len(hash) > maxHash {
		return parsed{}, errors.Errorf("cannot read password hash: it is longer than %d characters", maxHash)
	}
	rest, ok := strings.CutPrefix(hash, prefix)
	if !ok {
		return parsed{}, errors.Errorf("cannot read password hash: it does not begin with %s", prefix)
	}
	parts := strings.Split(rest, "$")
	if len(parts) != 3 {
		return parsed{}, errors.New("cannot read password hash: it needs parameters, salt and tag")
	}
	p, err := parseCost(parts[0])
	if err != nil {
		return parsed{}, err
	}
	if p.salt, err = decode(parts[1], "salt", minSalt, maxSalt); err != nil {
		return parsed{}, err
	}
	p.tag, err = decode(parts[2], "tag", minTag, maxTag)
	return p, err
}

// parseCost reads m=…,t=…,p=… in this order, the only one that the PHC string format allows.
func parseCost(s string) (parsed, error) {
	params := strings.Split(s, ",")
	limits := []struct {
		key      string
		min, max uint32
	}{{"m=", 8, maxMemoryKiB}, {"t=", 1, maxPasses}, {"p=", 1, maxLanes}}
	if len(params) != len(limits) {
		return parsed{}, errors.New("cannot read password hash: its parameters must be m, t and p")
	}
	var v [3]uint32
	for i, l := range limits {
		digits, ok := strings.CutPrefix(params[i], l.key)
		n, err := strconv.ParseUint(digits, 10, 32)
		if !ok || err != nil || strconv.FormatUint(n, 10) != digits {
			return parsed{}, errors.Errorf("cannot read password hash: parameter %d must be %s and a number", i+1, l.key)
		}
		v[i] = uint32(n)
		if v[i] < l.min || v[i] > l.max {
			return parsed{}, errors.Errorf("cannot take password hash: %s must be from %d to %d", l.key, l.min, l.max)
		}
	}
	if v[0] < 8*v[2] {
		return parsed{}, errors.New("cannot take password hash: m must be at least eight times p") // RFC 9106, section 3.1.
	}
	return parsed{memory: v[0], passes: v[1], lanes: uint8(v[2])}, nil //nolint:gosec // Not above maxLanes.
}

func decode(s, what string, shortest, longest int) ([]byte, error) {
	b, err := b64.DecodeString(s)
	if err != nil || strings.ContainsAny(s, "\r\n") { // The decoder skips line ends.
		return nil, errors.Errorf("cannot read password hash: its %s is not unpadded base64", what)
	}
	if len(b) < shortest || len(b) > longest {
		return nil, errors.Errorf("cannot take password hash: its %s must have %d to %d bytes", what, shortest, longest)
	}
	return b, nil
}
