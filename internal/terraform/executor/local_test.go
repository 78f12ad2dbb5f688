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
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// Environment of this program when it plays another one.
const (
	playRunner   = "KUBEOPERA_TEST_PLAY"
	playProvider = "provider"
)

// TestMain plays terraform-runner and a provider, which these tests start as
// processes of their own.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 2 && os.Args[1] == "run" && strings.HasPrefix(os.Args[2], "--run-dir="):
		os.Exit(standIn())
	case os.Getenv(playRunner) == playProvider:
		os.Exit(provider())
	default:
		os.Exit(m.Run())
	}
}

// standIn stands in for terraform-runner: it says what it sees, and works until
// the file `end` is there or it gets its one signal.
func standIn() int {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	key, err := os.ReadFile(os.Getenv("AWS_SHARED_CREDENTIALS_FILE"))
	fmt.Fprintln(os.Stdout, "credentials", len(key), err)
	for _, e := range os.Environ() {
		fmt.Fprintln(os.Stdout, "env", e)
	}
	fmt.Fprintln(os.Stdout, "args", os.Args[1:])
	fmt.Fprintln(os.Stdout, "working")
	for range 3000 {
		select {
		case s := <-signals:
			fmt.Fprintln(os.Stdout, "signal", s)
			return 1
		case <-time.After(10 * time.Millisecond):
		}
		if _, err := os.Stat("end"); err == nil {
			return 0
		}
	}
	return 2
}

// provider starts a run, and works until it is killed.
func provider() int {
	l, err := local(os.Getenv("DIR"))
	if err == nil {
		err = l.Start(context.Background(), testCluster(), testRecord(run.Apply), testSetup2())
	}
	if err != nil {
		fmt.Fprintln(os.Stdout, err)
		return 1
	}
	<-time.After(time.Minute)
	return 0
}

func local(dir string, objects ...client.Object) (*Local, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := fake.NewClientBuilder().WithObjects(objects...).Build()
	return NewLocal(c, c, LocalOptions{Dir: dir, Runner: self, MaxRuns: 1, Kubeconfig: "/kubeconfig", Environ: func() []string {
		return []string{"PATH=/bin", "AWS_SECRET_ACCESS_KEY=" + canary, "NO_PROXY=.acme.com", "AWS_ROLE_ARN=own"}
	}})
}

