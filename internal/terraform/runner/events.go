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
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// An event is one line of OpenTofu's machine-readable output
// (https://opentofu.org/docs/internals/machine-readable-ui).
type event struct {
	Level      string      `json:"@level"`
	Message    string      `json:"@message"`
	Type       string      `json:"type"`
	Diagnostic *diagnostic `json:"diagnostic,omitempty"`
	Change     *change     `json:"change,omitempty"`
	Hook       *change     `json:"hook,omitempty"`
	Changes    *changes    `json:"changes,omitempty"`
}

type diagnostic struct {
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Detail   string `json:"detail"`
	Address  string `json:"address"`
	Range    *place `json:"range"`
}

// place of a diagnostic in the configuration.
type place struct {
	Filename string `json:"filename"`
	Start    struct {
		Line int `json:"line"`
	} `json:"start"`
}

type change struct {
	Resource struct {
		Addr string `json:"addr"`
	} `json:"resource"`
	Action string `json:"action"`
}

type changes struct {
	Add       int32  `json:"add"`
	Change    int32  `json:"change"`
	Remove    int32  `json:"remove"`
	Operation string `json:"operation"`
}

// parseEvent reads a line. What is no event is a message: a provider's crash, say.
func parseEvent(line []byte, cut bool) event {
	var e event
	if cut || json.Unmarshal(line, &e) != nil || e.Message == "" && e.Type == "" {
		return event{Message: string(line)}
	}
	// What has an address is found by it.
	if d := e.Diagnostic; d != nil && d.Address == "" && d.Range != nil {
		d.Detail = strings.TrimSpace(fmt.Sprintf("%s (%s, line %d)", d.Detail, d.Range.Filename, d.Range.Start.Line))
	}
	return e
}

// text returns what the log shows of an event, nothing if that is nothing.
// Output values are not shown: a kubeconfig may be among them.
func (e event) text() string {
	switch {
	case e.Type == "outputs":
		return ""
	case e.Diagnostic != nil:
		return strings.TrimSpace(fmt.Sprintf("%s: %s\n%s", title(e.Diagnostic.Severity), e.Diagnostic.Summary, e.Diagnostic.Detail))
	default:
		return e.Message
	}
}

// isError tells whether an event says why a run failed.
func (e event) isError() bool { return e.Diagnostic != nil && e.Diagnostic.Severity == "error" }

// doing are the words for what is being done to a resource.
var doing = map[string]string{"create": "creating", "update": "updating", "delete": "destroying"}

// maxStep is the longest Progress.Step, as its type has it.
const maxStep = 512

// advance returns the progress after an event.
func advance(p v1alpha1.Progress, e event) v1alpha1.Progress {
	switch e.Type {
	case "change_summary":
		if e.Changes != nil && e.Changes.Operation == "plan" {
			p.Done, p.Total = 0, e.Changes.Add+e.Changes.Change+e.Changes.Remove
		}
	case "refresh_start":
		p.Step = "reading what is there"
	case "apply_start":
		if e.Hook != nil && doing[e.Hook.Action] != "" {
			p.Step = cutTo(doing[e.Hook.Action]+" "+e.Hook.Resource.Addr, maxStep)
		}
	case "apply_complete":
		// What a data source reads was not planned as a change.
		if e.Hook != nil && doing[e.Hook.Action] != "" {
			p.Done++
			p.Total = max(p.Total, p.Done)
		}
	}
	return p
}

func title(s string) string {
	if s == "" {
		return "Note"
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// cutTo shortens a text to a number of bytes, between two characters.
func cutTo(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-len("…")], "") + "…"
}
