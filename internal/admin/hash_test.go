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
	"strings"
	"testing"
	"time"
)

// An example of RFC 9106's second recommendation, made with the reference implementation's encoding.
const (
	salt = "c29tZXNhbHRzb21lc2FsdA"
	tag  = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
)

func TestHashVerifies(t *testing.T) {
	password := GeneratePassword()
	if len(password) < 26 {
		t.Errorf("GeneratePassword(): %d characters, want at least 26", len(password))
	}
	one, err := Hash(password)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Hash(password)
	if err != nil {
		t.Fatal(err)
	}
	if one == two {
		t.Error("two hashes of one password must differ: each has its own salt")
	}
	cases := map[string]struct {
		reason   string
		password string
		want     bool
	}{
		"Same":      {reason: "The password that was hashed verifies.", password: password, want: true},
		"Other":     {reason: "Another password does not.", password: password + "x"},
		"Empty":     {reason: "No password does not.", password: ""},
		"VeryLong":  {reason: "A very long password is not even hashed.", password: strings.Repeat("x", 1<<20)},
		"LowerCase": {reason: "Case counts.", password: strings.ToLower(password)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Verify(one, tc.password)
			if err != nil || got != tc.want {
				t.Errorf("%s\nVerify(...): got %t, %v, want %t", tc.reason, got, err, tc.want)
			}
		})
	}
}

// The vector is libsodium's and the argon2 command's output for it:
// echo -n password | argon2 somesalt -id -t 2 -k 65536 -p 1 -l 24 (phc-winner-argon2, src/test.c has the same one with -l 32).
func TestKnownVector(t *testing.T) {
	const hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	ok, err := Verify(hash, "password")
	if err != nil || !ok {
		t.Errorf("Verify(reference vector): got %t, %v, want true", ok, err)
	}
}

func TestHashRefuses(t *testing.T) {
	for name, password := range map[string]string{"Empty": "", "TooLong": strings.Repeat("x", maxPassword+1)} {
		t.Run(name, func(t *testing.T) {
			if _, err := Hash(password); err == nil {
				t.Error("Hash(...): want an error")
			}
		})
	}
}

func TestVerifyRefuses(t *testing.T) {
	cases := map[string]struct {
		reason string
		hash   string
		want   string
	}{
		"Empty":           {reason: "No hash.", hash: "", want: "does not begin with"},
		"OtherKind":       {reason: "Argon2i is not Argon2id.", hash: "$argon2i$v=19$m=65536,t=2,p=1$" + salt + "$" + tag, want: "does not begin with"},
		"OldVersion":      {reason: "Version 1.0 is broken.", hash: "$argon2id$v=16$m=65536,t=2,p=1$" + salt + "$" + tag, want: "does not begin with"},
		"Bcrypt":          {reason: "Another scheme.", hash: "$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW", want: "does not begin with"},
		"HugeMemory":      {reason: "Four terabytes are not allocated.", hash: prefix + "m=4294967295,t=1,p=1$" + salt + "$" + tag, want: "m= must be from"},
		"MemoryOverflow":  {reason: "More than 32 bits.", hash: prefix + "m=4294967296,t=1,p=1$" + salt + "$" + tag, want: "must be m="},
		"ManyPasses":      {reason: "No hour of computing.", hash: prefix + "m=65536,t=4294967295,p=1$" + salt + "$" + tag, want: "t= must be from"},
		"NoPasses":        {reason: "The library panics at 0.", hash: prefix + "m=65536,t=0,p=1$" + salt + "$" + tag, want: "t= must be from"},
		"NoLanes":         {reason: "The library panics at 0.", hash: prefix + "m=65536,t=1,p=0$" + salt + "$" + tag, want: "p= must be from"},
		"ManyLanes":       {reason: "256 lanes would wrap to 0.", hash: prefix + "m=65536,t=1,p=256$" + salt + "$" + tag, want: "p= must be from"},
		"TooLittleMemory": {reason: "Eight KiB a lane.", hash: prefix + "m=8,t=1,p=2$" + salt + "$" + tag, want: "eight times"},
		"LeadingZero":     {reason: "One hash has one spelling.", hash: prefix + "m=065536,t=1,p=1$" + salt + "$" + tag, want: "must be m="},
		"Sign":            {reason: "One hash has one spelling.", hash: prefix + "m=+65536,t=1,p=1$" + salt + "$" + tag, want: "must be m="},
		"OtherOrder":      {reason: "The order is fixed.", hash: prefix + "t=1,m=65536,p=1$" + salt + "$" + tag, want: "must be m="},
		"MoreParameters":  {reason: "No keyid, no data.", hash: prefix + "m=65536,t=1,p=1,keyid=x$" + salt + "$" + tag, want: "must be m, t and p"},
		"NoTag":           {reason: "Parts are missing.", hash: prefix + "m=65536,t=1,p=1$" + salt, want: "needs parameters, salt and tag"},
		"ShortSalt":       {reason: "A salt that is too short.", hash: prefix + "m=65536,t=1,p=1$c2FsdA$" + tag, want: "its salt must have"},
		"ShortTag":        {reason: "A tag of one byte is guessed at once.", hash: prefix + "m=65536,t=1,p=1$" + salt + "$AA", want: "its tag must have"},
		"EmptyTag":        {reason: "An empty tag would match everything.", hash: prefix + "m=65536,t=1,p=1$" + salt + "$", want: "its tag must have"},
		"PaddedTag":       {reason: "PHC strings have no padding.", hash: prefix + "m=65536,t=1,p=1$" + salt + "$" + tag + "=", want: "not unpadded base64"},
		"LineEnd":         {reason: "One hash has one spelling.", hash: prefix + "m=65536,t=1,p=1$" + salt + "$" + tag + "\n", want: "not unpadded base64"},
		"TooLong":         {reason: "Not even read.", hash: prefix + strings.Repeat("x", 1<<20), want: "longer than"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			ok, err := Verify(tc.hash, "password")
			if ok || err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nVerify(...): got %t, %v, want an error with %q", tc.reason, ok, err, tc.want)
			}
			if d := time.Since(start); d > time.Second {
				t.Errorf("%s\nVerify(...) took %s: it must refuse without computing", tc.reason, d)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("$argon2id$v=19$m=65536,t=2,p=1$" + salt + "$" + tag)
	f.Add(prefix + "m=8,t=1,p=1$" + salt + "$" + tag)
	f.Add(prefix + "m=4294967295,t=4294967295,p=255$$")
	f.Fuzz(func(t *testing.T, hash string) {
		p, err := parse(hash)
		if err != nil {
			return
		}
		if p.String() != hash {
			t.Errorf("parse(%q).String() = %q: one hash has one spelling", hash, p.String())
		}
		if p.memory > maxMemoryKiB || p.passes > maxPasses || p.lanes > maxLanes || p.passes == 0 || p.lanes == 0 || len(p.tag) < minTag {
			t.Errorf("parse(%q) is beyond the limits: %+v", hash, p)
		}
	})
}
