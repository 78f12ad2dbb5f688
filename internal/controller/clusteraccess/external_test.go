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

package clusteraccess

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// everything that this controller may write.
var everything = []client.ObjectList{&v1alpha1.ClusterAccessList{}, &corev1.SecretList{}}

func TestConnects(t *testing.T) {
	wd := newWorld(t)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}, Spec: corev1.NodeSpec{ProviderID: "aws:///eu-north-1a/i-0abc"}}
	if err := wd.kube.Create(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = wd.kube.Delete(t.Context(), node) }()

	wd.access("a")
	wd.reconcile("a", 2)
	wd.wantReady("a", corev1.ConditionFalse, v1alpha1.ReasonWaiting, "Secret "+wd.ns+"/source with key kubeconfig is not there yet")
	if wd.stored("a") != nil {
		t.Error("something was stored before there was a kubeconfig")
	}

	// Comments and order have to stay, as they are not ours.
	config := append([]byte("# mine\n"), wd.admin()...)
	wd.supply("source", config)
	wd.reconcile("a", 2)
	wd.wantReady("a", corev1.ConditionTrue, "Available", "")

	s := wd.stored("a")
	if s == nil {
		t.Fatal("nothing was stored")
	}
	if !bytes.Equal(config, s.Data["kubeconfig"]) {
		t.Error("the stored kubeconfig is not the one that was supplied")
	}
	want := map[string]string{"kubeopera.io/host-cluster-id": "a", "kubeopera.io/managed-by": "host-cluster-controller"}
	if diff := cmp.Diff(want, s.Labels); diff != "" {
		t.Errorf("labels: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"kubeopera.io/in-use"}, s.Finalizers); diff != "" {
		t.Errorf("finalizers: -want, +got:\n%s", diff)
	}

	system := &corev1.Namespace{}
	if err := wd.kube.Get(t.Context(), client.ObjectKey{Name: "kube-system"}, system); err != nil {
		t.Fatal(err)
	}
	got := wd.get("a").Status.AtProvider
	wantSeen := v1alpha1.ClusterAccessObservation{
		KubeconfigSecret: "hostcluster-a-kubeconfig",
		Server:           wd.cp.Config.Host,
		ClusterUID:       string(system.GetUID()),
		Provider:         "aws",
		Region:           "eu-north-1",
		Identity:         "kubeopera-test-admin",
		ClusterAdmin:     true,
	}
	if diff := cmp.Diff(wantSeen, got, cmpopts.IgnoreFields(got, "ServerVersion", "Nodes", "ExpiresAt", "Warnings")); diff != "" {
		t.Errorf("atProvider: -want, +got:\n%s", diff)
	}
	if !strings.HasPrefix(got.ServerVersion, "v1.") || got.Nodes == nil || got.Nodes.Total < 1 || got.ExpiresAt == nil {
		t.Errorf("atProvider is not complete: %+v", got)
	}
	if len(got.Warnings) == 0 || !strings.Contains(string(got.Warnings[0]), "loopback") {
		t.Errorf("want a warning about the loopback address, got %v", got.Warnings)
	}

	kt.Unchanged(t, wd.kube, 3, func() error { wd.reconcile("a", 1); return nil }, everything, client.InNamespace(wd.ns))
}

