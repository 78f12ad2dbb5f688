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

package web

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
	"github.com/kubeopera/provider-kubeopera/internal/web/provisions"
)

// running is what a provider says of a cluster whose run goes on as a Job.
func (w *world) running(pc *v1alpha1.ProvisionedCluster) {
	pc.Status.AtProvider = v1alpha1.ProvisionedClusterObservation{
		RunID: "apply-1-abc", Action: v1alpha1.RunApply, RunStatus: v1alpha1.RunRunning,
		Place: &v1alpha1.RunPlace{Mode: v1alpha1.ExecutionJob, Namespace: w.jobs}, Progress: &v1alpha1.Progress{Done: 3, Total: 9, Step: "module.eks"},
	}
}

// pod of a run of a cluster, in a namespace of clusters, and on a node if there is one.
func (w *world) pod(cluster, namespace, node string) *corev1.Pod {
	w.t.Helper()
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: w.jobs, GenerateName: "provision-" + cluster + "-", Labels: map[string]string{
		v1alpha1.LabelHostCluster: cluster, run.LabelNamespace: namespace, run.LabelRun: "apply-1-abc",
	}}}
	p.Spec.NodeName = node
	p.Spec.Containers = []corev1.Container{{Name: "terraform-runner", Image: "example.com/terraform-runner"}}
	w.Eventually(func() error { return w.kube.Create(w.t.Context(), p) }).Should(Succeed(), "once its namespace has a ServiceAccount")
	return p
}

// followed is an answer that goes on.
type followed struct {
	status int
	header http.Header
	body   io.Reader
}

// follow a log.
func (w *world) follow(ctx context.Context, token, id string) followed {
	w.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.server.URL+provisions.Path+"/"+id+"/logs?follow=true", nil)
	w.Expect(err).NotTo(HaveOccurred())
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := w.client.Do(r)
	w.Expect(err).NotTo(HaveOccurred())
	w.t.Cleanup(func() { _ = resp.Body.Close() })
	return followed{status: resp.StatusCode, header: resp.Header, body: resp.Body}
}

// TestFollow reads a log line by line, while it is written.
func TestFollow(t *testing.T) {
	k := newKubelet()
	w := newWorld(t, k.before, func(w *world) { w.streams = 1 })
	token := w.everything()
	w.provisioned("a", w.running)
	w.pod("a", w.ns, "node")

	ctx, leave := context.WithCancel(t.Context())
	resp := w.follow(ctx, token, "a")
	w.Expect(resp.status).To(Equal(http.StatusOK))
	asked := <-k.asked
	w.Expect(asked.Get("container")).To(Equal("terraform-runner"))
	w.Expect(asked.Get("follow")).To(Equal("true"))
	lines := bufio.NewReader(resp.body)
	for _, line := range []string{"one", "two"} { // The second is only written once the first was read.
		k.lines <- line
		got, err := lines.ReadString('\n')
		w.Expect(err).NotTo(HaveOccurred())
		w.Expect(got).To(Equal(line + "\n"))
	}

	second := w.follow(t.Context(), token, "a")
	w.Expect(second.status).To(Equal(http.StatusTooManyRequests), "there is room for one")
	w.Expect(second.header.Get("Retry-After")).NotTo(BeEmpty())

	leave()
	<-k.ended // Whoever has left is not read for.
	var third followed
	w.Eventually(func() int {
		third = w.follow(t.Context(), token, "a")
		return third.status
	}).Should(Equal(http.StatusOK), "the room is free again")
	close(k.lines)
	_, err := io.ReadAll(third.body)
	w.Expect(err).NotTo(HaveOccurred(), "the run has ended, and so does its log")
}

// TestFollowQuiet follows a run that says nothing for longer than the server's
// bounds for a request.
func TestFollowQuiet(t *testing.T) {
	k := newKubelet()
	w := newWorld(t, k.before, func(w *world) { w.timeout = 3 * time.Second })
	token := w.everything()
	w.provisioned("a", w.running)
	w.pod("a", w.ns, "node")
	resp := w.follow(t.Context(), token, "a")
	w.Expect(resp.status).To(Equal(http.StatusOK))
	w.Consistently(k.ended, w.timeout+time.Second).ShouldNot(Receive(), "whoever reads is still there")
	close(k.lines)
	_, err := io.ReadAll(resp.body)
	w.Expect(err).NotTo(HaveOccurred(), "the end is one")
}

