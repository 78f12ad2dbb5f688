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

package controller

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/target"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

const (
	// fleetSize is how many HostClusters there are, and dead how many of them
	// lead nowhere. The variable envFleet sets another size.
	fleetSize = 50
	dead      = 10
	envFleet  = "KUBEOPERA_BENCH_CLUSTERS"

	// envHeap names a file that takes a profile of the heap of the idle fleet.
	envHeap = "KUBEOPERA_BENCH_HEAP"

	// fleetPoll is the fleet's poll interval, and idle how long it is watched
	// when all are Ready.
	fleetPoll = 10 * time.Second
	idle      = 60 * time.Second
)

// BenchmarkFleet connects a fleet, with the provider as a process of its own,
// and then watches it idle: once all of it is healthy, and once some of it
// leads into black holes. All HostClusters are created at once.
func BenchmarkFleet(b *testing.B) {
	size := fleetSize
	if n, err := strconv.Atoi(os.Getenv(envFleet)); err == nil {
		size = max(n, 2*dead)
	}

	for _, lost := range []int{0, dead} {
		b.Run(fmt.Sprintf("%d-of-%d-dead", lost, size-dead+lost), func(b *testing.B) {
			for b.Loop() {
				newFleet(b, fleetPoll).measure(b, size-dead, lost)
			}

			b.ReportMetric(0, "ns/op")
		})
	}
}

// fleet is a control plane with a provider process.
type fleet struct {
	cp        *kt.ControlPlane
	namespace string
	metrics   string
	profiles  string
	api       string // Host of the control plane.
}

func newFleet(tb testing.TB, poll time.Duration) *fleet {
	tb.Helper()

	cp, err := kt.Start(tb.Context(), kt.Options{Scheme: target.NewScheme()})
	if err != nil {
		tb.Fatal(err)
	}

	tb.Cleanup(cp.Stop)

	f := &fleet{cp: cp, namespace: cp.Namespace(tb)}
	dir := tb.TempDir()
	g := NewWithT(tb)

	kubeconfig, err := cp.AdminKubeconfig()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.WriteFile(filepath.Join(dir, "kubeconfig"), kubeconfig, 0o600)).To(Succeed())

	c, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	g.Expect(err).NotTo(HaveOccurred())

	f.api = strings.TrimPrefix(c.Host, "https://")

	f.metrics, f.profiles = freeAddress(tb), freeAddress(tb)

	program := filepath.Join(dir, "provider")
	out, err := exec.CommandContext(tb.Context(), "go", "build", "-o", program, "../../cmd/provider").CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), string(out))

	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	p := exec.CommandContext(ctx, program, "--kubeconfig="+filepath.Join(dir, "kubeconfig"), "--namespace="+f.namespace,
		"--metrics-bind-address="+f.metrics, "--pprof-bind-address="+f.profiles, "--health-probe-bind-address=0", "--poll-interval="+poll.String())
	kt.BindToParent(p)
	g.Expect(p.Start()).To(Succeed())
	tb.Cleanup(func() {
		cancel()

		_ = p.Wait() // Killed.
	})

	return f
}

// measure how a fleet becomes Ready and idles.
func (f *fleet) measure(b *testing.B, healthy, lost int) {
	b.Helper()

	ctx := b.Context()

	// The first brings what is common to all: CRDs, and the provider's own caches.
	newWorldFor(b, f.cp, f.namespace, "first", f.cp.Target(b, kt.Admin())).supply(ctx).create(ctx).ready(ctx)

	memory, rss := f.memory(b)
	toAPI, toTargets := f.requests(b)

	worlds := make([]*world, healthy)
	for i := range worlds {
		worlds[i] = newWorldFor(b, f.cp, f.namespace, fmt.Sprintf("healthy-%d", i), f.cp.Target(b, kt.Admin())).supply(ctx)
	}

	for i := range lost {
		f.blackHole(b, fmt.Sprintf("dead-%d", i))
	}

	began := time.Now()

	for _, w := range worlds {
		w.create(ctx)
	}

	took := make([]time.Duration, 0, healthy)

	for len(took) < healthy {
		took = took[:0]

		for _, w := range worlds {
			if hc, err := w.get(ctx); err == nil && hc.Status.Phase == v1alpha1.PhaseReady {
				took = append(took, hc.GetCondition(xpv2.TypeReady).LastTransitionTime.Sub(began))
			}
		}

		if time.Since(began) > time.Hour {
			b.Fatalf("%d of %d are Ready after an hour", len(took), healthy)
		}

		<-time.After(time.Second)
	}

	b.ReportMetric(quantile(took, 0.5).Seconds(), "ready-p50-s")
	b.ReportMetric(quantile(took, 1).Seconds(), "ready-last-s")

	if lost > 0 {
		return // What follows says the same again.
	}

	n := float64(healthy)
	toAPI2, toTargets2 := f.requests(b)
	b.ReportMetric((toAPI2-toAPI)/n, "api-requests/cluster")
	b.ReportMetric((toTargets2-toTargets)/n, "target-requests/cluster")

	memory2, rss2 := f.memory(b) // It takes a while, so that everything is settled.
	b.ReportMetric((memory2-memory)/n/1024, "heap-KiB/cluster")
	b.ReportMetric((rss2-rss)/n/1024, "rss-KiB/cluster")

	f.profile(b)

	toAPI, toTargets = f.requests(b)

	<-time.After(idle)

	toAPI2, toTargets2 = f.requests(b)
	polls := (n + 1) * idle.Seconds() / fleetPoll.Seconds()
	b.ReportMetric((toAPI2-toAPI)/polls, "api-requests/poll")
	b.ReportMetric((toTargets2-toTargets)/polls, "target-requests/poll")
}

