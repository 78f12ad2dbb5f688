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
	"slices"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
)

// Steps of this workflow.
const (
	// Store creates the Secret with the kubeconfig.
	Store external.Step = "Store"
	// Refresh brings that Secret up to date.
	Refresh external.Step = "Refresh"
	// IssueToken makes a kubeconfig with a new token of our own
	// ServiceAccount, and stores it.
	IssueToken external.Step = "IssueToken"
	// HandOver leaves the Secret to the ClusterAccess that is made next.
	HandOver external.Step = "HandOver"
	// Blocked says who still needs the stored kubeconfig.
	Blocked external.Step = "Blocked"
	// Delete deletes the stored Secret; our finalizer holds it.
	Delete external.Step = "Delete"
	// Release takes our finalizer off the stored Secret.
	Release external.Step = "Release"
)

// A State is what was seen of a ClusterAccess' source, of the stored
// kubeconfig, and of the cluster.
type State struct {
	// ID of the cluster: the name of the ClusterAccess.
	ID string
	// Hold says that our finalizer is to hold the stored kubeconfig.
	Hold bool
	// Stored is the Secret with the stored kubeconfig. Nil if there is none.
	Stored *corev1.Secret
	// Kubeconfig has been validated, and has to be stored. Empty if nothing
	// has to be.
	Kubeconfig []byte
	// TokenDue says that the stored kubeconfig needs a new token.
	TokenDue bool
	// Seen is what was seen through the kubeconfig. Nil while deleting.
	Seen *Seen
	// Users are those who need the stored kubeconfig. Filled while deleting.
	Users []User
	// Remade says that the HostCluster makes a ClusterAccess that is being
	// deleted again.
	Remade bool
}

// Seen is what was seen of a cluster.
type Seen struct {
	Server    string
	Version   string
	UID       string
	Nodes     *v1alpha1.NodeCount
	Provider  string
	Region    string
	Identity  string
	Admin     bool
	ExpiresAt *time.Time
	Warnings  []string
}

// A User is an object that needs the stored kubeconfig.
type User struct {
	Kind     string
	Name     string
	Deleting bool
}

// next step towards a stored, up-to-date kubeconfig.
func next(s State) external.Step {
	switch {
	case s.TokenDue:
		return IssueToken
	case len(s.Kubeconfig) == 0:
		return external.Done
	case s.Stored == nil:
		return Store
	case !current(s):
		return Refresh
	default:
		return external.Done
	}
}

// nextDelete is the next step towards nothing of ours being left.
func nextDelete(s State) external.Step {
	switch {
	case s.Stored == nil || !ours(s.Stored, s.ID):
		return external.Done
	case s.Remade:
		return nextRemade(s)
	case slices.ContainsFunc(s.Users, func(u User) bool { return !u.Deleting }):
		return Blocked
	case len(s.Users) > 0:
		return external.Wait
	case s.Stored.DeletionTimestamp.IsZero():
		return Delete
	case slices.Contains(s.Stored.Finalizers, v1alpha1.FinalizerInUse):
		return Release
	default:
		return external.Wait
	}
}

// ours says whether a Secret is the stored kubeconfig of the cluster id. The
// finalizer marks it, too: people take off labels.
func ours(s *corev1.Secret, id string) bool {
	return slices.Contains(s.Finalizers, v1alpha1.FinalizerInUse) ||
		(s.Labels[v1alpha1.LabelManagedBy] == v1alpha1.ManagedBy && s.Labels[v1alpha1.LabelHostCluster] == id)
}

// current says whether the stored Secret is as it should be. One that is marked
// for deletion takes no finalizer any more.
func current(s State) bool {
	st := s.Stored
	return bytes.Equal(st.Data[v1alpha1.KubeconfigKey], s.Kubeconfig) &&
		st.Labels[v1alpha1.LabelManagedBy] == v1alpha1.ManagedBy &&
		st.Labels[v1alpha1.LabelHostCluster] == s.ID &&
		st.Annotations[annotationHandedOver] == "" &&
		(!st.DeletionTimestamp.IsZero() || slices.Contains(st.Finalizers, v1alpha1.FinalizerInUse) == s.Hold)
}

// holds says whether our finalizer is to hold the stored kubeconfig of a
// ClusterAccess. One that may not delete it could never take it off again.
func holds(ca *v1alpha1.ClusterAccess) bool {
	p := ca.GetManagementPolicies()
	return len(p) == 0 || slices.Contains(p, xpv2.ManagementActionAll) || slices.Contains(p, xpv2.ManagementActionDelete)
}
