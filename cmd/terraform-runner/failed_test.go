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
	"maps"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/gittest"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// everySecret returns all that the runs wrote into Secrets.
func (b *bed) everySecret() string {
	b.Helper()
	all := &corev1.SecretList{}
	b.must(b.cp.Client.List(b.Context(), all))
	text := &strings.Builder{}
	for _, s := range all.Items {
		if s.GetNamespace() == b.spec.Namespace {
			for _, v := range s.Data {
				text.Write(v)
			}
		}
	}
	return text.String()
}

// TestQuota has an apply fail half-way by a quota, and destroys what it made.
func TestQuota(t *testing.T) {
	b := newBed(t)
	b.nodes = 2
	b.script = `mkdir $BED/first 2>/dev/null || { echo 'api error VcpuLimitExceeded: You have requested more vCPU capacity than your current limit of 32'; exit 1; }`
	e := b.fail(run.ClassQuota)
	if !e.Class.IsTerminal() || !strings.Contains(e.Message, "VcpuLimitExceeded") {
		t.Errorf("error: %+v", e)
	}
	if len(b.nodesInState()) == 0 {
		t.Fatal("the test wants something made")
	}
	b.spec.Action = run.Destroy
	b.run()
	if got := b.cloud.Buckets(); len(got) != 0 {
		t.Errorf("buckets left: %v", got)
	}
}

// TestRefused has runs fail before anything is made.
func TestRefused(t *testing.T) {
	cases := map[string]struct {
		reason string
		set    func(b *bed)
		class  run.Class
		says   string
	}{
		"WrongKey": {
			reason: "A key that AWS does not know.",
			set: func(b *bed) {
				b.write("credentials/aws-credentials", "[kubeopera]\naws_access_key_id = AKIANOBODYNOBODY0000\naws_secret_access_key = canary-of-a-wrong-key\n")
			},
			class: run.ClassAuth, says: "InvalidClientTokenId",
		},
		"NoKey": {
			reason: "A profile without credentials.",
			set:    func(b *bed) { b.write("credentials/aws-credentials", "") },
			class:  run.ClassAuth, says: "no AWS credentials can be had",
		},
		"OthersBucket": {
			reason: "A bucket of that name has somebody else.",
			set: func(b *bed) {
				b.cloud.SetBucket(b.spec.State.Bucket, cloudtest.Bucket{Account: cloudtest.DefaultKey.Account, Region: region, Tags: map[string]string{"kubeopera.io/owner": "somebody"}})
			},
			class: run.ClassConflict, says: "bucket",
		},
		"OthersBucketDestroy": {
			reason: "Least of all is it destroyed.",
			set: func(b *bed) {
				b.spec.Action = run.Destroy
				b.cloud.SetBucket(b.spec.State.Bucket, cloudtest.Bucket{Account: cloudtest.DefaultKey.Account, Region: region, Tags: map[string]string{"kubeopera.io/owner": "somebody"}})
			},
			class: run.ClassConflict, says: "bucket",
		},
		"NoRepository": {
			reason: "A modules repository with a password in its URL.",
			set: func(b *bed) {
				b.spec.Modules = &run.Modules{RepoURL: "https://user:canary-of-a-wrong-key@git.example.org/x", Ref: "main"}
			},
			class: run.ClassInvalid, says: "contains credentials",
		},
		"NoTofu": {
			reason: "No OpenTofu.",
			set:    func(b *bed) { b.flags = append(b.flags, "--tofu=/nowhere/tofu") },
			class:  run.ClassInvalid, says: "cannot find OpenTofu",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBed(t)
			tc.set(b)
			buckets := maps.Clone(b.cloud.Buckets())
			e := b.fail(tc.class)
			if !strings.Contains(e.Message, tc.says) || strings.Contains(e.Message, "canary") {
				t.Errorf("%s\nwant %q, got %+v", tc.reason, tc.says, e)
			}
			if got := b.cloud.Buckets(); name != "NoTofu" && len(got) != len(buckets) {
				t.Errorf("%s\nbuckets made: %v", tc.reason, got)
			}
		})
	}
}

