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
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/web/provisions"
	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

// spec of a provision that may be.
const spec = `{"id":"new","topology":"eks","region":"eu-north-1","nodeCount":2,"instanceType":"t3.medium","kubernetesVersion":"1.36","credentialRef":"acme"}`

// TestWhoMayWhat asks every route as everybody. Whose tokens these are and what
// they may is for the API server to say.
func TestWhoMayWhat(t *testing.T) {
	w := newWorld(t)
	w.account("acme")
	w.publish(w.provisioned("there", succeeded))
	w.provisioned("kept", func(pc *v1alpha1.ProvisionedCluster) {
		succeeded(pc)
		pc.Spec.ManagementPolicies = xpv2.ManagementPolicies{"Observe", "Create", "Update", "LateInitialize"}
	})

	type route struct{ method, path, body string }
	routes := []struct {
		route

		name string
	}{
		{name: "list", route: route{method: http.MethodGet, path: provisions.Path}},
		{name: "get", route: route{method: http.MethodGet, path: provisions.Path + "/there"}},
		{name: "get none", route: route{method: http.MethodGet, path: provisions.Path + "/none"}},
		{name: "logs", route: route{method: http.MethodGet, path: provisions.Path + "/there/logs"}},
		{name: "kubeconfig", route: route{method: http.MethodGet, path: provisions.Path + "/there/kubeconfig"}},
		{name: "create", route: route{method: http.MethodPost, path: provisions.Path, body: spec}},
		{name: "destroy kept", route: route{method: http.MethodDelete, path: provisions.Path + "/kept"}},
		{name: "destroy none", route: route{method: http.MethodDelete, path: provisions.Path + "/none"}},
		{name: "destroy", route: route{method: http.MethodDelete, path: provisions.Path + "/there"}},
	}
	whose := map[string]struct {
		reason string
		token  string
		want   string
	}{
		"NoToken": {
			reason: "Nobody is let in without a token.",
			want:   "401 401 401 401 401 401 401 401 401",
		},
		"WrongToken": {
			reason: "The API server does not know it.",
			token:  "wrong",
			want:   "401 401 401 401 401 401 401 401 401",
		},
		"Nobody": {
			reason: "A token alone is no right, and does not tell what is there.",
			token:  w.token("nobody"),
			want:   "403 403 403 403 403 403 403 403 403",
		},
		"Viewer": {
			reason: "Who may see jobs sees neither logs nor kubeconfigs.",
			token:  w.may("viewer", rule("provisionedclusters", "get", "list")),
			want:   "200 200 404 403 403 403 403 403 403",
		},
		"LogReader": {
			reason: "A right on the log is one of its own. The pod is gone.",
			token:  w.may("log-reader", rule("provisionedclusters/log", "get")),
			want:   "403 403 403 404 403 403 403 403 403",
		},
		"SecretReader": {
			reason: "Who may get Secrets alone does not get at them through a job.",
			token:  w.may("secret-reader", secrets),
			want:   "403 403 403 403 403 403 403 403 403",
		},
		"KubeconfigReader": {
			reason: "Whoever may get the job and its Secret gets the kubeconfig.",
			token:  w.may("kubeconfig-reader", rule("provisionedclusters", "get"), secrets),
			want:   "403 200 404 403 200 403 403 403 403",
		},
		"OtherSecret": {
			reason: "The right has to be on that Secret.",
			token: w.may("other-secret", rule("provisionedclusters", "get"), rbacv1.PolicyRule{
				APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{"acme"}, Verbs: []string{"get"},
			}),
			want: "403 200 404 403 403 403 403 403 403",
		},
		"ThisOneOnly": {
			reason: "A right on one job is one on no other.",
			token: w.may("this-one", rbacv1.PolicyRule{
				APIGroups: []string{v1alpha1.Group}, Resources: []string{"provisionedclusters"}, ResourceNames: []string{"there"}, Verbs: []string{"get"},
			}),
			want: "403 200 403 403 403 403 403 403 403",
		},
		"XCreator": {
			reason: "Who may create may do nothing else.",
			token:  w.may("creator", rule("provisionedclusters", "create")),
			want:   "403 403 403 403 403 202 403 403 403",
		},
		"YDestroyer": {
			reason: "Who may delete may not change what a deletion leaves.",
			token:  w.may("destroyer", rule("provisionedclusters", "delete")),
			want:   "403 403 403 403 403 403 403 404 202",
		},
		"ZAll": {
			reason: "Who may do everything may, and what was asked for before is answered in the same way.",
			token:  w.everything(),
			want:   "200 200 404 404 409 202 202 404 202",
		},
	}
	for _, name := range slices.Sorted(maps.Keys(whose)) {
		tc := whose[name]
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, r := range routes {
				a := w.request(tc.token, r.method, r.path, r.body)
				got = append(got, strconv.Itoa(a.status))
				if a.header.Get("Cache-Control") != "no-store" {
					t.Errorf("%s: it may be stored", r.name)
				}
				if a.status >= http.StatusBadRequest && a.reason() == "" {
					t.Errorf("%s: no reason: %s", r.name, a.body)
				}
				if strings.Contains(a.body, canary) && r.name != "kubeconfig" {
					t.Errorf("%s: a secret: %s", r.name, a.body)
				}
			}
			if s := strings.Join(got, " "); s != tc.want {
				t.Errorf("%s\ngot  %s\nwant %s", tc.reason, s, tc.want)
			}
		})
	}
}

