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
	"context"
	"strings"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// pages is a server that always has another page of nodes.
type pages struct {
	client.Client

	perPage int
	asked   int
}

func (p *pages) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	p.asked++
	list.SetContinue("more")
	if l, ok := list.(*corev1.NodeList); ok {
		l.Items = make([]corev1.Node, p.perPage)
	}
	return nil
}

func TestNodesWithoutEnd(t *testing.T) {
	cases := map[string]struct {
		reason  string
		perPage int
		most    int
	}{
		"Full":  {"A server must not fill our memory", nodesPerPage, maxNodes/nodesPerPage + 1},
		"Empty": {"Nor keep us busy with nothing", 0, 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := &pages{perPage: tc.perPage}
			if _, err := listNodes(t.Context(), p); err == nil || !strings.HasPrefix(err.Error(), "list of nodes does not end") {
				t.Errorf("\n%s\nlistNodes(...): %v", tc.reason, err)
			}
			if p.asked > tc.most {
				t.Errorf("\n%s\nlistNodes(...): asked %d times, want no more than %d", tc.reason, p.asked, tc.most)
			}
		})
	}
}

// TestHolds looks at whose stored kubeconfig a finalizer holds.
func TestHolds(t *testing.T) {
	cases := map[string]struct {
		reason   string
		policies xpv2.ManagementPolicies
		want     bool
	}{
		"Default":  {"Everything is allowed", nil, true},
		"All":      {"Everything is allowed, in so many words", xpv2.ManagementPolicies{"*"}, true},
		"Delete":   {"It may be deleted", xpv2.ManagementPolicies{"Observe", "Delete"}, true},
		"NoDelete": {"It may not be deleted", xpv2.ManagementPolicies{"Observe", "Create", "Update"}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ca := &v1alpha1.ClusterAccess{}
			ca.SetManagementPolicies(tc.policies)
			if got := holds(ca); got != tc.want {
				t.Errorf("\n%s\nholds(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
