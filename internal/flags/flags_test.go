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

package flags

import (
	"errors"
	"flag"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		env    map[string]string
		want   string
		err    string
	}{
		"Default":     {reason: "Nobody says anything.", want: "a"},
		"Environment": {reason: "The environment wins over the default,", env: map[string]string{"LOG_FORMAT": "b"}, want: "b"},
		"CommandLine": {reason: "and the command line over that.", args: []string{"--log-format=c"}, env: map[string]string{"LOG_FORMAT": "b"}, want: "c"},
		"NoVariable":  {reason: "A flag may have no variable.", env: map[string]string{"": "b"}, want: "a"},
		"BadVariable": {reason: "The variable is named.", env: map[string]string{"COUNT": "many"}, err: "cannot use environment variable COUNT"},
		"BadFlag":     {reason: "The flag is named.", args: []string{"--count=many"}, err: "-count"},
		"Argument":    {reason: "There are no commands.", args: []string{"serve"}, err: `cannot use argument "serve"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			fs := flag.NewFlagSet("x", flag.ContinueOnError)
			got := fs.String("log-format", "a", "`form` of the log")
			fs.Int("count", 1, "`number` of it")
			fs.String("kubeconfig", "", "`file` to use")
			err := Parse(fs, tc.args, func(k string) string { return tc.env[k] }, Variable, &strings.Builder{})
			if tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) || tc.err == "" && (err != nil || *got != tc.want) {
				t.Errorf("%s\nParse(): want %q %q, got %q, %v", tc.reason, tc.want, tc.err, *got, err)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	fs := flag.NewFlagSet("x", flag.ContinueOnError)
	fs.String("namespace", "apps", "where to look, by `name`")
	fs.String("kubeconfig", "", "the `file` to use")
	out := &strings.Builder{}
	if err := Parse(fs, []string{"-h"}, func(string) string { return "" }, Variable, out); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("Parse(): want %v, got %v", flag.ErrHelp, err)
	}
	for _, want := range []string{"Usage: x [flags]", "--namespace name\n        where to look, by name (default apps) [$POD_NAMESPACE]\n", "--kubeconfig file\n        the file to use\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("The help must have %q:\n%s", want, out)
		}
	}
}
