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

package e2e

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// peekInterval is how often the processes are looked at.
const peekInterval = 200 * time.Millisecond

// On which cluster an object is, before its name as a place.
const (
	onTheManagementCluster = "management cluster: "
	onTheTarget            = "target: "
)

// itKeepsSecrets checks that what is secret is found nowhere but in the Secrets that it belongs into.
func itKeepsSecrets(get func() *world) {
	It("keeps what is secret in its Secrets", func(ctx SpecContext) {
		w := get()
		places := map[string]string{}
		for prefix, cfg := range map[string]*rest.Config{onTheManagementCluster: w.sandbox.Management.Config, onTheTarget: w.sandbox.Target} {
			objects, err := kt.Objects(ctx, cfg)
			Expect(err).NotTo(HaveOccurred())
			for name, text := range objects {
				places[prefix+name] = text
			}
		}
		objects := len(places)
		maps.Copy(places, w.podLogs(ctx))
		var err error
		places["Git"], err = kt.History(ctx, w.sandbox.Git.Dir)
		Expect(err).NotTo(HaveOccurred())
		log, err := os.ReadFile(w.sandbox.ProviderLog())
		Expect(err).NotTo(HaveOccurred())
		Expect(string(log)).To(ContainSubstring("DEBUG"), "the provider tells all it can")
		places["the provider's log"] = string(log)
		places["the provider's metrics"] = w.metrics(ctx)
		places["arguments and environment of the provider"] = w.peeked.String()
		places["what the sandbox tells"] = w.said.String()
		places["kubectl"] = w.kubectl(ctx, "get", "kubeopera", "--output=wide") + w.kubectl(ctx, "describe", "kubeopera") +
			w.kubectl(ctx, "get", "events", "--output=wide")
		for name, text := range places {
			Expect(text).NotTo(BeEmpty(), name)
		}
		Expect(kt.Leaks(places, w.secrets(ctx)...)).To(BeEmpty())
		GinkgoWriter.Printf("searched %d objects, %d KiB of the provider's log, %d KiB of Git\n", objects, len(log)>>10, len(places["Git"])>>10)
	})
}

// secrets that take part, and where they belong.
func (w *world) secrets(ctx context.Context) []kt.Hidden {
	GinkgoHelper()
	namespace, name := w.hc.GetNamespace(), w.hc.GetName()
	beside := func(name string) string { return onTheManagementCluster + "Secret " + namespace + "/" + name }
	inFlux := onTheTarget + "Secret " + v1alpha1.FluxNamespace + "/" + v1alpha1.SyncName

	kubeconfig, err := clientcmd.Load(w.sandbox.TargetKubeconfig)
	Expect(err).NotTo(HaveOccurred())
	var key string
	for _, user := range kubeconfig.AuthInfos {
		key = strings.Split(string(user.ClientKeyData), "\n")[1]
	}
	password, sealing := &corev1.Secret{}, &corev1.Secret{}
	Expect(w.management.Get(ctx, client.ObjectKey{Namespace: namespace, Name: v1alpha1.AdminPasswordSecretName(name)}, password)).To(Succeed())
	Expect(w.management.Get(ctx, client.ObjectKey{Namespace: namespace, Name: v1alpha1.SealingSecretName(name)}, sealing)).To(Succeed())

	hidden := []kt.Hidden{
		{Name: "the kubeconfig's key", Value: key, At: []string{beside("my-cluster-input-kubeconfig"), beside(v1alpha1.KubeconfigSecretName(name))}},
		{Name: "the Git password", Value: string(w.sandbox.Git.Credentials["password"]), At: []string{beside("gitops-iac-credentials"), inFlux}},
		{Name: "the administrator's password", Value: string(password.Data["password"]), At: []string{beside(password.GetName())}},
	}
	for k, v := range sealing.Data {
		h := kt.Hidden{Name: "the generated value " + k, Value: string(v), At: []string{beside(sealing.GetName())}}
		if k == "session-key" {
			h.At = append(h.At, onTheTarget+"Secret "+v1alpha1.PlatformNamespace+"/kubeopera-platform")
		}
		hidden = append(hidden, h)
	}
	return hidden
}

// podLogs are the logs of all containers on the target.
func (w *world) podLogs(ctx context.Context) map[string]string {
	GinkgoHelper()
	api, err := kubernetes.NewForConfig(w.sandbox.Target)
	Expect(err).NotTo(HaveOccurred())
	logs := map[string]string{}
	for _, namespace := range platformNamespaces() {
		pods := &corev1.PodList{}
		Expect(w.target.List(ctx, pods, client.InNamespace(namespace))).To(Succeed())
		for i := range pods.Items {
			pod := &pods.Items[i]
			for _, c := range pod.Spec.Containers {
				text, err := api.CoreV1().Pods(namespace).GetLogs(pod.GetName(), &corev1.PodLogOptions{Container: c.Name}).DoRaw(ctx)
				Expect(err).NotTo(HaveOccurred())
				logs[fmt.Sprintf("log of %s/%s %s", namespace, pod.GetName(), c.Name)] = string(text)
			}
		}
	}
	return logs
}

// metrics of the provider, which is in the target's network.
func (w *world) metrics(ctx context.Context) string {
	GinkgoHelper()
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		return w.sandbox.Node().DialContext(ctx, network, address)
	}}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:8080/metrics", nil)
	Expect(err).NotTo(HaveOccurred())
	res, err := (&http.Client{Transport: transport}).Do(req)
	Expect(err).NotTo(HaveOccurred())
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	Expect(err).NotTo(HaveOccurred())
	Expect(string(body)).To(ContainSubstring("kubeopera_hostclusters"))
	return string(body)
}

// notes are lines that some goroutines write, each once.
type notes struct {
	mu    sync.Mutex
	lines []string
	seen  map[string]bool
}

func (n *notes) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.seen == nil {
		n.seen = map[string]bool{}
	}
	if !n.seen[line] {
		n.seen[line] = true
		n.lines = append(n.lines, line)
	}
}

// String returns all lines.
func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.lines, "\n")
}

// peek notes arguments and environment of a process and all that it starts, as everybody on the machine may see them.
func (w *world) peek(process int) {
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		for {
			for _, pid := range family(process) {
				for _, file := range []string{"cmdline", "environ"} {
					text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
					if err == nil {
						w.peeked.add(string(text))
					}
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(peekInterval):
			}
		}
	})
	w.stopPeeking = func() {
		cancel()
		ended.Wait()
	}
}

// family is a process with all its descendants.
func family(process int) []int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is fine
	for _, file := range stats {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state ppid …
		fields := strings.Fields(string(text[strings.LastIndex(string(text), ")")+1:]))
		pid, pidErr := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		parent, parentErr := strconv.Atoi(fields[1])
		if pidErr == nil && parentErr == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	all := []int{process}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}
