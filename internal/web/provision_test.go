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
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/web/provisions"
	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

// full is a spec with every field.
const full = `{"id":"full","provider":"aws","region":"eu-north-1","topology":"vanilla_kubeadm","controlPlaneCount":3,"nodeCount":2,"maxNodeCount":5,
"instanceType":"m7i.large","capacityType":"Spot","kubernetesVersion":"1.36.2","nodeVolumeSizeGiB":80,"existingNetwork":{"id":"vpc-1","subnetIDs":["subnet-b","subnet-a"]},
"apiServerAllowedCIDRs":["203.0.113.0/24","198.51.100.0/24"],"tags":{"team":"a"},"credentialRef":"acme","writeConnectionSecretToRef":{"name":"to-here"}}`

// TestCreate makes a ProvisionedCluster once, whoever asks how often.
func TestCreate(t *testing.T) {
	w := newWorld(t)
	w.account("acme")
	token := w.everything()

	a := w.request(token, http.MethodPost, provisions.Path, spec)
	w.Expect(a.status).To(Equal(http.StatusAccepted), a.body)
	w.Expect(a.job().Status).To(Equal(provisions.Queued))
	w.Expect(a.header.Get("Location")).To(Equal(provisions.Path + "/new"))

	pc := &v1alpha1.ProvisionedCluster{}
	w.Expect(w.kube.Get(t.Context(), client.ObjectKey{Namespace: w.ns, Name: "new"}, pc)).To(Succeed())
	w.Expect(pc.Spec.ManagementPolicies).To(Equal(xpv2.ManagementPolicies{"*"}))
	w.Expect(pc.Spec.ProviderConfigReference).To(Equal(&xpv2.ProviderConfigReference{Kind: "ProviderConfig", Name: "acme"}))
	w.Expect(pc.Spec.WriteConnectionSecretToReference.Name).To(Equal("hostcluster-new-provisioned"))
	w.Expect(pc.Spec.ForProvider.Provider).To(Equal("aws"))
	w.Expect(pc.GetLabels()).To(BeEmpty(), "no HostCluster has it")
	w.Expect(pc.GetAnnotations()).To(HaveKeyWithValue("kubeopera.io/requested-by", "system:serviceaccount:"+w.ns+":everything"))
	before := pc.GetResourceVersion()

	for _, body := range []string{spec, strings.Replace(spec, `"id"`, `"capacityType":"OnDemand","provider":"aws","namespace":"`+w.ns+`","id"`, 1)} {
		a := w.request(token, http.MethodPost, provisions.Path, body)
		w.Expect(a.status).To(Equal(http.StatusAccepted), a.body)
	}
	a = w.request(token, http.MethodPost, provisions.Path, strings.Replace(spec, `"nodeCount":2`, `"nodeCount":3`, 1))
	w.Expect(a.status).To(Equal(http.StatusConflict))
	w.Expect(a.reason()).To(Equal(provisions.Exists))
	w.Expect(a.body).To(ContainSubstring("another nodeCount"))
	w.Expect(w.kube.Get(t.Context(), client.ObjectKeyFromObject(pc), pc)).To(Succeed())
	w.Expect(pc.GetResourceVersion()).To(Equal(before), "the same again writes nothing")

	a = w.request(w.may("only-create", rule("provisionedclusters", "create")), http.MethodPost, provisions.Path, spec)
	w.Expect(a.status).To(Equal(http.StatusConflict), "who may not get it does not learn what it is")
	w.Expect(a.body).NotTo(ContainSubstring("nodeCount"))

	for range 2 {
		a = w.request(token, http.MethodPost, provisions.Path, full)
		w.Expect(a.status).To(Equal(http.StatusAccepted), a.body)
	}
	a = w.request(token, http.MethodPost, provisions.Path, strings.Replace(full, `"subnet-b","subnet-a"`, `"subnet-a","subnet-b"`, 1))
	w.Expect(a.status).To(Equal(http.StatusAccepted), "the order of a set says nothing: %s", a.body)

	a = w.request(token, http.MethodGet, provisions.Path+"?limit=1", "")
	w.Expect(a.status).To(Equal(http.StatusOK))
	w.Expect(a.body).To(ContainSubstring(`"continue":`))
	a = w.request(token, http.MethodGet, provisions.Path+"?continue=nonsense", "")
	w.Expect(a.status).To(Equal(http.StatusBadRequest))
}

