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
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

const (
	region = "eu-central-1"
	// patience bounds what a test waits for.
	patience = time.Minute
)

// computeModule makes "machines" that are done when their script is.
const computeModule = `
variable "nodes" { type = number }
variable "script" { type = string }
resource "terraform_data" "node" {
  count = var.nodes
  input = "node-${count.index}"
  provisioner "local-exec" { command = var.script }
}
output "ids" { value = terraform_data.node[*].id }
`

// bed is a cloud account, a management cluster and one cluster's runs.
type bed struct {
	*testing.T
	cp    *kt.ControlPlane
	cloud *cloudtest.Cloud
	// broken decides which requests the cloud does not answer.
	broken atomic.Pointer[func(*http.Request) bool]
	url    string
	dir    string
	env    map[string]string
	spec   run.Spec
	// nodes and script are what the module makes, root what else the configuration has.
	nodes  int
	script string
	root   map[string]any
	flags  []string
	runs   int
}

func newBed(t *testing.T) *bed {
	t.Helper()
	b := &bed{T: t, cp: kt.Shared(t), cloud: cloudtest.New(cloudtest.Options{}), dir: t.TempDir(), nodes: 1, script: "true"}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if broken := b.broken.Load(); broken != nil && (*broken)(r) {
			panic(http.ErrAbortHandler)
		}
		b.cloud.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	b.url = srv.URL

	id := "c-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	ns := b.cp.Namespace(t)
	b.spec = run.Spec{
		Version: run.Version, Action: run.Apply, Cluster: id, Namespace: ns, Owner: strings.Repeat("0a", 16),
		Topology: v1alpha1.TopologyVanilla, CloudName: names.CloudName(id), Region: region,
		State:   run.State{Backend: "s3", Bucket: names.StateBucket(id), Region: region, Key: "terraform.tfstate"},
		Publish: run.Publish{Namespace: ns, Secret: run.OutputsName(id)},
	}
	b.write("modules/compute/main.tf", computeModule)
	b.write("credentials/aws-config", "[profile kubeopera]\n")
	b.write("credentials/aws-credentials", "[kubeopera]\naws_access_key_id = "+cloudtest.DefaultKey.ID+"\naws_secret_access_key = "+cloudtest.DefaultKey.Secret+"\n")

	// No more rights than the documents give to a runner.
	user := kt.User{Name: "runner-" + id}
	b.cp.Grant(t.Context(), t, user.Name, ns, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"create", "update"}})
	kubeconfig, err := b.cp.Kubeconfig(user)
	b.must(err)
	b.write("kubeconfig", string(kubeconfig))

	b.env = map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": b.path("home"), "KUBECONFIG": b.path("kubeconfig"), "TMPDIR": b.path("tmp"),
		"AWS_CONFIG_FILE": b.path("credentials/aws-config"), "AWS_SHARED_CREDENTIALS_FILE": b.path("credentials/aws-credentials"),
		"AWS_PROFILE": run.AWSProfile, "AWS_REGION": region, "AWS_SDK_LOAD_CONFIG": "1", "AWS_EC2_METADATA_DISABLED": "true",
		envModules: b.path("modules"), "BED": b.path("bed"),
	}
	for _, d := range []string{"home", "tmp", "bed"} {
		b.must(os.MkdirAll(b.path(d), 0o700))
	}
	maps.Copy(b.env, cloudtest.Env(b.url))
	b.flags = []string{
		"--tofu=" + tofu(t), "--publish-interval=50ms", "--backoff=100ms", "--poll-interval=100ms", "--poll-timeout=30s", "--sweep-interval=50ms",
		"--push-timeout=1s", "--earlier-run-timeout=100ms", "--publish-timeout=10s",
	}
	return b
}

// tofu is the OpenTofu that TOFU names, or the one that hack/tools/build made.
func tofu(t *testing.T) string {
	t.Helper()
	path := os.Getenv("TOFU")
	if path == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		path = filepath.Join(cache, "kubeopera", "bin", "tofu")
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("no OpenTofu: run `make test`, or `hack/tools/build opentofu`: %v", err)
	}
	return path
}

func (b *bed) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bed) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bed) write(name, text string) {
	b.Helper()
	b.must(os.MkdirAll(filepath.Dir(b.path(name)), 0o700))
	b.must(os.WriteFile(b.path(name), []byte(text), 0o600))
}

