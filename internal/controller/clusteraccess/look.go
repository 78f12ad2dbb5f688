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
	"fmt"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/inventory"
	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// needsAdmin makes look ask for the rights of a cluster-admin: without them
// nothing can be installed. Otherwise what we may not see is not known, and
// said to be.
const needsAdmin = true

// nodesPerPage bounds the answer to one list call: a node is some 10 KiB.
const nodesPerPage = 250

// maxNodes are more than any cluster has (GKE allows 65,000). A server that
// always has another page must not fill our memory.
const maxNodes = 100_000

// look looks at a cluster. Its errors are faults.
func look(ctx context.Context, c *target.Cluster, admin bool) (*Seen, error) {
	seen := &Seen{}
	var err error
	if seen.Version, err = c.Version(ctx); err != nil {
		return nil, target.Classify(err)
	}
	if seen.Identity, err = whoAmI(ctx, c.Client); err != nil {
		return nil, target.Classify(err)
	}
	if seen.Admin, err = isAdmin(ctx, c.Client); err != nil {
		return nil, target.Classify(err)
	}
	if admin && !seen.Admin {
		return nil, fault.Newf(fault.Denied, "no cluster-admin rights: bind %q to the ClusterRole cluster-admin", short(seen.Identity))
	}

	ns := &corev1.Namespace{}
	switch err := c.Client.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, ns); {
	case kerrors.IsForbidden(err) && !admin:
		seen.Warnings = append(seen.Warnings, "the cluster's UID is not known: the right to get the namespace kube-system is missing")
	case err != nil:
		return nil, target.Classify(err)
	default:
		seen.UID = string(ns.GetUID())
	}

	switch nodes, err := listNodes(ctx, c.Client); {
	case kerrors.IsForbidden(err) && !admin:
		seen.Provider, seen.Region = inventory.Unknown, inventory.Unknown
		seen.Warnings = append(seen.Warnings, "nodes are not known: the right to list nodes is missing")
	case err != nil:
		return nil, target.Classify(err)
	default:
		cloud := inventory.CloudOf(nodes)
		seen.Provider, seen.Region = cloud.Provider, cloud.Region
		seen.Nodes = count(nodes)
	}
	return seen, nil
}

// whoAmI returns the name that the cluster knows us by. Clusters before
// Kubernetes 1.28 do not tell.
func whoAmI(ctx context.Context, c client.Client) (string, error) {
	r := &authenticationv1.SelfSubjectReview{}
	err := c.Create(ctx, r)
	if kerrors.IsNotFound(err) || apimeta.IsNoMatchError(err) {
		return "", nil
	}
	return r.Status.UserInfo.Username, err
}

// isAdmin asks whether we may do everything.
func isAdmin(ctx context.Context, c client.Client) (bool, error) {
	r := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Group: "*", Version: "*", Resource: "*", Verb: "*"},
	}}
	err := c.Create(ctx, r)
	return r.Status.Allowed, err
}

// listNodes lists all nodes, some at a time, and keeps of them what we look at.
func listNodes(ctx context.Context, c client.Client) ([]corev1.Node, error) {
	var nodes []corev1.Node
	for page := ""; ; {
		l := &corev1.NodeList{}
		if err := c.List(ctx, l, client.Limit(nodesPerPage), client.Continue(page)); err != nil {
			return nil, err
		}
		for i := range l.Items {
			n := &l.Items[i]
			nodes = append(nodes, corev1.Node{
				ObjectMeta: metav1.ObjectMeta{Labels: n.Labels},
				Spec:       corev1.NodeSpec{ProviderID: n.Spec.ProviderID},
				Status:     corev1.NodeStatus{Conditions: n.Status.Conditions},
			})
		}
		switch page = l.GetContinue(); {
		case page == "":
			return nodes, nil
		case len(nodes) > maxNodes || len(l.Items) == 0:
			return nil, errors.Errorf("list of nodes does not end: stopped after %d", len(nodes))
		}
	}
}

func count(nodes []corev1.Node) *v1alpha1.NodeCount {
	return &v1alpha1.NodeCount{Total: int32(len(nodes)), Ready: int32(inventory.CountReady(nodes))} //nolint:gosec // No cluster has two billion nodes.
}

// explain adds to a fault what the kubeconfig tells about its cause.
func (w *workflow) explain(err error, k *kubeconfig.Kubeconfig, src source) error {
	switch class := fault.ClassOf(err); {
	case class == fault.Denied && k.Expired(w.clock.Now()):
		return fault.Wrap(err, class, fmt.Sprintf("%s expired at %s, replace Secret %s", k.Expires.Of, k.Expires.At.UTC().Format(timeFormat), src.secret))
	case class == fault.Denied && k.Plain():
		return fault.Wrap(err, class, "server uses plain http, which no credentials are sent over: use https://")
	case class == fault.Unreachable && k.Loopback() && !strings.HasPrefix(err.Error(), "ServerError"):
		return fault.Wrap(err, class, fmt.Sprintf("server %s is a loopback address, use one that leads to the cluster", k.Server.Host))
	default:
		return err
	}
}