func testSetup2() Setup {
	s := testSetup()
	s.Env = func(dir string) map[string]string {
		return map[string]string{"AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, run.AWSCredentialsFile)}
	}
	return s
}

// bed is a directory for runs.
type bed struct {
	*WithT

	dir directory
	l   *Local
	end func()
}

func newBed(t *testing.T) *bed {
	t.Helper()
	b := &bed{WithT: NewWithT(t)}
	b.SetDefaultEventuallyTimeout(30 * time.Second)
	root := t.TempDir()
	var err error
	b.l, err = local(root)
	b.Expect(err).NotTo(HaveOccurred())
	b.dir = b.l.directory(testCluster())
	b.end = func() { b.Expect(os.WriteFile(filepath.Join(string(b.dir), "end"), nil, 0o600)).To(Succeed()) }
	t.Cleanup(func() {
		_ = os.MkdirAll(string(b.dir), 0o700)
		_ = os.WriteFile(filepath.Join(string(b.dir), "end"), nil, 0o600)
		for b.dir.busy() {
			<-time.After(10 * time.Millisecond)
		}
	})
	return b
}

func (b *bed) log() string {
	data, err := os.ReadFile(b.dir.logPath())
	b.Expect(err).NotTo(HaveOccurred())
	return string(data)
}

func (b *bed) start(t *testing.T) {
	t.Helper()
	b.Expect(b.l.Record(t.Context(), testCluster(), testRecord(run.Apply))).To(Succeed())
	b.Expect(b.l.Start(t.Context(), testCluster(), testRecord(run.Apply), testSetup2())).To(Succeed())
	b.Eventually(b.log).Should(ContainSubstring("working"))
}

// TestLocal: a run is a process with what it needs and nothing else, one at a time.
func TestLocal(t *testing.T) {
	b := newBed(t)
	b.start(t)

	seen, err := b.l.Look(t.Context(), testCluster())
	b.Expect(err).NotTo(HaveOccurred())
	b.Expect(seen.Execution).To(Equal(Execution{RunID: "apply-2-5f2c9a1b", Running: true}))
	b.Expect(seen.Record.Spec).To(Equal(testRecord(run.Apply).Spec))

	log := b.log()
	b.Expect(log).To(ContainSubstring("credentials %d <nil>", len(canary)))
	b.Expect(log).To(ContainSubstring("env KUBECONFIG=/kubeconfig"))
	b.Expect(log).To(ContainSubstring("env NO_PROXY=.acme.com"))
	b.Expect(log).NotTo(ContainSubstring(canary))
	b.Expect(log).NotTo(ContainSubstring("AWS_ROLE_ARN"))
	info, err := os.Stat(filepath.Join(b.dir.credentials(), run.AWSCredentialsFile))
	b.Expect(err).NotTo(HaveOccurred())
	b.Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o600)))

	// Nobody starts a second one, not even between its end and the removal of its credentials.
	b.l.max++
	b.Expect(b.l.Start(t.Context(), testCluster(), testRecord(run.Destroy), testSetup2())).To(Succeed())
	b.Expect(b.dir.runID()).To(Equal("apply-2-5f2c9a1b"))
	b.l.max--
	b.Expect(fault.Is(b.l.Start(t.Context(), testCluster(), testRecord(run.Apply), testSetup2()), fault.Waiting)).To(BeTrue())
	other, err := local(b.l.dir)
	b.Expect(err).NotTo(HaveOccurred())
	b.Expect(other.Start(t.Context(), testCluster(), testRecord(run.Apply), testSetup2())).To(Succeed(), "it sees the other's when it looks")
	b.Expect(strings.Count(b.log(), "working")).To(Equal(1))
	b.Expect(other.Running(t.Context())).To(BeZero())

	b.end()
	b.Eventually(func() (int, error) { return b.l.Running(t.Context()) }).Should(BeZero())
	seen, err = b.l.Look(t.Context(), testCluster())
	b.Expect(err).NotTo(HaveOccurred())
	b.Expect(seen.Execution.Running).To(BeFalse())
	b.Expect(seen.Execution.Ended).NotTo(BeZero())
	_, err = os.Stat(b.dir.credentials())
	b.Expect(os.IsNotExist(err)).To(BeTrue(), "credentials go with the run")

	b.Expect(b.l.Forget(t.Context(), testCluster())).To(Succeed())
	b.Expect(b.l.ForgetReport(t.Context(), testCluster())).To(Succeed())
	seen, err = b.l.Look(t.Context(), testCluster())
	b.Expect(err).NotTo(HaveOccurred())
	b.Expect(seen).To(Equal(Seen{Inline: true}))
}

// TestLocalEnds: a run ends with its provider, by one signal.
func TestLocalEnds(t *testing.T) {
	b := newBed(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- b.l.Run(ctx) }()
	b.start(t)
	cancel()
	b.Eventually(ended, 30*time.Second).Should(Receive(BeNil()))
	b.Expect(strings.Count(b.log(), "signal")).To(Equal(1))
	b.Expect(b.dir.busy()).To(BeFalse())
	err := b.l.Start(t.Context(), testCluster(), testRecord(run.Apply), testSetup2())
	b.Expect(fault.Is(err, fault.Waiting)).To(BeTrue(), "a provider that ends starts nothing")
}