// TestCreateAtOnce asks many times at the same moment, for two specs of one id:
// one of them is there after it, and its own requests are all answered with it.
func TestCreateAtOnce(t *testing.T) {
	w := newWorld(t)
	w.account("acme")
	token := w.everything()
	statuses := make([]map[int]int, 2)
	var all sync.WaitGroup
	var mu sync.Mutex
	for i := range statuses {
		statuses[i] = map[int]int{}
		body := strings.Replace(spec, `"nodeCount":2`, `"nodeCount":`+strconv.Itoa(i), 1)
		for range 4 {
			all.Go(func() {
				a := w.request(token, http.MethodPost, provisions.Path, body)
				mu.Lock()
				defer mu.Unlock()
				statuses[i][a.status]++
			})
		}
	}
	all.Wait()
	w.Expect(statuses).To(ConsistOf(map[int]int{http.StatusAccepted: 4}, map[int]int{http.StatusConflict: 4}))
}

// TestRefuse sends what cannot be, and looks at what is said of it.
func TestRefuse(t *testing.T) {
	w := newWorld(t)
	w.account("acme")
	w.config("no-secret")
	w.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "no-key"}})
	w.config("no-key")
	w.create(&v1alpha1.HostCluster{ObjectMeta: metav1.ObjectMeta{Name: "of-a-host"}, Spec: hostSpec()})
	token := w.everything()
	with := func(from, to string) string { return strings.Replace(spec, from, to, 1) }

	cases := map[string]struct {
		reason string
		body   string
		status int
		why    reply.Reason
		says   string
	}{
		"NoJSON":        {"", "id: new", 400, reply.Invalid, "not the JSON of a provision"},
		"Unknown":       {"A misspelt field is not dropped.", with(`"id"`, `"nodecount":1,"id"`), 400, reply.Invalid, `unknown field \"nodecount\"`},
		"UnknownInside": {"", with(`"id"`, `"existingNetwork":{"id":"a","subnetIDs":["b"],"secret":"`+canary+`"},"id"`), 400, reply.Invalid, `unknown field \"existingNetwork.secret\"`},
		"Twice":         {"Of two values nobody knows which is meant.", with(`"id"`, `"region":"x","id"`), 400, reply.Invalid, `duplicate field \"region\"`},
		"WrongType":     {"", with(`"nodeCount":2`, `"nodeCount":"two"`), 400, reply.Invalid, "nodeCount"},
		"TooLarge":      {"", with(`"id"`, `"tags":{"a":"`+strings.Repeat("x", 64<<10)+`"},"id"`), 413, reply.TooLarge, "64 KiB"},
		"Missing":       {"Without a nodeCount a cluster would have no nodes.", with(`"nodeCount":2,`, ``), 422, provisions.InvalidSpec, `"field":"nodeCount"`},
		"BadID":         {"", with(`"new"`, `"New"`), 422, provisions.InvalidSpec, `"field":"id"`},
		"CEL":           {"The CRD's own rule is passed on.", with(`"eks"`, `"vanilla_kubeadm","controlPlaneCount":2`), 422, provisions.InvalidSpec, "must be 1, 3, 5 or 7: etcd needs"},
		"Value":         {"What was sent is not shown.", with(`"1.36"`, `"`+canary[:20]+`"`), 422, provisions.InvalidSpec, "must be a Kubernetes version"},
		"Enum":          {"", with(`"eks"`, `"nomad"`), 422, provisions.InvalidSpec, `"field":"topology"`},
		"NoAccount":     {"It is said at once, before anything is made.", with("acme", "none"), 422, provisions.CredentialMissing, "create ProviderConfig none"},
		"NoSecret":      {"", with("acme", "no-secret"), 422, provisions.CredentialMissing, "names Secret no-secret"},
		"NoKey":         {"", with("acme", "no-key"), 422, provisions.CredentialMissing, "has no key credentials"},
		"HostCluster":   {"Its HostCluster would find a cluster that is not its own.", with(`"new"`, `"of-a-host"`), 409, provisions.InUse, "HostCluster of-a-host"},
		"Namespace":     {"Who has rights here has none there.", with(`"id"`, `"namespace":"default","id"`), 403, reply.Denied, "in namespace default"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := w.request(token, http.MethodPost, provisions.Path, tc.body)
			if a.status != tc.status || a.reason() != tc.why || !strings.Contains(a.body, tc.says) || strings.Contains(a.body, canary[:20]) {
				t.Errorf("%s\n%d %s", tc.reason, a.status, a.body)
			}
		})
	}
	l := &v1alpha1.ProvisionedClusterList{}
	w.Expect(w.kube.List(t.Context(), l, client.InNamespace(w.ns))).To(Succeed())
	w.Expect(l.Items).To(BeEmpty(), "nothing of this was made")
}

