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

package run

import (
	"crypto/sha256"
	"encoding/hex"
)

// What a run finds of a state that an earlier one could not write to its bucket.
const (
	// RescueDir is where the Secret RescueName is mounted, if there is one (--rescue-dir).
	RescueDir = "/run/kubeopera/rescue"
	// RescueKey is the key of that Secret, and the name of the file. Once its
	// state is in the bucket, the Secret is left without data.
	RescueKey = "errored.tfstate.gz"
	// ErroredState is where OpenTofu leaves such a state, below WorkDir.
	ErroredState = "errored.tfstate"
)

// Revision returns the hash of a rendered configuration, the bytes of
// ConfigFile: 64 hexadecimal digits.
func Revision(config []byte) string {
	sum := sha256.Sum256(config)
	return hex.EncodeToString(sum[:])
}
