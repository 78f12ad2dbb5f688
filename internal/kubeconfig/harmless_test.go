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

package kubeconfig

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestHarmless lays out a program and a file that tell when they are executed
// or opened, and names them in every place of a kubeconfig that may name one.
func TestHarmless(t *testing.T) {
	dir := t.TempDir()
	marker := filepath.Join(dir, "executed")
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ntouch "+marker+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	// Whoever opens it waits for a writer, which never comes.
	file := filepath.Join(dir, "file")
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}

	cases := map[string]struct {
		reason string
		in     string
	}{
		"Exec":              {"A plugin", with(server, "exec: {command: "+program+", apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}")},
		"ExecInherited":     {"A helper's name with a path behind it", with(server, "exec: {command: /eks-token-helper/../.."+program+", apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}")},
		"ExecArgument":      {"A helper whose argument is a program", with(server, "exec: {command: /eks-token-helper, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, args: [--cluster-name=a, '--region=$("+program+")']}")},
		"AuthProvider":      {"The old gcp provider ran what cmd-path says", with(server, "auth-provider: {name: gcp, config: {cmd-path: "+program+", cmd-args: x, expiry: '2000-01-01T00:00:00Z'}}")},
		"TokenFile":         {"A token", with(server, "tokenFile: "+file)},
		"TokenFileAndToken": {"client-go would read it beside a token", with(server, "token: abc\ntokenFile: "+file)},
		"ClientCertificate": {"A certificate", with(server, "client-certificate: "+file+"\nclient-key: "+file)},
		"CA":                {"A CA", with(server+"\ncertificate-authority: "+file, "token: abc")},
		"ServerFile":        {"A URL that is a file", with("server: file://"+file, "token: abc")},
		"ProxyFile":         {"A proxy that is a file", with(server+"\nproxy-url: file://"+file, "token: abc")},
		"OtherContexts":     {"What is not in use", with(server, "token: abc") + "- name: other\n  user: {exec: {command: " + program + "}, tokenFile: " + file + "}\n"},
		"Extension":         {"Where other programs keep what they like", with(server+"\nextensions: [{name: a, extension: {command: "+program+", file: "+file+"}}]", "token: abc")},
		"Include":           {"YAML of other makes reads files and runs programs", with(server, "token: !!python/object/apply:os.system ["+program+"]\n# !include "+file)},
		"Path":              {"The path of a kubeconfig instead of its text", file},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			done := make(chan *Kubeconfig, 1)
			go func() {
				k, _ := Parse([]byte(tc.in)) // Whether it is taken is another test's.
				done <- k
			}()
			select {
			case k := <-done:
				if k != nil {
					_ = k.RESTConfig()
					_ = k.Warnings(now)
				}
			case <-time.After(10 * time.Second):
				t.Fatalf("\n%s\nParse(...): the file is being read", tc.reason)
			}
			if _, err := os.Stat(marker); !os.IsNotExist(err) {
				t.Fatalf("\n%s\nParse(...): the program was executed", tc.reason)
			}
		})
	}
}
