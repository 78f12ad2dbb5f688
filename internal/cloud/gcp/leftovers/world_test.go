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

package leftovers

import (
	"context"
	"testing"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/sweep"
)

const (
	region = "projects/acme/regions/europe-west1/"
	zone   = "projects/acme/zones/europe-west1-b/"
	global = "projects/acme/global/"

	own = "https://www.googleapis.com/compute/v1/" + global + "networks/ko-prod"
	// shared is a network that is there already.
	shared = "https://www.googleapis.com/compute/v1/" + global + "networks/company"
	other  = "https://www.googleapis.com/compute/v1/" + global + "networks/ko-prod-2"

	made = `{"kubernetes.io/service-name":"web/front"}`
)

// tagOf the machines of a cluster.
func tagOf(cluster string) string { return "gke-" + cluster + "-1a2b3c4d-node" }

// memory is a Memory for the time of a test.
type memory struct{ data []byte }

func (m *memory) Read(context.Context) ([]byte, error) { return m.data, nil }

func (m *memory) Write(_ context.Context, data []byte) error {
	m.data = data
	return nil
}

// start a project with resources in it.
func start(t *testing.T, there ...cloudtest.ComputeResource) (*cloudtest.Server, oauth2.TokenSource) {
	t.Helper()
	s := cloudtest.Start(t)
	s.SetEnv(t)
	s.SetCompute(there...)
	cfg, err := google.JWTConfigFromJSON(s.GCPKey("acme"), cloud.GCPScope)
	if err != nil {
		t.Fatal(err)
	}
	return s, cfg.TokenSource(t.Context())
}

// sweeperOf cluster ko-prod, with what it knows.
func sweeperOf(m Memory) *Sweeper {
	return &Sweeper{Loop: sweep.Loop{Cluster: "ko-prod", Clock: cloudtest.NewHasty()}, Project: "acme", Location: "europe-west1", Memory: m}
}

type fields = map[string]any

func thing(path string, f fields) cloudtest.ComputeResource {
	return cloudtest.ComputeResource{Path: path, Fields: f}
}

// link is how resources name each other.
func link(path string) string { return "https://www.googleapis.com/compute/v1/" + path }

func machine(name, cluster string) cloudtest.ComputeResource {
	return thing(zone+"instances/"+name, fields{
		"labels": fields{clusterLabel: cluster, locationLabel: "europe-west1"}, "tags": fields{"items": []string{tagOf(cluster), "web"}},
		"networkInterfaces": []fields{{"network": shared}},
	})
}

func disk(name, cluster string, f fields) cloudtest.ComputeResource {
	f["labels"] = fields{clusterLabel: cluster, locationLabel: "europe-west1"}
	return thing(zone+"disks/"+name, f)
}

// ingress is a load balancer of an Ingress, from its front to its endpoints.
func ingress(name, network string) []cloudtest.ComputeResource {
	return []cloudtest.ComputeResource{
		thing(global+"forwardingRules/k8s2-fr-"+name, fields{"target": link(global + "targetHttpProxies/k8s2-tp-" + name)}),
		thing(global+"targetHttpProxies/k8s2-tp-"+name, fields{"urlMap": link(global + "urlMaps/k8s2-um-" + name)}),
		thing(global+"urlMaps/k8s2-um-"+name, fields{"defaultService": link(global + "backendServices/k8s1-be-" + name)}),
		thing(global+"backendServices/k8s1-be-"+name, fields{"backends": []fields{{"group": link(zone + "networkEndpointGroups/k8s1-neg-" + name)}}}),
		thing(zone+"networkEndpointGroups/k8s1-neg-"+name, fields{"network": network}),
	}
}

// A gke is a cluster in network shared, by what its controllers mark things with.
type gke struct {
	name string
	// uid of namespace kube-system, its hash, and the id in ConfigMap ingress-uid.
	uid, hash, id string
}

var (
	prod = gke{name: "ko-prod", uid: "11111111-2222-4333-8444-555555555555", hash: "r4ze1nzu", id: "a1b2c3d4e5f60718"}
	shop = gke{name: "shop", uid: "99999999-2222-4333-8444-555555555555", hash: "nvf20jf9", id: "0102030405060708"}
)

// machine of a cluster, and its path.
func (g gke) machine() cloudtest.ComputeResource { return machine("gke-"+g.name+"-nodes-0", g.name) }

// group of the endpoints of a Service.
func (g gke) group(name string) cloudtest.ComputeResource {
	r := thing(zone+"networkEndpointGroups/"+name, fields{
		"network": shared, "description": `{"cluster-uid":"` + g.uid + `","namespace":"web","service-name":"front","port":"80"}`,
	})
	r.Members = []string{g.machine().Path}
	return r
}

// ingress with TLS, as GKE makes and names it.
func (g gke) ingress(name string) []cloudtest.ComputeResource {
	front, back := g.hash+"-web-"+name+"-x", "k8s1-"+g.id[:8]+"-web-"+name+"-80-x"
	return []cloudtest.ComputeResource{
		thing(global+"forwardingRules/k8s2-fs-"+front, fields{"target": link(global + "targetHttpsProxies/k8s2-ts-" + front)}),
		thing(global+"targetHttpsProxies/k8s2-ts-"+front, fields{
			"urlMap": link(global + "urlMaps/k8s2-um-" + front), "sslCertificates": []string{link(global + "sslCertificates/k8s2-cr-" + front)},
		}),
		thing(global+"urlMaps/k8s2-um-"+front, fields{"defaultService": link(global + "backendServices/" + back)}),
		thing(global+"backendServices/"+back, fields{
			"backends":     []fields{{"group": link(zone + "networkEndpointGroups/" + back)}},
			"healthChecks": []string{link(global + "healthChecks/" + back)}, "description": made,
		}),
		thing(global+"healthChecks/"+back, fields{"description": "Default kubernetes L7 Loadbalancing health check for NEG."}),
		thing(global+"sslCertificates/k8s2-cr-"+front, fields{}),
		g.group(back),
	}
}

// rule admits load balancers to the machines.
func (g gke) rule() cloudtest.ComputeResource {
	return thing(global+"firewalls/k8s-fw-l7--"+g.id, fields{"network": shared, "targetTags": []string{tagOf(g.name)}, "description": "GCE L7 firewall rule"})
}