// hostSpec of a HostCluster that makes its own cluster.
func hostSpec() v1alpha1.HostClusterSpec {
	return v1alpha1.HostClusterSpec{
		Mode: v1alpha1.ModeProvisionEKS, Region: "eu-north-1",
		Provisioning: &v1alpha1.Provisioning{
			Sizing:        v1alpha1.Sizing{Topology: v1alpha1.TopologyEKS, NodeCount: 1, InstanceType: "t3.medium", KubernetesVersion: "1.36"},
			CredentialRef: "acme",
		},
		GitOpsRepoURL: new(v1alpha1.GitURL("https://git.example.com/a/b.git")), GitOpsPath: new(v1alpha1.GitPath("clusters/a")), GitCredentialsSecretRef: new("git"), Domain: new(v1alpha1.DNSName("a.example.com")),
	}
}

// TestKubeconfig gives out what the provider has published for this cluster, and nothing else.
func TestKubeconfig(t *testing.T) {
	w := newWorld(t)
	token := w.everything()
	path := func(id string) string { return provisions.Path + "/" + id + "/kubeconfig" }

	w.provisioned("early", nil)
	w.Expect(w.request(token, http.MethodGet, path("early"), "").status).To(Equal(http.StatusConflict), "no apply has succeeded")

	w.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "somebodys"}, Data: map[string][]byte{"kubeconfig": []byte(canary)}})
	w.provisioned("sly", func(pc *v1alpha1.ProvisionedCluster) {
		succeeded(pc)
		pc.Spec.WriteConnectionSecretToReference.Name = "somebodys"
	})
	w.Expect(w.request(token, http.MethodGet, path("sly"), "").status).To(Equal(http.StatusConflict), "a Secret of somebody else")

	pc := w.provisioned("there", succeeded)
	w.Expect(w.request(token, http.MethodGet, path("there"), "").status).To(Equal(http.StatusConflict), "it is not published yet")
	w.publish(pc)
	a := w.request(token, http.MethodGet, path("there"), "")
	w.Expect(a.status).To(Equal(http.StatusOK), a.body)
	w.Expect(a.header.Get("Content-Type")).To(Equal("application/yaml"))
	w.Expect(a.header.Get("Cache-Control")).To(Equal("no-store"))
	w.Expect(a.body).To(ContainSubstring(canary))
	w.Expect(w.request(token, http.MethodGet, provisions.Path+"/there", "").job().Links.Kubeconfig).To(Equal(path("there")))

	pc.Status.AtProvider.RunStatus = v1alpha1.RunRunning
	pc.Status.SetConditions(xpv2.Unavailable())
	w.Expect(w.kube.Status().Update(t.Context(), pc)).To(Succeed())
	w.Expect(w.request(token, http.MethodGet, path("there"), "").status).To(Equal(http.StatusOK), "a later run changes the cluster, and its kubeconfig stays")
}

// TestElsewhere asks for a namespace in which kubeopera-api has no rights.
func TestElsewhere(t *testing.T) {
	w := newWorld(t)
	other := w.cp.Namespace(t)
	name := "system:serviceaccount:" + w.ns + ":guest"
	w.cp.Grant(t.Context(), t, name, other, rule("provisionedclusters", "get"))
	token := w.token("guest")
	var a answer
	w.Eventually(func() int {
		a = w.request(token, http.MethodGet, provisions.Path+"/x?namespace="+other, "")
		return a.status
	}).Should(Equal(http.StatusServiceUnavailable))
	w.Expect(a.body).To(ContainSubstring("kubeopera-api itself may not get provisionedclusters"))
}
