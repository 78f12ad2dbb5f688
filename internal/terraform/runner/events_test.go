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
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

func TestAdvance(t *testing.T) {
	const (
		plan     = `{"@message":"Plan","type":"change_summary","changes":{"add":2,"change":1,"remove":1,"operation":"plan"}}`
		applied  = `{"@message":"Done","type":"change_summary","changes":{"add":2,"change":1,"remove":1,"operation":"apply"}}`
		start    = `{"@message":"x","type":"apply_start","hook":{"resource":{"addr":"aws_vpc.main"},"action":"create"}}`
		complete = `{"@message":"x","type":"apply_complete","hook":{"resource":{"addr":"aws_vpc.main"},"action":"create"}}`
		read     = `{"@message":"x","type":"apply_complete","hook":{"resource":{"addr":"data.aws_ami.x"},"action":"read"}}`
	)
	cases := map[string]struct {
		reason string
		lines  []string
		want   v1alpha1.Progress
	}{
		"Plan":    {"The plan says how much there is to do.", []string{plan}, v1alpha1.Progress{Total: 4}},
		"Start":   {"The step names the resource.", []string{plan, start}, v1alpha1.Progress{Total: 4, Step: "creating aws_vpc.main"}},
		"Done":    {"What is complete is counted.", []string{plan, start, complete}, v1alpha1.Progress{Done: 1, Total: 4, Step: "creating aws_vpc.main"}},
		"Read":    {"What is only read was not planned.", []string{plan, read}, v1alpha1.Progress{Total: 4}},
		"Summary": {"The summary at the end is no plan.", []string{plan, complete, applied}, v1alpha1.Progress{Done: 1, Total: 4}},
		"Noise":   {"What is no event changes nothing.", []string{plan, "panic: x", `{"a":1}`, "{", `[]`, `null`}, v1alpha1.Progress{Total: 4}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got v1alpha1.Progress
			for _, l := range tc.lines {
				got = advance(got, parseEvent([]byte(l), false))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestText(t *testing.T) {
	cases := map[string]struct{ reason, line, want string }{
		"Message":    {"An event's message is readable.", `{"@message":"aws_vpc.main: Creating...","type":"apply_start"}`, "aws_vpc.main: Creating..."},
		"Diagnostic": {"Of a diagnostic the detail is wanted.", `{"@message":"Error: a","type":"diagnostic","diagnostic":{"severity":"error","summary":"a","detail":"b"}}`, "Error: a\nb"},
		"Place":      {"Without an address the place is named.", `{"@message":"Error: a","type":"diagnostic","diagnostic":{"severity":"error","summary":"a","detail":"b","range":{"filename":"main.tf.json","start":{"line":7}}}}`, "Error: a\nb (main.tf.json, line 7)"},
		"Outputs":    {"Output values may be secrets.", `{"@message":"Outputs: 1","type":"outputs","outputs":{"kubeconfig":{"value":"secret"}}}`, ""},
		"Plain":      {"What is no event is shown as it is.", `panic: oh`, "panic: oh"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, parseEvent([]byte(tc.line), false).text()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func FuzzParseEvent(f *testing.F) {
	f.Add([]byte(`{"@message":"x","type":"apply_start","hook":null,"diagnostic":{"severity":""}}`), false)
	f.Add([]byte(`{"@message":"x","type":"change_summary","changes":{}}`), true)
	f.Fuzz(func(t *testing.T, line []byte, cut bool) {
		e := parseEvent(line, cut)
		_ = e.text()
		if p := advance(v1alpha1.Progress{}, e); len(p.Step) > maxStep || p.Done < 0 {
			t.Errorf("advance(): %+v", p)
		}
	})
}
