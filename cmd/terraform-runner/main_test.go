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

package main

import (
	"io/fs"
	"os"
	"testing"

	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// envModules makes the test's own program be terraform-runner, with the modules of a directory built in.
const envModules = "KUBEOPERA_TEST_MODULES"

func TestMain(m *testing.M) {
	if dir := os.Getenv(envModules); dir != "" {
		os.Exit(program(os.Args[1:], os.DirFS(dir)))
	}
	os.Exit(kt.Main(m))
}

func TestParse(t *testing.T) {
	o, asInit, err := parse([]string{"--run-dir=a", "--work-dir", "b", "--poll-interval=1s"})
	if err != nil || asInit || o.RunDir != "a" || o.WorkDir != "b" || o.Poll.Seconds() != 1 {
		t.Errorf("parse(): %+v, %t, %v", o.Times, asInit, err)
	}
	for name, args := range map[string][]string{
		"UnknownFlag":    {"--nope"},
		"UnknownCommand": {"dance"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", os.DevNull)
			if code := program(args, fs.FS(nil)); code == 0 {
				t.Error("program(): want an error")
			}
		})
	}
}
