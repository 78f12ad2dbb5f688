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

package testing

import (
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	gotesting "testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// A Target is a cluster of its own to whoever comes with its kubeconfig: it has namespaces kube-system, flux-system,
// kubeopera-system and sealed-secrets that nobody else sees. Behind them is a control plane that any number of Targets
// share: each is a proxy that gives these namespaces names of its own, as long as the real ones, and lists nothing of
// the others. CRDs are common to all; each sees those of Helm releases as its own.
type Target struct {
	// Config is a way in, as who the Target lets in.
	Config *rest.Config

	server   *httptest.Server
	token    atomic.Value
	out, in  *strings.Replacer
	ours     []string // The real names of the namespaces.
	requests atomic.Int64
}

// targets counts the Targets of this process, so that each gets other namespaces.
var targets atomic.Int64

// others matches every Target's name for flux-system.
var others = regexp.MustCompile(`flux-v[0-9a-z]{5}`)

// Target makes a cluster of its own whose users have the rights of u; it ends with the test.
func (c *ControlPlane) Target(tb gotesting.TB, u User) *Target {
	tb.Helper()
	id := fmt.Sprintf("v%05s", strconv.FormatInt(targets.Add(1), 36))
	t := &Target{}
	var there, back []string
	for theirs, ours := range map[string]string{
		"kube-system": "kube-" + id, "flux-system": "flux-" + id, "kubeopera-system": "kubeopera-" + id, "sealed-secrets": "sealed-s" + id,
	} {
		there, back = append(there, theirs, ours), append(back, ours, theirs)
		t.ours = append(t.ours, ours)
	}
	t.out, t.in = strings.NewReplacer(there...), strings.NewReplacer(back...)
	t.Rotate("target-token-" + id)

	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-" + id}}
	if err := c.Client.Create(tb.Context(), ns); err != nil {
		tb.Fatal(err)
	}
	if err := t.serve(c, u); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(t.Stop)
	t.Config = &rest.Config{Host: t.server.URL, BearerToken: t.Token(), TLSClientConfig: rest.TLSClientConfig{CAData: t.ca()}, QPS: -1}
	return t
}

// Stop serving: from now on connections are refused.
func (t *Target) Stop() {
	t.server.CloseClientConnections()
	t.server.Close()
}

// Requests that were made so far.
func (t *Target) Requests() int64 { return t.requests.Load() }

// Token that the Target lets in.
func (t *Target) Token() string {
	token, _ := t.token.Load().(string)
	return token
}

// Rotate the token that the Target lets in; Config keeps the first one.
func (t *Target) Rotate(token string) { t.token.Store(token) }

// Kubeconfig that leads to the Target.
func (t *Target) Kubeconfig() ([]byte, error) {
	return clientcmd.Write(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"target": {Server: t.server.URL, CertificateAuthorityData: t.ca()}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"user": {Token: t.Token()}},
		Contexts:       map[string]*clientcmdapi.Context{"target": {Cluster: "target", AuthInfo: "user"}},
		CurrentContext: "target",
	})
}

func (t *Target) ca() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: t.server.Certificate().Raw})
}

func (t *Target) serve(c *ControlPlane, u User) error {
	cfg, err := c.UserConfig(u)
	if err != nil {
		return err
	}
	cfg.DisableCompression = true // Between processes of one machine it only costs.
	transport, err := rest.TransportFor(cfg)
	if err != nil {
		return errors.Wrap(err, "cannot reach the control plane")
	}
	to, err := url.Parse(c.server)
	if err != nil {
		return errors.Wrap(err, "cannot parse the control plane's URL")
	}
	l := &lists{RoundTripper: transport, namespaces: t.ours, mapper: c.Client.RESTMapper()}
	proxy := &httputil.ReverseProxy{Rewrite: t.rewrite(to), ModifyResponse: t.answer, Transport: l}
	t.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.requests.Add(1)
		if r.Header.Get("Authorization") != "Bearer "+t.Token() {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}`)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.server.EnableHTTP2 = true // as API servers have it
	t.server.StartTLS()
	return nil
}

// rewrite a request to what the control plane calls things.
func (t *Target) rewrite(to *url.URL) func(*httputil.ProxyRequest) {
	return func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = to.Scheme, to.Host, ""
		r.Out.URL.Path, r.Out.URL.RawQuery = t.out.Replace(r.In.URL.Path), t.out.Replace(r.In.URL.RawQuery)
		r.Out.Header.Del("Authorization")
		r.Out.Header.Del("Accept-Encoding")
		// Lists have to be read, and only JSON is easy to.
		accept := strings.ReplaceAll(r.In.Header.Get("Accept"), "application/vnd.kubernetes.protobuf", "application/json")
		r.Out.Header.Set("Accept", strings.ReplaceAll(accept, "application/cbor", "application/json"))
		if r.In.Body != nil {
			b, err := io.ReadAll(r.In.Body)
			if err == nil {
				r.Out.Body = io.NopCloser(strings.NewReader(t.out.Replace(string(b))))
			}
		}
	}
}

// answer with what the Target's users call things.
func (t *Target) answer(r *http.Response) error {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return errors.Wrap(err, "cannot read an answer of the control plane")
	}
	s := t.in.Replace(string(b))
	if strings.Contains(r.Request.URL.Path, "/customresourcedefinitions") {
		s = others.ReplaceAllString(s, "flux-system")
	}
	r.Body = io.NopCloser(strings.NewReader(s))
	r.ContentLength = int64(len(s))
	r.Header.Set("Content-Length", strconv.Itoa(len(s)))
	return nil
}

// Admin may do everything.
func Admin() User { return admin }
