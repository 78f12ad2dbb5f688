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
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/external"
)

// storedWith makes a stored Secret as it should be, and changes it.
func storedWith(change ...func(*corev1.Secret)) *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "hostcluster-a-kubeconfig"}}
	shape(s, State{ID: "a", Hold: true}, []byte("config"))
	for _, c := range change {
		c(s)
	}
	return s
}

func terminating(s *corev1.Secret) {
	now := metav1.Now()
	s.DeletionTimestamp = &now
}

func handedOver(s *corev1.Secret) { s.Annotations = map[string]string{annotationHandedOver: "true"} }
func released(s *corev1.Secret)   { s.Finalizers = nil }
func unlabelled(s *corev1.Secret) { s.Labels = nil }

func TestNext(t *testing.T) {
	config := []byte("config")
	cases := map[string]struct {
		reason string
		s      State
		want   external.Step
	}{
		"NothingToStore":  {"The cluster that we run on needs no kubeconfig", State{ID: "a", Seen: &Seen{}}, external.Done},
		"NotStored":       {"A valid kubeconfig is stored", State{ID: "a", Hold: true, Kubeconfig: config}, Store},
		"Stored":          {"It is stored as it was supplied", State{ID: "a", Hold: true, Kubeconfig: config, Stored: storedWith()}, external.Done},
		"Replaced":        {"Another one takes its place", State{ID: "a", Hold: true, Kubeconfig: []byte("new"), Stored: storedWith()}, Refresh},
		"Unlabelled":      {"Somebody took the labels off", State{ID: "a", Hold: true, Kubeconfig: config, Stored: storedWith(unlabelled)}, Refresh},
		"Released":        {"Somebody took the finalizer off, or we crashed", State{ID: "a", Hold: true, Kubeconfig: config, Stored: storedWith(released)}, Refresh},
		"Emptied":         {"Somebody took the kubeconfig out", State{ID: "a", Hold: true, Kubeconfig: config, Stored: storedWith(func(s *corev1.Secret) { s.Data = nil })}, Refresh},
		"Terminating":     {"Marked for deletion, it does as long as our finalizer holds it", State{ID: "a", Hold: true, Kubeconfig: config, Stored: storedWith(terminating)}, external.Done},
		"TerminatingFree": {"It takes no finalizer any more", State{ID: "a", Hold: true, Kubeconfig: config, Stored: storedWith(terminating, released)}, external.Done},
		"Orphaned":        {"One that we may not delete is not held, or it would be held forever", State{ID: "a", Kubeconfig: config, Stored: storedWith()}, Refresh},
		"OrphanedFree":    {"And is as it should be without", State{ID: "a", Kubeconfig: config, Stored: storedWith(released)}, external.Done},
		"HandedOver":      {"The next ClusterAccess takes it over", State{ID: "a", Hold: true, Kubeconfig: config, Stored: storedWith(handedOver)}, Refresh},
		"TokenMissing":    {"Our own token has to be made", State{ID: "a", TokenDue: true}, IssueToken},
		"TokenOld":        {"Our own token has to be renewed", State{ID: "a", TokenDue: true, Stored: storedWith()}, IssueToken},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, next(tc.s)); diff != "" {
				t.Errorf("\n%s\nnext(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNextDelete(t *testing.T) {
	stays, leaves := User{Kind: "FluxBootstrap", Name: "a"}, User{Kind: "Administrator", Name: "a", Deleting: true}
	cases := map[string]struct {
		reason string
		s      State
		want   external.Step
	}{
		"Nothing":       {"Nothing was stored, or all is done", State{ID: "a"}, external.Done},
		"NothingUsed":   {"What is not there need not be kept for anybody", State{ID: "a", Users: []User{stays}}, external.Done},
		"Foreign":       {"What belongs to somebody else stays", State{ID: "a", Stored: storedWith(unlabelled, released)}, external.Done},
		"ForeignID":     {"So does what belongs to another cluster", State{ID: "b", Stored: storedWith(released)}, external.Done},
		"InUse":         {"Somebody needs it who is there to stay", State{ID: "a", Stored: storedWith(), Users: []User{leaves, stays}}, Blocked},
		"InUseByGoing":  {"Somebody needs it to leave", State{ID: "a", Stored: storedWith(), Users: []User{leaves}}, external.Wait},
		"InUseMarked":   {"Even if it is marked for deletion already", State{ID: "a", Stored: storedWith(terminating), Users: []User{leaves}}, external.Wait},
		"Free":          {"Nobody needs it", State{ID: "a", Stored: storedWith()}, Delete},
		"FreeReleased":  {"Nobody needs it, and nothing holds it", State{ID: "a", Stored: storedWith(released)}, Delete},
		"Marked":        {"Our finalizer is all that holds it", State{ID: "a", Stored: storedWith(terminating)}, Release},
		"Remade":        {"Its HostCluster makes it again: those who use the kubeconfig go on", State{ID: "a", Remade: true, Stored: storedWith(), Users: []User{stays}}, HandOver},
		"RemadeMarked":  {"Somebody deleted the Secret, too", State{ID: "a", Remade: true, Stored: storedWith(terminating), Users: []User{stays}}, HandOver},
		"RemadeOver":    {"It is handed over", State{ID: "a", Remade: true, Stored: storedWith(handedOver), Users: []User{stays}}, external.Done},
		"RemadeLoose":   {"What nothing holds needs nobody to let go of it", State{ID: "a", Remade: true, Stored: storedWith(released), Users: []User{stays}}, external.Done},
		"HeldByAnother": {"Somebody else's finalizer holds it", State{ID: "a", Stored: storedWith(terminating, func(s *corev1.Secret) { s.Finalizers = []string{"example.com/x"} })}, external.Wait},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, nextDelete(tc.s)); diff != "" {
				t.Errorf("\n%s\nnextDelete(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestHolder(t *testing.T) {
	const uid = "u1"
	access := func(name, uid string, age time.Duration) v1alpha1.ClusterAccess {
		return v1alpha1.ClusterAccess{
			ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(time.Unix(1e9, 0).Add(-age))},
			Status:     v1alpha1.ClusterAccessStatus{AtProvider: v1alpha1.ClusterAccessObservation{ClusterUID: uid}},
		}
	}
	cases := map[string]struct {
		reason string
		self   v1alpha1.ClusterAccess
		others []v1alpha1.ClusterAccess
		want   string
	}{
		"Alone":       {"Nobody else is there", access("b", "", 0), nil, ""},
		"Itself":      {"It does not stand in its own way", access("b", uid, 0), []v1alpha1.ClusterAccess{access("b", uid, 0)}, ""},
		"OtherOther":  {"Others have other clusters", access("b", "", 0), []v1alpha1.ClusterAccess{access("a", "u2", 0), access("c", "", 0)}, ""},
		"Taken":       {"The first to come has it", access("b", "", 0), []v1alpha1.ClusterAccess{access("a", uid, 0)}, "a"},
		"TakenYoung":  {"Even if it is younger", access("b", "", time.Hour), []v1alpha1.ClusterAccess{access("a", uid, 0)}, "a"},
		"BothOlder":   {"Of two that came at the same time the older keeps it", access("b", uid, time.Hour), []v1alpha1.ClusterAccess{access("a", uid, 0)}, ""},
		"BothYounger": {"And the younger goes", access("b", uid, 0), []v1alpha1.ClusterAccess{access("c", uid, time.Hour)}, "c"},
		"BothByName":  {"Equally old ones go by name", access("b", uid, 0), []v1alpha1.ClusterAccess{access("a", uid, 0)}, "a"},
		"BothByName2": {"The other way around", access("b", uid, 0), []v1alpha1.ClusterAccess{access("c", uid, 0)}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			if h := holder(&tc.self, uid, tc.others); h != nil {
				got = h.GetName()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nholder(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestOfStored(t *testing.T) {
	cases := map[string]struct{ secret, want string }{
		"Ours":      {"hostcluster-a-b-kubeconfig", "a-b"},
		"Input":     {"hostcluster-a-input-kubeconfig", "a-input"},
		"NoPrefix":  {"a-kubeconfig", ""},
		"NoSuffix":  {"hostcluster-a-admin-password", ""},
		"NoID":      {"hostcluster--kubeconfig", ""},
		"Unrelated": {"token", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			if reqs := ofStored("ns", tc.secret); len(reqs) > 0 {
				got = reqs[0].Name
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("ofStored(...): -want, +got:\n%s", diff)
			}
		})
	}
}