// TestLocalKilled: a run learns that its provider was killed, and the next
// provider starts it again, and removes the credentials that it left.
func TestLocalKilled(t *testing.T) {
	b := newBed(t)
	self, err := os.Executable()
	b.Expect(err).NotTo(HaveOccurred())
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), playRunner+"="+playProvider, "DIR="+b.l.dir)
	b.Expect(cmd.Start()).To(Succeed())
	b.Eventually(func() string {
		data, _ := os.ReadFile(b.dir.logPath())
		return string(data)
	}).Should(ContainSubstring("working"))
	b.Expect(b.l.Record(t.Context(), testCluster(), testRecord(run.Apply))).To(Succeed())
	seen, err := b.l.Look(t.Context(), testCluster())
	b.Expect(err).NotTo(HaveOccurred())
	b.Expect(seen.Execution.Running).To(BeTrue(), "of another provider")

	b.Expect(cmd.Process.Kill()).To(Succeed())
	_ = cmd.Wait()
	b.Eventually(b.dir.busy).Should(BeFalse())
	b.Expect(b.log()).To(ContainSubstring("signal terminated"))

	next, err := local(b.l.dir)
	b.Expect(err).NotTo(HaveOccurred())
	_, err = os.Stat(b.dir.credentials())
	b.Expect(os.IsNotExist(err)).To(BeTrue(), "what a killed provider leaves is swept")
	b.l = next
	b.start(t)
	b.end()
}

// TestLocalRescue: a state that could not be written is handed to the next run.
func TestLocalRescue(t *testing.T) {
	b := newBed(t)
	rescue := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "kubeopera-system", Name: run.RescueName("my-cluster")}, Data: map[string][]byte{run.RescueKey: []byte("state")}}
	b.Expect(b.l.kube.Create(t.Context(), rescue)).To(Succeed())
	b.start(t)
	data, err := os.ReadFile(filepath.Join(b.dir.rescue(), run.RescueKey))
	b.Expect(err).NotTo(HaveOccurred())
	b.Expect(string(data)).To(Equal("state"))
	b.end()
}

// TestLocalLogs: a log is followed to its end.
func TestLocalLogs(t *testing.T) {
	b := newBed(t)
	_, err := b.l.Logs(t.Context(), testCluster(), LogOptions{})
	b.Expect(fault.Is(err, fault.Waiting)).To(BeTrue())
	b.start(t)
	r, err := b.l.Logs(t.Context(), testCluster(), LogOptions{Follow: true, Tail: 1})
	b.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = r.Close() }()
	b.end()
	data, err := io.ReadAll(r)
	b.Expect(err).NotTo(HaveOccurred())
	b.Expect(string(data)).To(Equal("working\n"))
}

// TestMissingRunner: it is said where it was looked for.
func TestMissingRunner(t *testing.T) {
	c := fake.NewClientBuilder().Build()
	l, err := NewLocal(c, c, LocalOptions{Dir: t.TempDir(), Runner: "/nowhere/terraform-runner", MaxRuns: 1})
	if err != nil {
		t.Fatal(err)
	}
	err = l.Start(t.Context(), testCluster(), testRecord(run.Apply), testSetup2())
	if !fault.Is(err, fault.Refused) || !strings.Contains(err.Error(), "/nowhere/terraform-runner") {
		t.Errorf("want a refusal that names the path, got %v", err)
	}
}

// TestLocalRecord: the record is a Secret, so that no right on ConfigMaps is asked for.
func TestLocalRecord(t *testing.T) {
	b := newBed(t)
	b.Expect(b.l.Record(t.Context(), testCluster(), testRecord(run.Apply))).To(Succeed())
	s := &corev1.Secret{}
	b.Expect(b.l.kube.Get(t.Context(), client.ObjectKey{Namespace: "kubeopera-system", Name: "provision-my-cluster"}, s)).To(Succeed())
	spec := run.Spec{}
	b.Expect(json.NewDecoder(bytes.NewReader(s.Data[run.SpecFile])).Decode(&spec)).To(Succeed())
	b.Expect(spec).To(Equal(testRecord(run.Apply).Spec))
}
