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

package runner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	cases := map[string]struct {
		reason string
		writes []string
		want   []string
	}{
		"Whole":   {"Each line is handed on.", []string{"a\nb\n"}, []string{"a", "b"}},
		"Pieces":  {"A line comes in pieces.", []string{"a", "b\nc", "\n"}, []string{"ab", "c"}},
		"Last":    {"The last line has no end.", []string{"a\nb"}, []string{"a", "b"}},
		"Empty":   {"Empty lines say nothing.", []string{"\n\r\na\r\n"}, []string{"a"}},
		"Long":    {"A long line is cut, and the next one is not.", []string{long, "yy", "z\nb\n"}, []string{long + " cut", "b"}},
		"AtBound": {"A line of just the bound is whole.", []string{long + "\n"}, []string{long}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			l := &lines{handle: func(line []byte, cut bool) {
				s := string(line)
				if cut {
					s += " cut"
				}
				got = append(got, s)
			}}
			for _, w := range tc.writes {
				if n, err := fmt.Fprint(l, w); n != len(w) || err != nil {
					t.Errorf("%s\nWrite(): %d, %v", tc.reason, n, err)
				}
			}
			l.flush()
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