// TestFollowEnds ends what is followed when kubeopera-api stops.
func TestFollowEnds(t *testing.T) {
	k := newKubelet()
	w := newWorld(t, k.before)
	token := w.everything()
	w.provisioned("a", w.running)
	w.pod("a", w.ns, "node")
	resp := w.follow(t.Context(), token, "a")
	w.Expect(resp.status).To(Equal(http.StatusOK))
	w.stop()
	_, err := io.ReadAll(resp.body)
	w.Expect(err).NotTo(HaveOccurred())
	<-k.ended
}

// TestFollowBreaks shows that a log is not whole.
func TestFollowBreaks(t *testing.T) {
	k := newKubelet()
	k.broken = true
	w := newWorld(t, k.before)
	token := w.everything()
	w.provisioned("a", w.running)
	w.pod("a", w.ns, "node")
	resp := w.follow(t.Context(), token, "a")
	w.Expect(resp.status).To(Equal(http.StatusOK))
	close(k.lines)
	_, err := io.ReadAll(resp.body)
	w.Expect(err).To(HaveOccurred())
	<-k.ended
}

// TestNoLog says why there is none. The real API server answers.
func TestNoLog(t *testing.T) {
	w := newWorld(t)
	token := w.everything()
	w.provisioned("new", nil)
	w.provisioned("starting", w.running)
	w.pod("starting", w.ns, "")
	w.provisioned("ended", func(pc *v1alpha1.ProvisionedCluster) {
		w.running(pc)
		pc.Status.AtProvider.RunStatus = v1alpha1.RunFailed
	})
	w.provisioned("local", func(pc *v1alpha1.ProvisionedCluster) {
		w.running(pc)
		pc.Status.AtProvider.Place.Mode = v1alpha1.ExecutionLocal
	})
	w.provisioned("other", w.running)
	w.pod("other", "another-namespace", "node")

	cases := map[string]struct {
		reason string
		path   string
		status int
		says   string
	}{
		"NoRun":     {"", "new/logs", 409, "no log yet"},
		"NoNode":    {"The pod waits for a node.", "starting/logs", 409, "no log yet"},
		"Gone":      {"", "ended/logs", 404, "gone with its pod"},
		"Local":     {"", "local/logs", 409, "/local/run.log"},
		"NotOurs":   {"The pod is that of a cluster of the same name in another namespace.", "other/logs", 409, "no log yet"},
		"None":      {"", "none/logs", 404, "no provision none"},
		"BadFollow": {"", "new/logs?follow=perhaps", 400, "follow"},
		"BadTail":   {"", "new/logs?tail=0", 400, "tail"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if a := w.request(token, http.MethodGet, provisions.Path+"/"+tc.path, ""); a.status != tc.status || !strings.Contains(a.body, tc.says) {
				t.Errorf("%s\n%d %s", tc.reason, a.status, a.body)
			}
		})
	}
}

// TestLive shows the pod of a run as it is, ahead of what the provider has said.
func TestLive(t *testing.T) {
	w := newWorld(t)
	token := w.everything()
	w.provisioned("a", func(pc *v1alpha1.ProvisionedCluster) {
		w.running(pc)
		pc.Status.AtProvider.RunStatus = v1alpha1.RunQueued
	})
	p := w.pod("a", w.ns, "node")
	for phase, want := range map[corev1.PodPhase]provisions.Status{corev1.PodPending: provisions.Queued, corev1.PodRunning: provisions.Running} {
		p.Status.Phase = phase
		w.Expect(w.kube.Status().Update(t.Context(), p)).To(Succeed())
		j := w.request(token, http.MethodGet, provisions.Path+"/a", "").job()
		w.Expect(j.Status).To(Equal(want))
		w.Expect(j.Pod).To(Equal(&provisions.Pod{Name: p.GetName(), Phase: phase}))
	}
}
