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

package executor

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

var update = flag.Bool("update", false, "write golden files")

// canary is in every credential of these tests.
const canary = "s3cr3t-canary"

func testCluster() Cluster {
	return Cluster{ID: "my-cluster", Namespace: "kubeopera-system", Owner: strings.Repeat("0a", 16)}
}

func testRecord(a run.Action, change ...func(*Record)) Record {
	config := []byte("{\n  \"module\": {}\n}\n")
	r := Record{
		Spec: run.Spec{
			Version: run.Version, ID: strings.ToLower(string(a)) + "-2-5f2c9a1b", Action: a, Cluster: "my-cluster", Namespace: "kubeopera-system",
			Owner: testCluster().Owner, Revision: run.Revision(config), Topology: v1alpha1.TopologyEKS, CloudName: "ko-my-cluster", Region: "eu-north-1",
			State:   run.State{Backend: "s3", Bucket: "kubeopera-terraform-state-my-cluster", Region: "eu-north-1", Key: "terraform.tfstate"},
			Publish: run.Publish{Namespace: "kubeopera-provisioning", Secret: run.OutputsName("my-cluster")}, EndedHolders: []string{"provision-my-cluster-abcde"},
		},
		Config: config, Number: 2, Failures: 1, Inputs: "0011", Applied: "abcd",
	}
	for _, c := range change {
		c(&r)
	}
	return r
}

func testSetup() Setup {
	return Setup{
		Image:       "ghcr.io/kubeopera/terraform-runner:v0.1.0",
		Credentials: map[string][]byte{run.AWSConfigFile: []byte("[profile kubeopera]\n"), run.AWSCredentialsFile: []byte(canary)},
		Env: func(dir string) map[string]string {
			return map[string]string{"AWS_CONFIG_FILE": filepath.Join(dir, run.AWSConfigFile), "AWS_PROFILE": run.AWSProfile}
		},
	}
}

// TestGolden: the objects of a run, as they are written, read well and change
// only on purpose.
func TestGolden(t *testing.T) {
	passed := PassedOn([]string{"HTTPS_PROXY=http://proxy:3128", "AWS_SECRET_ACCESS_KEY=" + canary, "PATH=/bin"})
	modules := func(r *Record) { r.Spec.Modules = &run.Modules{RepoURL: "https://git.acme.com/modules.git", Ref: "v1"} }
	cm, err := ConfigMap("kubeopera-provisioning", testCluster(), testRecord(run.Apply))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason string
		object client.Object
		secret bool
	}{
		"job-apply":   {"The documents' Job of an apply.", Job("kubeopera-provisioning", testCluster(), testRecord(run.Apply), testSetup(), passed), false},
		"job-destroy": {"The Job of a destroy, with modules of one's own.", Job("kubeopera-provisioning", testCluster(), testRecord(run.Destroy, modules), testSetup(), nil), false},
		"configmap":   {"What the Job mounts.", cm, false},
		"secret":      {"Its credentials, and nowhere else.", Credentials("kubeopera-provisioning", testCluster(), testSetup().Credentials), true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := yaml.Marshal(tc.object)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".yaml")
			if *update {
				if err := os.WriteFile(file, got, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if strings.Contains(string(got), canary) && !tc.secret {
				t.Errorf("%s\n%s holds a secret", tc.reason, name)
			}
		})
	}
}