// TestPublic asks what everybody may know, and what is not there.
func TestPublic(t *testing.T) {
	w := newWorld(t)
	for path, want := range map[string]int{
		"/healthz": 200, "/readyz": 200, "/openapi.json": 200, "/": 404, "/api/v1/provisions/x/y": 404,
	} {
		if a := w.request("", http.MethodGet, path, ""); a.status != want {
			t.Errorf("%s: %d, want %d: %s", path, a.status, want, a.body)
		}
	}
	a := w.request("", http.MethodPut, provisions.Path+"/x", "{}")
	if a.status != http.StatusMethodNotAllowed || a.header.Get("Allow") != "DELETE, GET" {
		t.Errorf("PUT: %d, Allow %q", a.status, a.header.Get("Allow"))
	}
	if id := a.header.Get(reply.HeaderRequestID); id == "" || !strings.Contains(a.body, id) || !strings.Contains(w.log.String(), id) {
		t.Errorf("request id %q is not in the answer %s, or not in the log", id, a.body)
	}
}

// TestAudience takes only tokens that are meant for this service.
func TestAudience(t *testing.T) {
	w := newWorld(t, func(w *world) { w.audiences = []string{"kubeopera-api"} })
	w.may("meant", rule("provisionedclusters", "list"))
	for name, want := range map[string]int{"meant": 401, "for-us": 403} {
		token := w.token(name)
		if name == "for-us" {
			delete(w.tokens, name)
			token = w.token(name, "kubeopera-api")
		}
		if a := w.request(token, http.MethodGet, provisions.Path, ""); a.status != want {
			t.Errorf("%s: %d, want %d: %s", name, a.status, want, a.body)
		}
	}
}

// TestClosed lets nobody in while the API server does not answer.
func TestClosed(t *testing.T) {
	w := newWorld(t, func(w *world) { w.apiserver = "https://127.0.0.1:1" })
	token := w.everything()
	for _, path := range []string{provisions.Path, provisions.Path + "/x/kubeconfig", "/readyz"} {
		if a := w.request(token, http.MethodGet, path, ""); a.status != http.StatusServiceUnavailable {
			t.Errorf("%s: %d: %s", path, a.status, a.body)
		}
	}
	if a := w.request("", http.MethodGet, "/healthz", ""); a.status != http.StatusOK {
		t.Errorf("healthz: %d", a.status)
	}
}