// blackHole is a HostCluster whose API server takes connections and is silent.
func (f *fleet) blackHole(tb testing.TB, name string) {
	tb.Helper()

	g := NewWithT(tb)
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	tb.Cleanup(func() { _ = l.Close() }) // The kernel takes connections until then.

	kubeconfig := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: 'https://%s', insecure-skip-tls-verify: true}}]\n"+
		"contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {token: t}}]\n", l.Addr())
	hc := benchCluster(f.namespace, name)
	g.Expect(f.cp.Client.Create(tb.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: f.namespace, Name: *hc.Spec.ConnectKubeconfigSecretRef},
		Data:       map[string][]byte{v1alpha1.KubeconfigKey: []byte(kubeconfig)},
	})).To(Succeed())
	g.Expect(f.cp.Client.Create(tb.Context(), hc)).To(Succeed())
}

// memory is the provider's live heap, which is the least seen around a few
// garbage collections, and what it takes of the machine; both in bytes.
func (f *fleet) memory(b *testing.B) (heap, rss float64) {
	b.Helper()

	for range int(idle / time.Second) {
		m := f.scrape(b)
		if now := m["go_memstats_heap_alloc_bytes"]; heap == 0 || now < heap {
			heap = now
		}

		rss = m["process_resident_memory_bytes"]

		<-time.After(time.Second)
	}

	return heap, rss
}

// profile the heap, if that is asked for.
func (f *fleet) profile(b *testing.B) {
	b.Helper()

	if file := os.Getenv(envHeap); file != "" {
		NewWithT(b).Expect(os.WriteFile(file, f.get(b, f.profiles, "/debug/pprof/heap?gc=1"), 0o600)).To(Succeed())
	}
}

// freeAddress is one that nobody listens at.
func freeAddress(tb testing.TB) string {
	tb.Helper()

	g := NewWithT(tb)
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Close()).To(Succeed())

	return l.Addr().String()
}

// requests of the provider so far, to the control plane and to targets.
func (f *fleet) requests(b *testing.B) (toAPI, toTargets float64) {
	b.Helper()

	for name, value := range f.scrape(b) {
		switch {
		case !strings.HasPrefix(name, "rest_client_requests_total{"):
		case strings.Contains(name, `host="`+f.api+`"`):
			toAPI += value
		default:
			toTargets += value
		}
	}

	return toAPI, toTargets
}

// scrape the provider's metrics.
func (f *fleet) scrape(tb testing.TB) map[string]float64 {
	tb.Helper()

	m := map[string]float64{}

	for s := bufio.NewScanner(bytes.NewReader(f.get(tb, f.metrics, "/metrics"))); s.Scan(); {
		name, value, _ := strings.Cut(s.Text(), "} ")
		if !strings.Contains(s.Text(), "} ") {
			name, value, _ = strings.Cut(s.Text(), " ")
		}

		if v, err := strconv.ParseFloat(value, 64); err == nil {
			m[name] += v
		}
	}

	return m
}

// get what the provider serves at an address.
func (f *fleet) get(tb testing.TB, address, path string) []byte {
	tb.Helper()

	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		tb.Fatal(err)
	}

	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()

	body, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}

	return body
}