// TestRecord: what a ConfigMap records is read back, and nobody else's.
func TestRecord(t *testing.T) {
	cm, err := ConfigMap("jobs", testCluster(), testRecord(run.Apply))
	if err != nil {
		t.Fatal(err)
	}
	cm.ResourceVersion = "7"
	got, err := recordOf(testCluster(), cm)
	if err != nil {
		t.Fatal(err)
	}
	want := testRecord(run.Apply)
	want.version = "7"
	if diff := cmp.Diff(want, *got, cmp.AllowUnexported(Record{})); diff != "" {
		t.Errorf("recordOf(ConfigMap(r)): -want, +got:\n%s", diff)
	}

	cases := map[string]struct {
		reason  string
		cluster Cluster
		labels  map[string]string
		want    string
	}{
		"OtherNamespace": {"A cluster of the same name in another namespace.", Cluster{ID: "my-cluster", Namespace: "other"}, cm.Labels, "ConfigMap jobs/provision-my-cluster belongs to cluster my-cluster of namespace kubeopera-system"},
		"Stranger":       {"Somebody's ConfigMap of that name.", testCluster(), nil, "ConfigMap jobs/provision-my-cluster is not ours"},
		"OtherOwner":     {"The namespace was made anew.", Cluster{ID: "my-cluster", Namespace: "kubeopera-system", Owner: "other"}, cm.Labels, "ConfigMap jobs/provision-my-cluster is of an earlier cluster"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			other := cm.DeepCopy()
			other.Labels = tc.labels
			if _, err := recordOf(tc.cluster, other); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("%s\nwant %q, got %v", tc.reason, tc.want, err)
			}
		})
	}

	damaged := cm.DeepCopy()
	damaged.Data[run.SpecFile] = "{"
	if r, err := recordOf(testCluster(), damaged); err != nil || r.Spec.ID != "" || r.Number != 2 {
		t.Errorf("a damaged record keeps its number and is recorded anew: got %+v, %v", r, err)
	}
}

func TestPassedOn(t *testing.T) {
	got := PassedOn([]string{
		"AWS_ENDPOINT_URL=http://a", "AWS_ENDPOINT_URL_S3=http://b", "AWS_ENDPOINT_URLS=http://c", "AWS_ACCESS_KEY_ID=" + canary,
		"no_proxy=.acme.com", "HTTP_PROXY=", "STORAGE_EMULATOR_HOST=d", "TF_LOG=trace",
	})
	var names []string
	for _, v := range got {
		names = append(names, v.Name)
	}
	want := []string{"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "STORAGE_EMULATOR_HOST", "no_proxy"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("PassedOn(...): -want, +got:\n%s", diff)
	}

	cases := map[string]struct {
		reason, value string
		refused       bool
	}{
		"HTTPS_PROXY=http://proxy:3128":                   {reason: "No password."},
		"HTTPS_PROXY=http://user:" + canary + "@proxy":    {reason: "A password.", refused: true},
		"https_proxy=user:" + canary + "@proxy:3128":      {reason: "A password without a scheme.", refused: true},
		"AWS_ENDPOINT_URL=http://user:" + canary + "@aws": {reason: "Endpoints may have one, too.", refused: true},
		"HTTP_PROXY=http://user:%zz" + canary + "@proxy":  {reason: "What cannot be read may hold one.", refused: true},
		"NO_PROXY=a@b,.acme.com":                          {reason: "A list has none."},
	}
	for env, tc := range cases {
		err := withoutPasswords(PassedOn([]string{env}))
		if (err != nil) != tc.refused {
			t.Errorf("%s\nwithoutPasswords(%s): got %v, refused %t", tc.reason, env, err, tc.refused)
		}
		if err != nil && strings.Contains(err.Error(), canary) {
			t.Errorf("%s\nthe error holds the password", tc.reason)
		}
	}
}

func TestEnded(t *testing.T) {
	var before []string
	for range 20 {
		before = Ended(before, []string{"h" + string(rune('a'+len(before))), ""})
	}
	if len(before) != maxHolders {
		t.Errorf("want the last %d holders, got %d", maxHolders, len(before))
	}
	if diff := cmp.Diff([]string{"a", "b"}, Ended([]string{"a"}, []string{"a", "b"})); diff != "" {
		t.Errorf("Ended(...): -want, +got:\n%s", diff)
	}
}

func TestStatusOf(t *testing.T) {
	good, err := json.Marshal(run.Status{Version: run.Version, RunID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason string
		data   string
		want   bool
	}{
		"Good":    {"A report.", string(good), true},
		"Damaged": {"Cut off.", string(good[:8]), false},
		"None":    {"There is none yet.", "", false},
		"Version": {"Of a runner that we do not understand.", `{"version": 99, "runID": "a"}`, false},
	}
	for name, tc := range cases {
		if got := statusOf(map[string][]byte{run.StatusKey: []byte(tc.data)}); (got != nil) != tc.want {
			t.Errorf("%s: %s\ngot %v", name, tc.reason, got)
		}
	}
}
