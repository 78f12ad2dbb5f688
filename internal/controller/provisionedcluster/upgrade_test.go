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

package provisionedcluster

import (
	"bytes"
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/executor"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// TestUpgrade: a cluster that an older release has made stays as it is until
// somebody asks for something.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(w.pc)
	first := w.succeeds()
	w.ready()

	// The older release has rendered it otherwise.
	w.record(func(r *run.Spec) { r.Revision = run.Revision([]byte("{}")) }, "{}")
	w.ready()
	kt.Unchanged(t, w.kube, 3, w.reconcile, w.everything(), client.InNamespace(w.ns))
	kt.Unchanged(t, w.kube, 3, w.reconcile, []client.ObjectList{&batchv1.JobList{}, &corev1.ConfigMapList{}}, client.InNamespace(w.jobs))

	w.change(func(pc *v1alpha1.ProvisionedCluster) {
		metav1.SetMetaDataAnnotation(&pc.ObjectMeta, meta.AnnotationKeyReconcileRequestedAt, "after the upgrade")
	})
	second := w.succeeds(first.ID)
	w.Expect(second.Revision).To(Equal(first.Revision))
	w.ready()
}

// record changes the recorded run.
func (w *world) record(change func(*run.Spec), config string) {
	w.t.Helper()
	cm := &corev1.ConfigMap{}
	w.Expect(w.kube.Get(w.t.Context(), client.ObjectKey{Namespace: w.jobs, Name: run.InputName(w.pc.GetName())}, cm)).To(Succeed())
	spec := run.Spec{}
	w.Expect(json.Unmarshal([]byte(cm.Data[run.SpecFile]), &spec)).To(Succeed())
	change(&spec)
	data, err := json.Marshal(spec)
	w.Expect(err).NotTo(HaveOccurred())
	cm.Data[run.SpecFile], cm.Data[run.ConfigFile] = string(data), config
	w.Expect(w.kube.Update(w.t.Context(), cm)).To(Succeed())
}

// applies is a cluster that is there, made as it is wanted.
func applies(t *testing.T, w *workflow, pc *v1alpha1.ProvisionedCluster, account v1alpha1.ProviderConfigSpec) State {
	t.Helper()
	s := state(func(s *State) { s.Place = v1alpha1.RunPlace{Mode: v1alpha1.ExecutionJob, Namespace: "jobs"} })
	wanted, err := w.wanted(pc, account, s)
	if err != nil {
		t.Fatal(err)
	}
	s.Wanted = wanted
	recorded(&s)
	s.Seen.Record.Config = wanted.Config
	reported(v1alpha1.RunSucceeded, "")(&s)
	return s
}

func vanilla(version string) *v1alpha1.ProvisionedCluster {
	pc := &v1alpha1.ProvisionedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"}}
	pc.Spec.ForProvider = v1alpha1.ProvisionedClusterParameters{
		Sizing:   v1alpha1.Sizing{Topology: v1alpha1.TopologyVanilla, NodeCount: 2, InstanceType: "t3.medium", KubernetesVersion: version},
		Provider: "aws", Region: "eu-north-1",
	}
	return pc
}

// TestVersionEnded: a version that has ended since does not trouble a cluster
// that is there, and keeps nothing new from being made of it.
func TestVersionEnded(t *testing.T) {
	w := &workflow{}
	pc := vanilla("1.36.2")
	s := applies(t, w, pc, v1alpha1.ProviderConfigSpec{})
	pc.Spec.ForProvider.KubernetesVersion = "1.20.1" // This release knows it no more.
	request, err := requestOf(pc, s.Seen.Record.Spec)
	if err != nil {
		t.Fatal(err)
	}
	s.Seen.Record.Request = request

	got, err := w.wanted(pc, v1alpha1.ProviderConfigSpec{}, s)
	if err != nil || !bytes.Equal(got.Config, s.Seen.Record.Config) {
		t.Fatalf("the configuration that was applied must stay: %v", err)
	}
	s.Wanted = got
	if !settled(s) {
		t.Error("a cluster that is there must stay Ready")
	}
	pc.Spec.ForProvider.NodeCount++
	if _, err := w.wanted(pc, v1alpha1.ProviderConfigSpec{}, s); !fault.Is(err, fault.Refused) {
		t.Errorf("a change must be refused, and say which versions there are: got %v", err)
	}
}

