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

import "bytes"

// maxLine is how much of a line is kept, in bytes. A single event of a large
// plan takes some kilobytes.
const maxLine = 1 << 20

// lines is a writer that hands on each line as it is complete. It never fails
// and never stops reading, however long a line is: OpenTofu would wait for it
// for good. What is beyond maxLine of a line is dropped.
type lines struct {
	handle func(line []byte, cut bool)
	buf    []byte
	cut    bool
}

func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		part, rest, ended := bytes.Cut(p, []byte("\n"))
		if room := maxLine - len(l.buf); len(part) > room {
			part, l.cut = part[:room], true
		}
		l.buf = append(l.buf, part...)
		if ended {
			l.flush()
		}
		p = rest
	}
	return n, nil
}

// flush hands on a line, complete or not.
func (l *lines) flush() {
	if line := bytes.TrimRight(l.buf, "\r"); len(line) > 0 {
		l.handle(line, l.cut)
	}
	l.buf, l.cut = l.buf[:0], false
}
