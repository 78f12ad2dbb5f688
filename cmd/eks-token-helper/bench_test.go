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
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
)

// BenchmarkStart measures one token, from the start of the program to its end,
// beside that of aws-iam-authenticator: kubectl waits for it again and again.
func BenchmarkStart(b *testing.B) {
	programs := []struct {
		name string
		pkg  string
		args []string
	}{
		{"eks-token-helper", ".", []string{"--cluster-name=prod", "--region=eu-central-1"}},
		{"aws-iam-authenticator", "sigs.k8s.io/aws-iam-authenticator/cmd/aws-iam-authenticator", []string{"token", "--cluster-id=prod", "--region=eu-central-1"}},
	}
	env := append(os.Environ(),
		"AWS_ACCESS_KEY_ID="+cloudtest.DefaultKey.ID, "AWS_SECRET_ACCESS_KEY="+cloudtest.DefaultKey.Secret,
		"AWS_REGION=eu-central-1", "AWS_STS_REGIONAL_ENDPOINTS=regional")
	for _, p := range programs {
		b.Run(p.name, func(b *testing.B) {
			bin := filepath.Join(b.TempDir(), p.name)
			if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", bin, p.pkg).CombinedOutput(); err != nil {
				b.Fatalf("cannot build %s: %v\n%s", p.name, err, out)
			}
			info, err := os.Stat(bin)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), bin, p.args...)
				cmd.Env = env
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
			}
			b.ReportMetric(float64(info.Size())/(1<<20), "MiB")
		})
	}
}