// TestMoved: neither the state nor the cluster is looked for where it is not.
func TestMoved(t *testing.T) {
	here := run.Spec{Action: run.Apply, Revision: "r1", State: run.State{Backend: "gcs", Bucket: "b"}, Project: "one"}
	elsewhere := here
	elsewhere.State.Endpoint = "https://elsewhere"
	other := here
	other.Project = "two"
	seen := func(phase v1alpha1.RunStatus, change ...func(*executor.Record)) executor.Seen {
		r := &executor.Record{Spec: here}
		r.Spec.ID = "x"
		for _, c := range change {
			c(r)
		}
		return executor.Seen{Record: r, Status: &run.Status{RunID: "x", Action: r.Spec.Action, Phase: phase}}
	}
	before := func(r *executor.Record) { r.Applied = "r0" }
	destroy := func(r *executor.Record) { r.Spec.Action = run.Destroy }
	cases := map[string]struct {
		reason string
		want   run.Spec
		seen   executor.Seen
		class  fault.Class
	}{
		"Never":         {"Nothing was made.", elsewhere, executor.Seen{}, ""},
		"FirstFailed":   {"Nor was anything with an endpoint that is mistyped: it can be corrected.", elsewhere, seen(v1alpha1.RunFailed), ""},
		"Same":          {"Nothing has moved.", here, seen(v1alpha1.RunSucceeded), ""},
		"State":         {"The state is elsewhere.", elsewhere, seen(v1alpha1.RunSucceeded), fault.Refused},
		"Project":       {"The cluster is in another project.", other, seen(v1alpha1.RunSucceeded), fault.Refused},
		"LaterFailed":   {"A change of a cluster that is there has failed.", elsewhere, seen(v1alpha1.RunFailed, before), fault.Refused},
		"DestroyFailed": {"It is not destroyed yet.", elsewhere, seen(v1alpha1.RunFailed, before, destroy), fault.Refused},
		"Destroyed":     {"It is gone, and may be made anew anywhere.", elsewhere, seen(v1alpha1.RunSucceeded, before, destroy), ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := moved(tc.want, tc.seen)
			if tc.class == "" && err != nil || tc.class != "" && !fault.Is(err, tc.class) {
				t.Errorf("%s\nmoved(...): want class %q, got %v", tc.reason, tc.class, err)
			}
		})
	}

	failing := state(recorded, destroys, ended, reported(v1alpha1.RunFailed, run.ClassAuth))
	failing.Seen.Record.Spec.Action, failing.Seen.Record.Applied = run.Destroy, "r0"
	if r := nextRecord(failing); r.Applied != "r0" {
		t.Errorf("a destroy that is tried again must know that there is a cluster: got %+v", r)
	}
}

// TestMoveKeepsState: runs do not move away from the only copy of their state.
func TestMoveKeepsState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(w.pc)
	first := w.fails(run.ClassTransient)
	w.says("Failing", "the cloud says no")
	rescue := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.jobs, Name: run.RescueName(w.pc.GetName())},
		Data:       map[string][]byte{run.RescueKey: []byte("state")},
	}
	w.Expect(w.kube.Create(t.Context(), rescue)).To(Succeed())
	from := w.jobs
	w.jobs = w.cp.Namespace(t)
	w.install("provisioning/runner.yaml", "provisioning/provisioner.yaml")
	w.runner = w.client(w.serviceAccount(w.jobs, executor.ServiceAccount))
	config := &v1alpha1.ProviderConfig{}
	w.Expect(w.kube.Get(t.Context(), client.ObjectKey{Namespace: w.ns, Name: "acme"}, config)).To(Succeed())
	config.Spec.Execution.Namespace = w.jobs
	w.Expect(w.kube.Update(t.Context(), config)).To(Succeed())
	w.says("Refused", "the only copy of the state is in Secret "+from+"/"+rescue.GetName())
	w.Expect(w.kube.Get(t.Context(), client.ObjectKeyFromObject(rescue), rescue)).To(Succeed())
	w.Expect(rescue.Data).NotTo(BeEmpty())

	// A run has written it to its bucket.
	rescue.Data = nil
	w.Expect(w.kube.Update(t.Context(), rescue)).To(Succeed())
	w.succeeds(first.ID)
	w.ready()
}
