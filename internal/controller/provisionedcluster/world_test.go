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
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/go-logr/logr"
	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource/fake"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/executor"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

const (
	// patience is how long the tests wait for the Job controller; the machine may be busy.
	patience = time.Minute

	// canary is in every credential.
	canary = "s3cr3tCanaryOfTheseTests00000000000000000"
)

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	os.Exit(kt.Main(m))
}

// world is a namespace with a ProvisionedCluster, and one for its Jobs, on a
// real API server with the real Job controller. The reconciler has the rights
// of the documents' Roles and no more; so has the test where it plays
// terraform-runner.
type world struct {
	*WithT

	t     *testing.T
	cp    *kt.ControlPlane
	kube  client.WithWatch // May do everything.
	ns    string
	jobs  string
	clock *clocktesting.FakePassiveClock
	max   int
	// refuse is what the cloud says to credentials.
	refuse error
	// asked is what happens while the cloud is asked about them.
	asked func()
	pc    *v1alpha1.ProvisionedCluster

	provider *rest.Config
	runner   client.WithWatch
	r        reconcile.Reconciler
	wf       *workflow
}

// mgrStub is as much of a manager as a reconciler asks for.
type mgrStub struct{ fake.Manager }

func (*mgrStub) GetEventRecorderFor(string) record.EventRecorder { return &record.FakeRecorder{} }

// jobsOnly executes all runs as Jobs.
type jobsOnly struct {
	kube client.Client
	max  int
}

func (j jobsOnly) At(p v1alpha1.RunPlace) executor.Executor {
	return executor.NewJobs(j.kube, j.kube, nil, executor.JobOptions{Namespace: p.Namespace, MaxRuns: j.max, Environ: func() []string { return nil }})
}

func newWorld(t *testing.T) *world {
	t.Helper()
	cp := kt.Shared(t)
	w := &world{
		WithT: NewWithT(t), t: t, cp: cp, kube: cp.Client, ns: cp.Namespace(t), jobs: cp.Namespace(t), max: 10, asked: func() {},
		clock: clocktesting.NewFakePassiveClock(time.Now()),
	}
	w.SetDefaultEventuallyTimeout(patience)
	w.SetDefaultEventuallyPollingInterval(50 * time.Millisecond)
	w.install("provisioning/runner.yaml", "provisioning/provisioner.yaml", "provider/rbac.yaml")
	w.provider = w.serviceAccount(w.ns, "host-cluster-controller")
	w.runner = w.client(w.serviceAccount(w.jobs, executor.ServiceAccount))
	w.through(w.client(w.provider))

	w.create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "aws"},
		Data:       map[string][]byte{"credentials": []byte("[default]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = " + canary + "\n")},
	})
	w.create(&v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "acme"}, Spec: v1alpha1.ProviderConfigSpec{
		Type: v1alpha1.CredentialAWSAccessKey,
		Credentials: v1alpha1.Credentials{
			Source: v1alpha1.CredentialsSecret, SecretRef: &v1alpha1.SecretKeySelector{Name: "aws", Key: "credentials"},
		},
		Execution: &v1alpha1.Execution{Namespace: w.jobs},
	}})
	w.pc = &v1alpha1.ProvisionedCluster{ObjectMeta: metav1.ObjectMeta{Name: "my-cluster"}}
	w.pc.Spec.ForProvider = v1alpha1.ProvisionedClusterParameters{
		Sizing:   v1alpha1.Sizing{Topology: v1alpha1.TopologyEKS, NodeCount: 2, InstanceType: "t3.medium", KubernetesVersion: "1.36"},
		Provider: "aws", Region: "eu-north-1",
	}
	w.pc.Spec.ProviderConfigReference = &xpv2.ProviderConfigReference{Kind: v1alpha1.ProviderConfigKind, Name: "acme"}
	w.pc.Spec.WriteConnectionSecretToReference = &xpv2.LocalSecretReference{Name: "published"}
	return w
}

// install manifests of cluster/install into the test's namespaces.
func (w *world) install(files ...string) {
	w.t.Helper()
	root, err := kt.ModuleRoot()
	w.Expect(err).NotTo(HaveOccurred())
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(root, "cluster", "install", f))
		w.Expect(err).NotTo(HaveOccurred())
		text := strings.ReplaceAll(string(data), "kubeopera-provisioning", w.jobs)
		text = strings.ReplaceAll(text, "kubeopera-system", w.ns)
		for doc := range strings.SplitSeq(text, "\n---\n") {
			u := &unstructured.Unstructured{}
			w.Expect(yaml.Unmarshal([]byte(doc), &u.Object)).To(Succeed())
			if u.GetNamespace() == "" {
				u.SetNamespace(w.ns)
			}
			w.Expect(w.kube.Create(w.t.Context(), u)).To(Succeed())
		}
	}
}