func TestRefuses(t *testing.T) {
	wd := newWorld(t)
	powerless, err := wd.cp.Kubeconfig(kt.User{Name: "powerless"})
	if err != nil {
		t.Fatal(err)
	}
	plain := func(server, user string) []byte {
		return []byte("kind: Config\ncontexts: [{name: a, context: {cluster: a, user: a}}]\nclusters: [{name: a, cluster: {server: \"" + server + "\", insecure-skip-tls-verify: true}}]\nusers: [{name: a, user: {" + user + "}}]\n")
	}
	echo := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "cannot read "+r.Header.Get("Authorization"), http.StatusInternalServerError)
	}))
	defer echo.Close()
	unauthorized := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("a token was sent over plain http")
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer unauthorized.Close()
	uid := "11111111-2222-3333-4444-555555555555"
	cases := map[string]struct {
		reason string
		config []byte
		change func(*v1alpha1.ClusterAccess)
		class  string
		want   string
	}{
		"exec":        {"Nothing is executed", plain("https://a", "exec: {command: aws}"), nil, "Refused", `exec command "aws" is refused, nothing is executed`},
		"helper":      {"Cloud tokens need credentials", plain("https://a", "exec: {command: /gke-token-helper, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}"), nil, "Refused", "kubeconfig asks for /gke-token-helper: name the ProviderConfig"},
		"powerless":   {"Without rights nothing can be installed", powerless, nil, "Denied", `no cluster-admin rights: bind "powerless" to the ClusterRole cluster-admin`},
		"badtoken":    {"A token that the cluster does not know", plain(wd.cp.Config.Host, "token: s3cr3t"), nil, "Denied", "Unauthorized: the cluster does not accept the credentials"},
		"unreachable": {"Nobody is there, and the address tells why", plain("https://127.0.0.1:1", "token: s3cr3t"), nil, "Unreachable", "server 127.0.0.1:1 is a loopback address, use one that leads to the cluster: Refused: nothing listens at 127.0.0.1:1"},
		"echo":        {"A server gives our token away", plain(echo.URL, "token: s3cr3t"), nil, "Unreachable", `ServerError: an error on the server ("cannot read Bearer (redacted)")`},
		"plain":       {"No token goes over plain http", plain(unauthorized.URL, "token: s3cr3t"), nil, "Denied", "server uses plain http, which no credentials are sent over: use https://: Unauthorized: "},
		"expected":    {"Another cluster than the expected one", wd.admin(), func(ca *v1alpha1.ClusterAccess) { ca.Spec.ForProvider.ExpectedClusterUID = &uid }, "Refused", "kubeconfig leads to another cluster: its UID is "},
		"samename": {"A source must not be where we store", wd.admin(), func(ca *v1alpha1.ClusterAccess) {
			ca.Spec.ForProvider.KubeconfigSecretRef.Name = v1alpha1.KubeconfigSecretName("samename")
		}, "Refused", "Secret "},
		"provisioned": {"What is provisioned comes later", nil, func(ca *v1alpha1.ClusterAccess) {
			ca.Spec.ForProvider.KubeconfigSecretRef = nil
			ca.Spec.ForProvider.ProvisionedClusterRef = &v1alpha1.ObjectReference{Name: "x"}
		}, "Waiting", "ProvisionedCluster x is not there yet"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.config != nil {
				wd.supply("source", tc.config)
			}
			if tc.change == nil {
				tc.change = func(*v1alpha1.ClusterAccess) {}
			}
			wd.access(name, tc.change)
			wd.reconcile(name, 2)
			c := wd.get(name).GetCondition("Ready")
			if string(c.Reason) != tc.class || !strings.HasPrefix(c.Message, tc.want) {
				t.Errorf("\n%s\nwant %s: %s…\ngot  %s: %s", tc.reason, tc.class, tc.want, c.Reason, c.Message)
			}
			if s := wd.stored(name); s != nil {
				t.Errorf("\n%s\na kubeconfig was stored that is not valid", tc.reason)
			}
			wd.delete(&v1alpha1.ClusterAccess{}, name)
			wd.reconcile(name, 2)
			wd.gone(name)
		})
	}
}

// TestProvisioned takes the kubeconfig that a ProvisionedCluster publishes.
func TestProvisioned(t *testing.T) {
	wd := newWorld(t)
	pc := &v1alpha1.ProvisionedCluster{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	pc.Spec.ForProvider = v1alpha1.ProvisionedClusterParameters{
		Sizing:   v1alpha1.Sizing{Topology: "eks", NodeCount: 1, InstanceType: "t3.medium", KubernetesVersion: "1.36.2"},
		Provider: "aws", Region: "eu-north-1",
	}
	wd.create(pc)
	wd.access("a", func(ca *v1alpha1.ClusterAccess) {
		ca.Spec.ForProvider.KubeconfigSecretRef = nil
		ca.Spec.ForProvider.ProvisionedClusterRef = &v1alpha1.ObjectReference{Name: "a"}
	})
	wd.reconcile("a", 2)
	wd.wantReady("a", corev1.ConditionFalse, "Refused", "ProvisionedCluster a publishes no kubeconfig: set its spec.writeConnectionSecretToRef")

	pc.SetWriteConnectionSecretToReference(&xpv2.LocalSecretReference{Name: "outputs"})
	if err := wd.kube.Update(t.Context(), pc); err != nil {
		t.Fatal(err)
	}
	wd.reconcile("a", 2)
	wd.wantReady("a", corev1.ConditionFalse, "Waiting", "ProvisionedCluster a has no kubeconfig yet")

	config := wd.admin()
	wd.supply("outputs", config)
	wd.reconcile("a", 2)
	wd.wantReady("a", corev1.ConditionTrue, "Available", "")
	if !bytes.Equal(config, wd.stored("a").Data["kubeconfig"]) {
		t.Error("the kubeconfig is not stored")
	}
}
