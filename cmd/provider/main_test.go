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

package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/internal/controller"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func TestMain(m *testing.M) { os.Exit(kt.Main(m)) }

// TestARoleIsEnough runs the whole provider as a user who has rights in one namespace only, and stops it.
func TestARoleIsEnough(t *testing.T) {
	cp := kt.Shared(t)
	ns := cp.Namespace(t)
	cp.Grant(t.Context(), t, "provider-of-"+ns, ns, documented(t)...)
	cfg, err := cp.UserConfig(kt.User{Name: "provider-of-" + ns})
	if err != nil {
		t.Fatal(err)
	}

	o := defaults()
	o.namespace, o.probeAddress, o.metricsAddress, o.leaderElection = ns, "0", "0", true
	mgr, err := newManager(cfg, o, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := controller.Setup(mgr, o.forControllers(logging.NewNopLogger()), o.forProvisioning()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()

	// Elected closes once the lease is taken; the controllers start with it.
	select {
	case <-mgr.Elected():
	case err := <-ended:
		t.Fatalf("the manager ended: %v", err)
	case <-time.After(30 * time.Second):
		t.Fatal("the lease was not taken")
	}
	ready := controller.Ready(mgr, false)
	err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "/readyz", nil)
		return err == nil && ready(req) == nil, err
	})
	if err != nil {
		t.Errorf("the provider does not become ready: %v", err)
	}

	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the manager ended with: %v", err)
		}
	case <-time.After(shutdownTimeout + 5*time.Second):
		t.Error("the manager does not stop")
	}
}

// documented are the rights that cluster/install gives to the provider. Whoever widens them must see that here, too.
func documented(t *testing.T) []rbacv1.PolicyRule {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "cluster", "install", "provider", "rbac.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	role := &rbacv1.Role{}
	for doc := range strings.SplitSeq(string(data), "\n---\n") {
		if strings.Contains(doc, "\nkind: Role\n") {
			if err := yaml.UnmarshalStrict([]byte(doc), role); err != nil {
				t.Fatal(err)
			}
		}
	}
	all := []string{"get", "list", "watch", "create", "update", "patch", "delete"}
	want := []rbacv1.PolicyRule{
		{APIGroups: []string{"kubeopera.io"}, Resources: []string{"*"}, Verbs: all},
		{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: all},
		{APIGroups: []string{"", "events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}},
		{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: all},
	}
	if diff := cmp.Diff(want, role.Rules); diff != "" {
		t.Errorf("rights of the provider: -want, +documented:\n%s", diff)
	}
	return role.Rules
}

// TestNotReadyWithoutKinds fails if a provider whose CRDs are missing says that it is ready.
func TestNotReadyWithoutKinds(t *testing.T) {
	cp, err := kt.Start(t.Context(), kt.Options{CRDDirs: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	defer cp.Stop()
	o := defaults()
	o.probeAddress, o.metricsAddress = "0", "0"
	mgr, err := newManager(cp.Config, o, false)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := controller.Ready(mgr, false)(req); err == nil || !strings.Contains(err.Error(), "cannot find kind HostCluster") {
		t.Errorf("Ready(...) without CRDs: got %v, want an error that names the kind", err)
	}
}