// serviceAccount returns what a pod of a ServiceAccount has.
func (w *world) serviceAccount(namespace, name string) *rest.Config {
	w.t.Helper()
	sa := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	tr := &authenticationv1.TokenRequest{}
	w.Expect(w.kube.SubResource("token").Create(w.t.Context(), sa, tr)).To(Succeed())
	return &rest.Config{Host: w.cp.Config.Host, BearerToken: tr.Status.Token, TLSClientConfig: rest.TLSClientConfig{CAData: w.cp.Config.CAData}, QPS: -1}
}

func (w *world) client(cfg *rest.Config) client.WithWatch {
	w.t.Helper()
	c, err := client.NewWithWatch(cfg, client.Options{Scheme: kt.Scheme()})
	w.Expect(err).NotTo(HaveOccurred())
	return c
}

// through makes the reconciler work through a client.
func (w *world) through(kube client.WithWatch) {
	w.wf, w.r = w.reconciler(kube)
}

func (w *world) reconciler(kube client.WithWatch) (*workflow, reconcile.Reconciler) {
	wf := &workflow{
		kube: kube, live: kube, accounts: cloud.Resolver{Reader: kube, Namespace: w.ns}, executors: jobsOnly{kube: kube, max: w.max},
		tracker:  resource.NewProviderConfigUsageTracker(kube, &v1alpha1.ProviderConfigUsage{}),
		check:    func(context.Context, *cloud.Credentials, string) error { w.asked(); return w.refuse },
		settings: Settings{Namespace: w.ns, MaxRuns: w.max, RunnerImage: "runner", JobNamespace: "elsewhere"}, clock: w.clock,
	}
	features := &feature.Flags{}
	features.Enable(feature.EnableBetaManagementPolicies)
	o := external.Options{Options: controller.Options{Logger: logging.NewNopLogger(), PollInterval: time.Minute, Features: features}}
	mgr := &mgrStub{fake.Manager{Client: kube, Scheme: kube.Scheme()}}
	return wf, external.NewReconciler(mgr, o, v1alpha1.Kind(v1alpha1.ProvisionedClusterKind), wf)
}

func (w *world) create(o client.Object) {
	w.t.Helper()
	o.SetNamespace(w.ns)
	w.Expect(w.kube.Create(w.t.Context(), o)).To(Succeed())
}

// reconcile once. Its errors are in the status.
func (w *world) reconcile() error {
	_, err := w.r.Reconcile(w.t.Context(), reconcile.Request{NamespacedName: w.key()})
	return err
}

func (w *world) key() client.ObjectKey {
	return client.ObjectKey{Namespace: w.ns, Name: w.pc.GetName()}
}

func (w *world) get() *v1alpha1.ProvisionedCluster {
	w.t.Helper()
	pc := &v1alpha1.ProvisionedCluster{}
	w.Expect(w.kube.Get(w.t.Context(), w.key(), pc)).To(Succeed())
	return pc
}

// until the ProvisionedCluster is as it should be.
func (w *world) until(check func(g Gomega, pc *v1alpha1.ProvisionedCluster)) {
	w.t.Helper()
	w.Eventually(func(g Gomega) {
		_ = w.reconcile()
		pc := &v1alpha1.ProvisionedCluster{}
		g.Expect(w.kube.Get(w.t.Context(), w.key(), pc)).To(Succeed())
		check(g, pc)
	}).Should(Succeed())
}

// says waits until the Ready condition has a message.
func (w *world) says(reason, message string) {
	w.t.Helper()
	w.until(func(g Gomega, pc *v1alpha1.ProvisionedCluster) {
		c := pc.GetCondition("Ready")
		g.Expect(c.Message).To(ContainSubstring(message))
		g.Expect(string(c.Reason)).To(Equal(reason))
	})
}

// change the ProvisionedCluster.
func (w *world) change(f func(*v1alpha1.ProvisionedCluster)) {
	w.t.Helper()
	pc := w.get()
	before := pc.DeepCopy()
	f(pc)
	w.Expect(w.kube.Patch(w.t.Context(), pc, client.MergeFrom(before))).To(Succeed())
}

// pod waits until a run other than those that are known has a pod.
func (w *world) pod(not ...string) (*corev1.Pod, run.Spec) {
	w.t.Helper()
	var found *corev1.Pod
	w.Eventually(func(g Gomega) {
		_ = w.reconcile()
		found = nil
		l := &corev1.PodList{}
		g.Expect(w.kube.List(w.t.Context(), l, client.InNamespace(w.jobs))).To(Succeed())
		for i := range l.Items {
			p := &l.Items[i]
			if p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
				found = p
			}
		}
		g.Expect(found).NotTo(BeNil(), w.get().GetCondition("Ready").Message)
		g.Expect(not).NotTo(ContainElement(found.Labels[run.LabelRun]))
	}).Should(Succeed())
	cm := &corev1.ConfigMap{}
	w.Expect(w.kube.Get(w.t.Context(), client.ObjectKey{Namespace: w.jobs, Name: run.InputName(w.pc.GetName())}, cm)).To(Succeed())
	spec := run.Spec{}
	w.Expect(json.Unmarshal([]byte(cm.Data[run.SpecFile]), &spec)).To(Succeed())
	w.Expect(found.Labels[run.LabelRun]).To(Equal(spec.ID))
	return found, spec
}

