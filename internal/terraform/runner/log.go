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
	"io"
	"strings"
	"sync"
	"time"
)

// Bounds of a message, in bytes.
const (
	// maxLogged is how much of a message is shown.
	maxLogged = 16 << 10
	// window is how much of it is looked at: looking for secrets takes time.
	window = 32 << 10
	// tail is what is not shown of a window: the beginning of a secret that
	// does not end in it. The longest is a Google key of 1.7 KiB.
	tail = 8 << 10
)

// A logger writes readable lines without secrets.
type logger struct {
	mu     sync.Mutex
	out    io.Writer
	redact *redactor
}

// Sayf writes a message, each of its lines with the time before it.
func (l *logger) Sayf(format string, args ...any) {
	msg := l.clean(fmt.Sprintf(format, args...))
	now := time.Now().UTC().Format(time.RFC3339)
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(msg, "\n")) {
		b.WriteString(now + " " + strings.TrimRight(line, "\r\n") + "\n")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// Nobody can be told that the log cannot be written.
	_, _ = io.WriteString(l.out, b.String())
}

// clean returns a message without secrets, and not more of it than is shown.
func (l *logger) clean(msg string) string {
	if len(msg) <= window {
		return cutTo(l.redact.Redact(msg), maxLogged)
	}
	msg = l.redact.Redact(msg[:window])
	return cutTo(msg[:max(0, len(msg)-tail)]+" …", maxLogged)
}
