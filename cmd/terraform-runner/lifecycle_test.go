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
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/names"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// TestLifecycle makes a cluster, resizes and destroys it.
func TestLifecycle(t *testing.T) {
	b := newBed(t)
	b.boot()
	// The machines show who runs, say more than fits a line, and read the keys aloud.
	b.script = `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' >>$BED/argv; head -c 200000 /dev/zero | tr '\0' x; echo; cat $AWS_SHARED_CREDENTIALS_FILE; env | grep -c KUBECONFIG >$BED/kubeconfig; true`

	p := b.run()
	first := b.nodesInState()
	if len(first) != 1 {
		t.Fatalf("want one machine in the state, got %v", first)
	}
	s := b.secret(b.spec.Publish.Secret)
	if diff := cmp.Diff(map[string]string{"kubeconfig": kubeconfigOf, "endpoint": "https://203.0.113.7:6443", "clusterCA": "ca"}, map[string]string{
		"kubeconfig": string(s.Data[run.KubeconfigKey]), "endpoint": string(s.Data[run.EndpointKey]), "clusterCA": string(s.Data[run.ClusterCAKey]),
	}); diff != "" {
		t.Errorf("outputs: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{run.LabelRun: p.id, run.LabelNamespace: b.spec.Namespace}, s.GetLabels()); diff != "" {
		t.Errorf("labels: -want, +got:\n%s", diff)
	}
	if st := b.status(); st.Progress.Done != 1 || st.Progress.Total != 1 || st.Revision != b.spec.Revision || st.Holder == "" || st.StartedAt.IsZero() {
		t.Errorf("status: %+v", st)
	}
	if got := b.untilFile("kubeconfig"); got != "0" {
		t.Error("OpenTofu knows the way to the management cluster")
	}

	b.nodes = 3
	resize := b.run()
	if got := b.nodesInState(); len(got) != 3 || got[0] != first[0] {
		t.Errorf("want the first machine and two more, got %v, had %v", got, first)
	}
	if st := b.status(); st.Progress.Done != 2 || st.Progress.Total != 2 {
		t.Errorf("progress of the resize: %+v", st.Progress)
	}
	state := b.state()

	tag := "kubernetes.io/cluster/" + b.spec.CloudName
	b.cloud.SetLeftovers(
		cloudtest.Leftover{Kind: cloudtest.LoadBalancer, ID: "arn:aws:elasticloadbalancing:eu-central-1:111111111111:loadbalancer/net/k8s/1", Tags: map[string]string{tag: "owned", "kubernetes.io/service-name": "web/front"}, Lingers: 1},
		cloudtest.Leftover{Kind: cloudtest.Volume, ID: "vol-1", Status: "available", Tags: map[string]string{tag: "owned", "kubernetes.io/created-for/pvc/name": "data"}},
		cloudtest.Leftover{Kind: cloudtest.Volume, ID: "vol-2", Status: "available", Tags: map[string]string{"kubernetes.io/cluster/another": "owned", "kubernetes.io/created-for/pvc/name": "data"}},
	)
	b.spec.Action = run.Destroy
	destroy := b.run()
	if diff := cmp.Diff([]string{"vol-2"}, b.cloud.Leftovers()); diff != "" {
		t.Errorf("leftovers: -want, +got:\n%s", diff)
	}
	if got := b.cloud.Buckets(); len(got) != 0 {
		t.Errorf("buckets left: %v", got)
	}
	if got := b.parameters(); len(got) != 0 {
		t.Errorf("parameters left: %v", got)
	}
	again := b.run()
	if !strings.Contains(again.log.String(), "no state bucket") {
		t.Error("a destroy after a destroy has nothing to do")
	}

	argv, err := os.ReadFile(b.path("bed/argv"))
	b.must(err)
	if !strings.Contains(string(argv), "apply") {
		t.Fatalf("the test does not see arguments: %q", argv)
	}
	for what, text := range map[string]string{
		"argv": string(argv), "state": state, "log of apply": p.log.String(), "log of resize": resize.log.String(),
		"log of destroy": destroy.log.String(), "Secret": b.everySecret(),
	} {
		for _, canary := range []string{cloudtest.DefaultKey.ID, cloudtest.DefaultKey.Secret, "kubeconfig-canary"} {
			if strings.Contains(text, canary) && (canary != "kubeconfig-canary" || what != "Secret") {
				t.Errorf("%s shows %s", what, canary)
			}
		}
	}
	if !strings.Contains(p.log.String(), "aws_secret_access_key = [redacted]") {
		t.Error("the log does not show what the machines said")
	}
}

// TestGKE makes and destroys a cluster with its state on Cloud Storage.
func TestGKE(t *testing.T) {
	b := newBed(t)
	const project = "team-1234"
	b.spec.Topology, b.spec.Project, b.spec.Region = v1alpha1.TopologyGKE, project, "europe-west1"
	b.spec.State.Backend, b.spec.State.Region, b.spec.State.Key = "gcs", "europe-west1", "terraform/state"
	b.write("credentials/gcp.json", string(b.cloud.GCPKey(b.url, project)))
	b.env["GOOGLE_APPLICATION_CREDENTIALS"] = b.path("credentials/gcp.json")
	b.root = map[string]any{"output": map[string]any{
		"endpoint":   map[string]any{"value": "203.0.113.9"},
		"cluster_ca": map[string]any{"value": base64.StdEncoding.EncodeToString([]byte("-----BEGIN CERTIFICATE-----"))},
	}}
	b.spec.Action = run.Destroy
	b.run() // Nothing was made yet.

	b.spec.Action = run.Apply
	apply := b.run()
	s := b.secret(b.spec.Publish.Secret)
	if got := string(s.Data[run.KubeconfigKey]); string(s.Data[run.EndpointKey]) != "https://203.0.113.9" || !strings.Contains(got, kubeconfig.GKETokenHelper) || !strings.Contains(got, project) {
		t.Errorf("kubeconfig:\n%s", got)
	}
	if buckets := b.cloud.GCSBuckets(); len(buckets) != 1 || buckets[b.spec.State.Bucket].Objects == 0 {
		t.Errorf("want a bucket with the state, got %v", buckets)
	}
	b.run()
	if st := b.status(); st.Progress.Total != 0 {
		t.Errorf("the second run did not know of the first: %+v", st.Progress)
	}

	global, zone := "projects/"+project+"/global/", "projects/"+project+"/zones/europe-west1-b/"
	b.cloud.SetCompute(
		cloudtest.ComputeResource{Path: global + "firewalls/k8s-fw-a1", Fields: map[string]any{
			"network": global + "networks/" + b.spec.CloudName, "description": `{"kubernetes.io/service-name":"web/front"}`,
		}, Lingers: 1},
		cloudtest.ComputeResource{Path: global + "firewalls/office", Fields: map[string]any{"network": global + "networks/default"}},
		cloudtest.ComputeResource{Path: zone + "instances/gke-nodes-0", Fields: map[string]any{
			"labels": map[string]string{"goog-k8s-cluster-name": b.spec.CloudName, "goog-k8s-cluster-location": b.spec.Region},
		}},
		cloudtest.ComputeResource{
			Path: zone + "networkEndpointGroups/k8s1-a1b2c3d4-web-front-80-x", Members: []string{zone + "instances/gke-nodes-0"},
			Fields: map[string]any{"network": global + "networks/default", "description": `{"cluster-uid":"11111111-2222-4333-8444-555555555555"}`},
		},
	)
	b.spec.Action = run.Destroy
	p := b.run()
	if left := b.cloud.Compute(); !cmp.Equal(left, []string{"gke-nodes-0", "office"}) || !strings.Contains(p.log.String(), "Removing projects/"+project+"/global/firewalls/k8s-fw-a1") {
		t.Errorf("want the rule of a Service and its endpoints removed, left are %v\n%s", left, p.log.String())
	}
	if buckets := b.cloud.GCSBuckets(); len(buckets) != 0 {
		t.Errorf("buckets left: %v", buckets)
	}
	b.showsNoKey(project, apply, p)
	b.write("credentials/gcp.json", strings.Replace(string(b.cloud.GCPKey(b.url, project)), "BEGIN", "BEGUN", 1))
	b.fail(run.ClassAuth)
}

// TestNothingMade destroys what never came to be: no bucket, and an empty one.
func TestNothingMade(t *testing.T) {
	b := newBed(t)
	b.spec.Action = run.Destroy
	b.run()

	b.cloud.SetBucket(b.spec.State.Bucket, cloudtest.Bucket{Account: cloudtest.DefaultKey.Account, Region: region, Tags: map[string]string{"kubeopera.io/owner": b.spec.Owner}})
	b.cloud.SetParameter(cloudtest.DefaultKey.Account, region, names.ParameterPrefix(b.spec.CloudName)+"lock/1", "i-1")
	b.run()
	if buckets, parameters := b.cloud.Buckets(), b.parameters(); len(buckets)+len(parameters) != 0 {
		t.Errorf("left: %v, %v", buckets, parameters)
	}
}

// TestBrokenDestroy has each step of a destroy fail, and the next destroy go on from there.
func TestBrokenDestroy(t *testing.T) {
	b := newBed(t)
	b.boot()
	b.run()
	b.spec.Action = run.Destroy
	for _, step := range []struct {
		name string
		is   func(r *http.Request) bool
	}{
		{"State", func(r *http.Request) bool {
			return r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, ".tfstate")
		}},
		{"Parameters", func(r *http.Request) bool { return r.Header.Get("X-Amz-Target") == "AmazonSSM.DeleteParameters" }},
		{"Versions", func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Query().Has("delete") }},
		{"Bucket", func(r *http.Request) bool {
			return r.Method == http.MethodDelete && strings.Trim(r.URL.Path, "/") == b.spec.State.Bucket
		}},
	} {
		var seen atomic.Bool
		b.breakdown(func(r *http.Request) bool {
			is := step.is(r)
			if is {
				seen.Store(true)
			}
			return is
		})
		b.fail(run.ClassTransient)
		b.breakdown(nil)
		if !seen.Load() {
			t.Fatalf("%s: the test missed the step", step.name)
		}
	}
	b.run()
	if buckets, parameters := b.cloud.Buckets(), b.parameters(); len(buckets)+len(parameters) != 0 {
		t.Errorf("left: %v, %v", buckets, parameters)
	}
}

// showsNoKey looks for the key of the service account in what was written.
func (b *bed) showsNoKey(project string, apply, destroy *process) {
	b.Helper()
	key := struct {
		PEM string `json:"private_key"`
	}{}
	b.must(json.Unmarshal(b.cloud.GCPKey(b.url, project), &key))
	line := strings.Split(key.PEM, "\n")[1]
	for what, text := range map[string]string{
		"log of apply": apply.log.String(), "log of destroy": destroy.log.String(), "Secret": b.everySecret(),
	} {
		if text == "" || strings.Contains(text, line) {
			b.Errorf("%s is empty, or shows the key", what)
		}
	}
}