// TestNodeFailed has the first control plane give up.
func TestNodeFailed(t *testing.T) {
	b := newBed(t)
	b.cloud.SetParameter(cloudtest.DefaultKey.Account, region, names.ParameterPrefix(b.spec.CloudName)+"failure", "kubeadm init failed\ntoken abcdef.0123456789abcdef")
	e := b.fail(run.ClassTransient)
	if !strings.Contains(e.Message, "kubeadm init failed") || strings.Contains(e.Message, "abcdef.") {
		t.Errorf("error: %+v", e)
	}
	if e := b.fail(run.ClassTransient, "--poll-timeout=200ms"); e.Message == "" {
		t.Error("want a message")
	}
}

// TestNobodyToTell has nobody take the final report.
func TestNobodyToTell(t *testing.T) {
	b := newBed(t)
	b.boot()
	b.spec.Publish.Namespace = "nowhere"
	p := b.start("--publish-timeout=300ms")
	if code := p.end(); code != 2 {
		t.Errorf("want exit code 2, got %d", code)
	}
	if !strings.Contains(p.log.String(), "cannot report the end of the run") {
		t.Error("the log does not say so")
	}

	b.spec.Version = 99
	p = b.start()
	if code := p.end(); code != 2 || !strings.Contains(p.log.String(), "this runner does version 1") {
		t.Errorf("want exit code 2 after another version, got %d", code)
	}
}

// TestModules takes the modules from a repository, at a tag, a branch and a commit.
func TestModules(t *testing.T) {
	b := newBed(t)
	b.boot()
	module := func(name string) map[string]string {
		return map[string]string{"compute/main.tf": strings.ReplaceAll(computeModule, "node-", name+"-")}
	}
	git := gittest.Serve(t, "main", module("old"))
	b.must(git.StartHTTP())
	t.Cleanup(func() { git.StopHTTP() })
	old := strings.TrimSpace(git.Git(t, "rev-parse", "main"))
	git.Git(t, "tag", "v1", old)
	git.Commit(t, "main", "newer", module("new"))
	url := git.HTTPAddress() + "/" + gittest.Repository

	// As the init container does it, then by the run alone.
	b.spec.Modules = &run.Modules{RepoURL: url, Ref: "v1"}
	dir := b.prepare()
	init := b.exec("modules", "--run-dir="+dir, "--work-dir="+b.path("work"))
	if code := init.end(); code != 0 {
		t.Fatalf("modules: exit code %d", code)
	}
	if code := b.exec(append([]string{"--run-dir=" + dir, "--work-dir=" + b.path("work")}, b.flags...)...).end(); code != 0 {
		t.Fatalf("run: exit code %d: %+v", code, b.status().Error)
	}
	if !strings.Contains(b.state(), `"old-0"`) {
		t.Errorf("want the modules of the tag, got the state %s", b.state())
	}
	for ref, want := range map[string]string{"main": `"new-0"`, old: `"old-0"`} {
		b.spec.Modules.Ref = ref
		b.run()
		if !strings.Contains(b.state(), want) {
			t.Errorf("%s: want %s in the state %s", ref, want, b.state())
		}
	}

	b.spec.Modules.Ref = "v9"
	if e := b.fail(run.ClassInvalid); !strings.Contains(e.Message, `no branch or tag "v9"`) {
		t.Errorf("error: %+v", e)
	}
	b.spec.Modules = &run.Modules{RepoURL: git.HTTPAddress() + "/no/such.git", Ref: "v1"}
	dir = b.prepare()
	if code := b.exec("modules", "--run-dir="+dir, "--work-dir="+b.path("work"), "--publish-timeout=1s").end(); code != 1 {
		t.Errorf("modules: want exit code 1, got %d", code)
	}
	if s := b.status(); s.Error == nil || s.RunID != b.spec.ID || s.Error.Class != run.ClassInvalid || !strings.HasPrefix(s.Error.Message, "no modules repository at ") {
		t.Errorf("status: %+v, %+v", s, s.Error)
	}
}
