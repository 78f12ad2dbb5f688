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

package fault

import (
	"errors"
	"fmt"
	"testing"
)

func TestClassOf(t *testing.T) {
	cause := errors.New("dial tcp: connection refused")

	cases := map[string]struct {
		reason string
		err    error
		class  Class
		msg    string
	}{
		"Plain":     {reason: "An error without a class may pass by itself.", err: cause, class: Failing, msg: cause.Error()},
		"New":       {reason: "A class is kept.", err: New(Refused, "no usable context"), class: Refused, msg: "no usable context"},
		"Wrapped":   {reason: "A wrapped error keeps its class.", err: fmt.Errorf("cannot connect: %w", New(Denied, "token refused")), class: Denied, msg: "cannot connect: token refused"},
		"Outermost": {reason: "The outermost class counts, it knows most.", err: Wrap(New(Failing, "503"), Unreachable, "cannot list nodes"), class: Unreachable, msg: "cannot list nodes: 503"},
		"As":        {reason: "As keeps the message.", err: As(cause, Unreachable), class: Unreachable, msg: cause.Error()},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := ClassOf(tc.err); got != tc.class {
				t.Errorf("%s\nClassOf(): want %s, got %s", tc.reason, tc.class, got)
			}

			if got := tc.err.Error(); got != tc.msg {
				t.Errorf("%s\nError(): want %q, got %q", tc.reason, tc.msg, got)
			}
		})
	}

	if Wrap(nil, Failing, "x") != nil || As(nil, Failing) != nil {
		t.Error("no error must stay no error")
	}

	if !errors.Is(Wrap(cause, Failing, "x"), cause) {
		t.Error("the cause must be found in the chain")
	}
}
