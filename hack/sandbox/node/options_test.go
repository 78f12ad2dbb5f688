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

package node

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCgroupName(t *testing.T) {
	if a, b := cgroupName("/a"), cgroupName("/a"); a != b {
		t.Errorf("a node in the same directory should find the cgroups of the last one, got %s and %s", a, b)
	}
	if a, b := cgroupName("/a"), cgroupName("/b"); a == b {
		t.Errorf("nodes in two directories should not share cgroups, got %s twice", a)
	}
}

func TestLastLine(t *testing.T) {
	cases := map[string]struct{ reason, content, want string }{
		"Several": {reason: "the last line tells most", content: "starting\nfailed\n", want: "failed"},
		"One":     {reason: "a line may lack its end", content: "failed", want: "failed"},
		"Empty":   {reason: "an empty file has nothing to say"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(file, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, lastLine(file)); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