// process is a runner at work.
type process struct {
	*exec.Cmd
	bed  *bed
	id   string
	log  *buffer
	done chan struct{}
}

// buffer is a bytes.Buffer for two.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// prepare writes the run directory of a new run.
func (b *bed) prepare() (dir string) {
	b.Helper()
	b.runs++
	b.spec.ID = "run-" + strconv.Itoa(b.runs)
	config := map[string]any{
		"terraform": map[string]any{"backend": b.backend()},
		"module":    map[string]any{"compute": map[string]any{"source": "./modules/compute", "nodes": b.nodes, "script": b.script}},
		"output":    map[string]any{"ids": map[string]any{"value": "${module.compute.ids}"}},
	}
	maps.Copy(config, b.root)
	data, err := json.Marshal(config)
	b.must(err)
	b.spec.Revision = run.Revision(data)
	spec, err := json.Marshal(b.spec)
	b.must(err)
	dir = b.spec.ID
	b.write(filepath.Join(dir, run.ConfigFile), string(data))
	b.write(filepath.Join(dir, run.SpecFile), string(spec))
	return b.path(dir)
}

func (b *bed) backend() map[string]any {
	if b.spec.State.Backend == "gcs" {
		return map[string]any{"gcs": map[string]any{"bucket": b.spec.State.Bucket, "prefix": b.spec.State.Key}}
	}
	return map[string]any{"s3": map[string]any{
		"bucket": b.spec.State.Bucket, "key": b.spec.State.Key, "region": region, "use_lockfile": true, "use_path_style": true, "max_retries": 1,
		"skip_credentials_validation": true, "skip_requesting_account_id": true, "skip_metadata_api_check": true, "skip_region_validation": true,
	}}
}

// start a runner on a new run.
func (b *bed) start(args ...string) *process {
	b.Helper()
	dir := b.prepare()
	return b.exec(append([]string{"run", "--run-dir=" + dir, "--work-dir=" + b.path("work"), "--rescue-dir=" + b.path("rescue")}, append(b.flags, args...)...)...)
}

func (b *bed) exec(args ...string) *process {
	b.Helper()
	self, err := os.Executable()
	b.must(err)
	p := &process{Cmd: exec.Command(self, args...), bed: b, id: b.spec.ID, log: &buffer{}, done: make(chan struct{})}
	for k, v := range b.env {
		p.Env = append(p.Env, k+"="+v)
	}
	p.Stdout, p.Stderr = p.log, p.log
	p.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.WaitDelay = time.Second // What it left may have its output still open.
	b.must(p.Start())
	go func() {
		defer close(p.done)
		_ = p.Wait()
	}()
	b.Cleanup(func() {
		_ = p.Process.Kill()
		<-p.done
		if b.Failed() {
			b.Logf("log of %s:\n%.20000s", p.id, p.log)
		}
	})
	return p
}

// end waits until the runner has ended, and returns its exit code.
func (p *process) end() int {
	p.bed.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		p.bed.Fatalf("%s does not end", p.id)
	}
	return p.ProcessState.ExitCode()
}

// run does a whole run that succeeds.
func (b *bed) run(args ...string) *process {
	b.Helper()
	p := b.start(args...)
	if code := p.end(); code != 0 {
		b.Fatalf("%s: exit code %d: %+v", p.id, code, b.status().Error)
	}
	if s := b.status(); s.Phase != v1alpha1.RunSucceeded || s.RunID != p.id || s.FinishedAt.IsZero() {
		b.Fatalf("%s: status %+v", p.id, s)
	}
	return p
}

// fail does a whole run that fails, and returns its error.
func (b *bed) fail(class run.Class, args ...string) *run.Error {
	b.Helper()
	p := b.start(args...)
	code := p.end()
	s := b.status()
	if code != 1 || s.RunID != p.id || s.Phase != v1alpha1.RunFailed || s.Error == nil || s.Error.Class != class {
		b.Fatalf("%s: want failure of class %s, got exit code %d, status %+v, error %+v", p.id, class, code, s, s.Error)
	}
	return s.Error
}

// until waits for something.
func (b *bed) until(what string, ok func() bool) {
	b.Helper()
	err := wait.PollUntilContextTimeout(b.Context(), 20*time.Millisecond, patience, true, func(context.Context) (bool, error) { return ok(), nil })
	if err != nil {
		b.Fatalf("waited for %s in vain", what)
	}
}

