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
	"context"
	gotesting "testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/internal/testing/pki"
)

// admin is the user of Config: a member of the group that RBAC allows everything.
var admin = User{Name: "kubeopera-test-admin", Groups: []string{"system:masters"}}

// User is an identity that the API server authenticates by client certificate. It has the rights of its groups, and
// those that Grant gives it.
type User struct {
	Name   string
	Groups []string
}

// UserConfig returns a client configuration that acts as the user.
func (c *ControlPlane) UserConfig(u User) (*rest.Config, error) {
	p, err := c.ca.Sign(pki.Identity{Name: u.Name, Groups: u.Groups})
	if err != nil {
		return nil, err
	}
	return &rest.Config{
		Host:            c.server,
		TLSClientConfig: rest.TLSClientConfig{CAData: c.ca.Certificate(), CertData: p.Cert, KeyData: p.Key},
		// Tests decide themselves how much they ask for.
		QPS: -1,
	}, nil
}

// Kubeconfig returns a complete kubeconfig of the user with everything inline, as a person would supply it. It names
// no groups: give none and it has no rights but what Grant gave; AdminKubeconfig may do everything.
func (c *ControlPlane) Kubeconfig(u User) ([]byte, error) {
	p, err := c.ca.Sign(pki.Identity{Name: u.Name, Groups: u.Groups})
	if err != nil {
		return nil, err
	}
	return clientcmd.Write(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"test": {Server: c.server, CertificateAuthorityData: c.ca.Certificate()}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{u.Name: {ClientCertificateData: p.Cert, ClientKeyData: p.Key}},
		Contexts:       map[string]*clientcmdapi.Context{"test": {Cluster: "test", AuthInfo: u.Name}},
		CurrentContext: "test",
	})
}

// AdminKubeconfig returns a kubeconfig that may do everything.
func (c *ControlPlane) AdminKubeconfig() ([]byte, error) { return c.Kubeconfig(admin) }

// Grant lets the user do what the rules say, in the namespace or, if that is empty, everywhere.
func (c *ControlPlane) Grant(ctx context.Context, tb gotesting.TB, user, namespace string, rules ...rbacv1.PolicyRule) {
	tb.Helper()
	meta := metav1.ObjectMeta{GenerateName: "test-", Namespace: namespace}
	subject := []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}}
	create := func(o client.Object) {
		if err := c.Client.Create(ctx, o); err != nil {
			tb.Fatalf("cannot grant rights to %s: %v", user, err)
		}
	}
	if namespace != "" {
		role := &rbacv1.Role{ObjectMeta: meta, Rules: rules}
		create(role)
		ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.GetName()}
		create(&rbacv1.RoleBinding{ObjectMeta: meta, Subjects: subject, RoleRef: ref})
		return
	}
	role := &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules}
	create(role)
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.GetName()}
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: meta, Subjects: subject, RoleRef: ref}
	create(binding)
	tb.Cleanup(func() {
		// Cluster-wide rights outlive a namespace, and the control plane may be shared.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		_ = c.Client.Delete(ctx, binding)
		_ = c.Client.Delete(ctx, role)
	})
}