// reports what terraform-runner would, with its rights.
func (w *world) reports(spec run.Spec, phase v1alpha1.RunStatus, change ...func(*run.Status)) {
	w.t.Helper()
	st := run.Status{
		Version: run.Version, RunID: spec.ID, Action: spec.Action, Revision: spec.Revision, Phase: phase,
		Progress:  v1alpha1.Progress{Done: 3, Total: 42, Step: "Creating aws_eks_cluster.this"},
		StartedAt: w.clock.Now().UTC(),
	}
	if phase != v1alpha1.RunRunning {
		st.FinishedAt = w.clock.Now().UTC()
	}
	for _, c := range change {
		c(&st)
	}
	data, err := json.Marshal(st)
	w.Expect(err).NotTo(HaveOccurred())
	s := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: spec.Publish.Namespace, Name: spec.Publish.Secret, Labels: map[string]string{run.LabelRun: spec.ID}},
		Data:       map[string][]byte{run.StatusKey: data},
	}
	if phase == v1alpha1.RunSucceeded && spec.Action == run.Apply {
		s.Data[run.KubeconfigKey] = []byte("kubeconfig of " + spec.ID)
		s.Data[run.EndpointKey] = []byte("https://cluster")
		s.Data[run.ClusterCAKey] = []byte("ca")
	}
	w.Eventually(func() error { // Rights take a moment.
		err := w.runner.Create(w.t.Context(), s.DeepCopy())
		if kerrors.IsAlreadyExists(err) {
			return w.runner.Update(w.t.Context(), s.DeepCopy())
		}
		return err
	}).Should(Succeed())
}

// ends a pod as kubelet would report it.
func (w *world) ends(p *corev1.Pod, code int32) {
	w.t.Helper()
	before := p.DeepCopy()
	p.Status.Phase = corev1.PodSucceeded
	if code != 0 {
		p.Status.Phase = corev1.PodFailed
	}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name:  p.Spec.Containers[0].Name,
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: "Error"}},
	}}
	w.Expect(w.kube.Status().Patch(w.t.Context(), p, client.MergeFrom(before))).To(Succeed())
}

// succeeds plays the next run to its good end.
func (w *world) succeeds(not ...string) run.Spec {
	w.t.Helper()
	p, spec := w.pod(not...)
	w.reports(spec, v1alpha1.RunSucceeded)
	w.ends(p, 0)
	return spec
}

// fails plays the next run to a bad end.
func (w *world) fails(class run.Class, not ...string) run.Spec {
	w.t.Helper()
	p, spec := w.pod(not...)
	w.reports(spec, v1alpha1.RunFailed, func(s *run.Status) { s.Error = &run.Error{Class: class, Message: "the cloud says no"} })
	w.ends(p, 1)
	return spec
}

func (w *world) ready() {
	w.t.Helper()
	w.until(func(g Gomega, pc *v1alpha1.ProvisionedCluster) {
		c := pc.GetCondition("Ready")
		g.Expect(string(c.Status)).To(Equal("True"), c.Message)
		g.Expect(c.ObservedGeneration).To(Equal(pc.GetGeneration()))
	})
}

// nothingLeft makes sure that no trace of the cluster's runs is left.
func (w *world) nothingLeft() {
	w.t.Helper()
	w.Eventually(func(g Gomega) {
		_ = w.reconcile()
		g.Expect(kerrors.IsNotFound(w.kube.Get(w.t.Context(), w.key(), &v1alpha1.ProvisionedCluster{}))).To(BeTrue())
	}).Should(Succeed())
	for _, l := range []client.ObjectList{&batchv1.JobList{}, &corev1.SecretList{}} {
		v, err := kt.VersionsOf(w.t.Context(), w.kube, []client.ObjectList{l}, client.InNamespace(w.jobs))
		w.Expect(err).NotTo(HaveOccurred())
		w.Expect(v).To(BeEmpty())
	}
	l := &corev1.ConfigMapList{}
	w.Expect(w.kube.List(w.t.Context(), l, client.InNamespace(w.jobs), client.HasLabels{v1alpha1.LabelHostCluster})).To(Succeed())
	w.Expect(l.Items).To(BeEmpty())
}

// everything that this controller may write in the namespace of the ProvisionedCluster.
func (w *world) everything() []client.ObjectList {
	return []client.ObjectList{
		&v1alpha1.ProvisionedClusterList{}, &v1alpha1.ProviderConfigUsageList{}, &corev1.SecretList{},
	}
}
