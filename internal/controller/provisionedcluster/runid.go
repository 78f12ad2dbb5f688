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

package provisionedcluster

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/executor"
)

// hashLength is how many hexadecimal digits of a hash a run's id has: what
// differs is the number, and the hash tells objects of one name apart.
const hashLength = 8

// runID names a run for people: what it does, its number, and a hash of what
// it is for.
func runID(s State, r executor.Record) string {
	return fmt.Sprintf("%s-%d-%s", strings.ToLower(string(r.Spec.Action)), r.Number,
		digest(s.Cluster.Owner, s.UID, string(r.Spec.Action), strconv.Itoa(r.Number), r.Spec.Revision, r.Inputs)[:hashLength])
}

// digest of texts, with a key of its own for each cluster, so that it tells
// nothing of what they are.
func digest(key string, texts ...string) string {
	h := hmac.New(sha256.New, []byte(key))
	for _, t := range texts {
		sum := sha256.Sum256([]byte(t))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}
