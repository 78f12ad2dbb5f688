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
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarks(t *testing.T) {
	const id = "a1b2c3d4e5f60718"
	cases := map[string]struct {
		reason string
		r      resource
		want   []string
	}{
		"Endpoints": {
			reason: "The group of a Service has the cluster's UID, and the id in its name.",
			r:      resource{kind: endpointGroups, Name: "k8s1-a1b2c3d4-web-front-80-08a4d9c0", Description: `{"cluster-uid":"kubesystem-uid1","namespace":"web"}`},
			want:   []string{"uid/kubesystem-uid1", "hash/7kpbhpki", "id/a1b2c3d4"},
		},
		"NotEndpoints":  {reason: "Only endpoint groups say it that way.", r: resource{kind: "urlMaps", Name: "x", Description: `{"cluster-uid":"kubesystem-uid1"}`}},
		"NotJSON":       {reason: "A description may be anything.", r: resource{kind: endpointGroups, Name: "x", Description: "cluster-uid"}},
		"Frontend":      {reason: "Ingresses have the hash.", r: resource{Name: "k8s2-um-7kpbhpki-web-front-956p2p7x"}, want: []string{"hash/7kpbhpki"}},
		"Service":       {reason: "Services have it after the protocol,", r: resource{Name: "k8s2-tcp-7kpbhpki-web-front-956p2p7x"}, want: []string{"hash/7kpbhpki"}},
		"Backend":       {reason: "or at once.", r: resource{Name: "k8s2-7kpbhpki-web-front-956p2p7x-fw"}, want: []string{"hash/7kpbhpki"}},
		"Attachment":    {reason: "Service attachments have it, too.", r: resource{Name: "k8s1-sa-7kpbhpki-web-front-956p2p7x"}, want: []string{"hash/7kpbhpki"}},
		"InstanceGroup": {reason: "Older names end with the id.", r: resource{Name: "k8s-ig--" + id}, want: []string{"id/a1b2c3d4"}},
		"Rule":          {reason: "The rule of all Ingresses, too.", r: resource{kind: firewalls, Name: "k8s-fw-l7--" + id}, want: []string{"id/a1b2c3d4"}},
		"Hyphens":       {reason: "What is before the id may look like one.", r: resource{Name: "k8s-um-web-x--0102030405060708--" + id}, want: []string{"id/a1b2c3d4"}},
		"Cut":           {reason: "Of an id that was cut enough is left,", r: resource{Name: "k8s-um-" + strings.Repeat("x", 44) + "--a1b2c3d4e0"}, want: []string{"id/a1b2c3d4"}},
		"CutShort":      {reason: "or not.", r: resource{Name: "k8s-um-" + strings.Repeat("x", 46) + "--a1b2c3d0"}},
		"NoID":          {reason: "An end that is shorter is no id.", r: resource{Name: "k8s-um-web--a1b2c3d4"}},
		"Nodes":         {reason: "The check of all machines has the id inside.", r: resource{Name: "k8s-" + id + "-node"}, want: []string{"id/a1b2c3d4"}},
		"NodesRule":     {reason: "Its rule, too.", r: resource{kind: firewalls, Name: "k8s-" + id + "-node-http-hc"}, want: []string{"id/a1b2c3d4"}},
		"GKE":           {reason: "GKE's own rules begin like the machines' tag.", r: resource{kind: firewalls, Name: "gke-prod-1a2b3c4d-all"}, want: []string{"node/gke-prod-1a2b3c4d"}},
		"Other":         {reason: "People's have none.", r: resource{kind: firewalls, Name: "office"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if len(tc.r.Name) > nameLength {
				t.Fatalf("No name is as long as %s", tc.r.Name)
			}
			if diff := cmp.Diff(tc.want, tc.r.marks()); diff != "" {
				t.Errorf("%s\nmarks(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestMarkOfTag(t *testing.T) {
	cases := map[string]struct{ reason, tag, want string }{
		"Own":       {reason: "GKE gives it to the machines of one cluster.", tag: "gke-ko-prod-1a2b3c4d-node", want: "node/gke-ko-prod-1a2b3c4d"},
		"Cut":       {reason: "A long name is cut.", tag: "gke-ko-p-1a2b3c4d-node", want: "node/gke-ko-p-1a2b3c4d"},
		"Other":     {reason: "Another cluster's tag may be given to machines by hand.", tag: "gke-ko-prod-2-1a2b3c4d-node"},
		"Shared":    {reason: "People's tags are on other machines, too.", tag: "web"},
		"Lookalike": {reason: "Without a hash it may be anybody's.", tag: "gke-ko-prod-node"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := markOfTag(tc.tag, "ko-prod"); got != tc.want {
				t.Errorf("%s\nmarkOfTag(%q): want %q, got %q", tc.reason, tc.tag, tc.want, got)
			}
		})
	}
}

func TestByKubernetes(t *testing.T) {
	cases := map[string]struct {
		reason string
		r      resource
		want   bool
	}{
		"Described": {reason: "A description says so.", r: resource{kind: firewalls, Name: "k8s-fw-a1", Description: made}, want: true},
		"Named":     {reason: "A name says so.", r: resource{kind: firewalls, Name: "k8s-fw-l7--a1b2c3d4e5f60718"}, want: true},
		"Gateway":   {reason: "A Gateway's name says so.", r: resource{kind: healthChecks, Name: "gkegw1-ll1w-web-front-80-x"}, want: true},
		"OwnName":   {reason: "A group may have a name that its Service chose.", r: resource{kind: endpointGroups, Name: "front", Description: `{"cluster-uid":"u"}`}, want: true},
		"Frontend":  {reason: "Old forwarding rules are named like that.", r: resource{kind: "forwardingRules", Name: "k8s-fw-web-front--a1b2c3d4e5f60718"}, want: true},
		"Hand":      {reason: "A person may begin a rule's name like that.", r: resource{kind: firewalls, Name: "k8s-fw-office"}},
		"Hand2":     {reason: "A person may begin a rule's name like that.", r: resource{kind: firewalls, Name: "k8s-office"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.r.byKubernetes(); got != tc.want {
				t.Errorf("%s\nbyKubernetes(): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