// untilFile waits for a file in the bed's own directory, and returns what is in it.
func (b *bed) untilFile(name string) string {
	b.Helper()
	var data []byte
	b.until(name, func() (ok bool) {
		var err error
		data, err = os.ReadFile(b.path("bed/" + name))
		return err == nil
	})
	return strings.TrimSpace(string(data))
}

func (b *bed) secret(name string) *corev1.Secret {
	b.Helper()
	s := &corev1.Secret{}
	err := b.cp.Client.Get(b.Context(), client.ObjectKey{Namespace: b.spec.Namespace, Name: name}, s)
	if client.IgnoreNotFound(err) != nil {
		b.Fatal(err)
	}
	return s
}

func (b *bed) status() run.Status {
	b.Helper()
	var s run.Status
	data := b.secret(b.spec.Publish.Secret).Data[run.StatusKey]
	if len(data) > 0 {
		b.must(json.Unmarshal(data, &s))
	}
	return s
}

// s3 is a way to the state bucket.
func (b *bed) s3() *s3.Client {
	k := cloudtest.DefaultKey
	return s3.New(s3.Options{
		Region: region, BaseEndpoint: &b.url, UsePathStyle: true, Credentials: credentials.NewStaticCredentialsProvider(k.ID, k.Secret, ""),
	})
}

// state returns what is in the bucket, "" if there is nothing.
func (b *bed) state() string { return b.object(b.spec.State.Key) }

func (b *bed) object(key string) string {
	b.Helper()
	out, err := b.s3().GetObject(b.Context(), &s3.GetObjectInput{Bucket: &b.spec.State.Bucket, Key: &key})
	if _, ok := errors.AsType[*types.NoSuchKey](err); ok {
		return ""
	}
	b.must(err)
	defer out.Body.Close()
	data, err := io.ReadAll(out.Body)
	b.must(err)
	return string(data)
}

// lock plants a lock of the state as somebody else would leave it.
func (b *bed) lock(who string) {
	b.Helper()
	key := b.spec.State.Key + ".tflock"
	info := `{"ID":"00000000-0000-0000-0000-000000000017","Operation":"OperationTypeApply","Info":"","Who":"` + who + `","Version":"1.12.6","Created":"2026-11-29T20:00:00Z","Path":"x"}`
	_, err := b.s3().PutObject(b.Context(), &s3.PutObjectInput{Bucket: &b.spec.State.Bucket, Key: &key, Body: strings.NewReader(info)})
	b.must(err)
}

// nodesInState returns the ids of the machines in the state.
func (b *bed) nodesInState() []string {
	b.Helper()
	var s struct {
		Resources []struct {
			Instances []struct {
				Attributes struct {
					ID string `json:"id"`
				} `json:"attributes"`
			} `json:"instances"`
		} `json:"resources"`
	}
	text := b.state()
	if text == "" {
		return nil
	}
	b.must(json.Unmarshal([]byte(text), &s))
	var ids []string
	for _, r := range s.Resources {
		for _, i := range r.Instances {
			ids = append(ids, i.Attributes.ID)
		}
	}
	return ids
}

// breakdown makes the cloud not answer some requests, nil for none.
func (b *bed) breakdown(which func(*http.Request) bool) {
	if which == nil {
		b.broken.Store(nil)
		return
	}
	b.broken.Store(&which)
}

// kubeconfigOf is what a first control plane leaves.
const kubeconfigOf = `apiVersion: v1
kind: Config
current-context: admin
clusters:
- {name: c, cluster: {server: "https://203.0.113.7:6443", certificate-authority-data: Y2E=}}
contexts:
- {name: admin, context: {cluster: c, user: u}}
users:
- {name: u, user: {token: kubeconfig-canary-7c1f}}
`

// boot lets the first control plane leave its kubeconfig.
func (b *bed) boot() {
	b.cloud.SetParameter(cloudtest.DefaultKey.Account, region, names.ParameterPrefix(b.spec.CloudName)+"kubeconfig", kubeconfigOf)
}

func (b *bed) parameters() map[string]string {
	return b.cloud.Parameters(cloudtest.DefaultKey.Account, region)
}
