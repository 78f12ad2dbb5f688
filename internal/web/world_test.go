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
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
	"github.com/kubeopera/provider-kubeopera/internal/web/auth"
	"github.com/kubeopera/provider-kubeopera/internal/web/provisions"
	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

// canary is in every secret of these tests.
const canary = "s3cr3tCanaryOfTheApi000000000000000000000"

// patience is how long something may take on a busy machine.
const patience = time.Minute

func TestMain(m *testing.M) { os.Exit(kt.Main(m)) }

// world is kubeopera-api with the rights of its documented Roles and no more,
// on a real API server: tokens are reviewed and rights are checked by that.
// Every request and answer is held against the OpenAPI document.
type world struct {
	*WithT

	t    *testing.T
	cp   *kt.ControlPlane
	kube client.WithWatch // May do everything.
	ns   string
	jobs string
	// apiserver that kubeopera-api talks to; the real one, or something in front of it.
	apiserver string
	audiences []string
	streams   int
	// timeout of the server for a request and its answer.
	timeout time.Duration

	self   *rest.Config
	server *httptest.Server
	client *http.Client
	log    *lockedBuffer
	stop   context.CancelFunc
	tokens map[string]string
}

// lockedBuffer is a log that is read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) add(prefix, args string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.WriteString(prefix + args + "\n")
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newWorld(t *testing.T, change ...func(*world)) *world {
	t.Helper()
	cp := kt.Shared(t)
	w := &world{
		WithT: NewWithT(t), t: t, cp: cp, kube: cp.Client, ns: cp.Namespace(t), jobs: cp.Namespace(t),
		apiserver: cp.Config.Host, streams: 8, log: &lockedBuffer{}, tokens: map[string]string{},
	}
	w.SetDefaultEventuallyTimeout(patience)
	w.SetDefaultEventuallyPollingInterval(50 * time.Millisecond)
	w.install()
	w.self = &rest.Config{
		BearerToken: w.token("kubeopera-api"), TLSClientConfig: rest.TLSClientConfig{CAData: cp.Config.CAData}, QPS: -1,
	}
	for _, c := range change {
		c(w)
	}
	w.self.Host = w.apiserver
	if strings.HasPrefix(w.apiserver, "http:") {
		w.self.TLSClientConfig = rest.TLSClientConfig{}
	}
	w.granted("kubeopera-api", auth.Right{Verb: "create", Group: "authorization.k8s.io", Resource: "subjectaccessreviews"})
	w.granted("kubeopera-api", auth.Right{Verb: "get", Group: v1alpha1.Group, Resource: "provisionedclusters", Namespace: w.ns})
	w.granted("kubeopera-api", auth.Right{Verb: "get", Resource: "secrets", Namespace: w.ns})
	w.granted("kubeopera-api", auth.Right{Verb: "list", Resource: "pods", Namespace: w.jobs})
	w.serve()
	t.Cleanup(func() {
		w.Expect(w.log.String()).NotTo(ContainSubstring(canary))
		for _, token := range w.tokens {
			w.Expect(w.log.String()).NotTo(ContainSubstring(token))
		}
	})
	return w
}

// install the documented rights of kubeopera-api, in the test's namespaces.
func (w *world) install() {
	w.t.Helper()
	root, err := kt.ModuleRoot()
	w.Expect(err).NotTo(HaveOccurred())
	for _, f := range []string{"rbac.yaml", "deployment.yaml", "service.yaml"} {
		data, err := os.ReadFile(filepath.Join(root, "cluster", "install", "api", f))
		w.Expect(err).NotTo(HaveOccurred())
		text := strings.NewReplacer("kubeopera-provisioning", w.jobs, "kubeopera-system", w.ns).Replace(string(data))
		for doc := range strings.SplitSeq(text, "\n---\n") {
			u := &unstructured.Unstructured{}
			w.Expect(yaml.Unmarshal([]byte(doc), &u.Object)).To(Succeed())
			if u.GetKind() == "ClusterRoleBinding" {
				u.SetName(w.ns)
				w.t.Cleanup(func() { _ = w.kube.Delete(context.WithoutCancel(w.t.Context()), u) })
			}
			w.Expect(w.kube.Create(w.t.Context(), u)).To(Succeed())
		}
	}
}

// serve kubeopera-api.
func (w *world) serve() {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	w.stop = cancel
	h, err := New(ctx, w.self, Options{
		Namespace: w.ns, JobNamespace: w.jobs, Audiences: w.audiences, MaxStreams: w.streams, MaxStreamsEach: w.streams,
	}, logging.NewLogrLogger(funcr.New(w.log.add, funcr.Options{Verbosity: 9})))
	w.Expect(err).NotTo(HaveOccurred())
	w.server = httptest.NewUnstartedServer(h)
	w.server.Config.ReadTimeout, w.server.Config.WriteTimeout = w.timeout, w.timeout
	w.server.Start()
	w.client = &http.Client{Transport: newDocument(w.t)}
	w.t.Cleanup(func() {
		cancel()
		w.server.Close()
	})
}

// An answer of kubeopera-api.
type answer struct {
	status int
	header http.Header
	body   string
}

// job in an answer.
func (a answer) job() provisions.Job {
	j := provisions.Job{}
	_ = json.Unmarshal([]byte(a.body), &j)
	return j
}

// reason in an answer that is an error.
func (a answer) reason() reply.Reason {
	e := struct {
		Reason reply.Reason `json:"reason"`
	}{}
	_ = json.Unmarshal([]byte(a.body), &e)
	return e.Reason
}

// request of kubeopera-api, and what it answers.
func (w *world) request(token, method, path, body string) answer {
	w.t.Helper()
	var in io.Reader
	if body != "" {
		in = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.server.URL+path, in)
	w.Expect(err).NotTo(HaveOccurred())
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := w.client.Do(r)
	w.Expect(err).NotTo(HaveOccurred())
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	w.Expect(err).NotTo(HaveOccurred())
	return answer{status: resp.StatusCode, header: resp.Header, body: string(data)}
}
