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

package administrator

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/admin"
	"github.com/kubeopera/provider-kubeopera/internal/external"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/target"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func TestMain(m *testing.M) { os.Exit(kt.Main(m)) }

// connector leads to one client, or fails.
type connector struct {
	c   client.Client
	err error
}

func (c connector) Connect(context.Context, types.NamespacedName) (*target.Cluster, error) {
	return &target.Cluster{Client: c.c}, c.err
}

// world is one test's namespace and Administrator. Management and target side are the same control plane; the username
// is the namespace's name, so that records of several tests do not meet.
type world struct {
	t  *testing.T
	cp *kt.ControlPlane
	ad *v1alpha1.Administrator
}

func newWorld(t *testing.T) *world {
	t.Helper()
	cp := kt.Shared(t)
	ns := cp.Namespace(t)
	platform := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.PlatformNamespace}}
	if err := cp.Client.Create(t.Context(), platform); err != nil && !kerrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	return &world{t: t, cp: cp, ad: administrator(ns, "uid-of-"+ns)}
}

func administrator(ns, uid string) *v1alpha1.Administrator {
	ad := &v1alpha1.Administrator{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "my-cluster", UID: types.UID(uid)}}
	ad.Spec.ForProvider = v1alpha1.AdministratorParameters{
		KubeconfigSecretRef: v1alpha1.SecretReference{Name: "kubeconfig"}, Email: "admin@acme.com", Username: v1alpha1.Username(ns),
	}
	return ad
}

// reconcile does what the managed reconciler does in one pass, with a given way to both sides.
func reconcile(ctx context.Context, ad *v1alpha1.Administrator, mgmt client.Client, targets target.Connector) (managed.ExternalObservation, error) {
	c, err := external.NewConnector(&workflow{reader: mgmt, writer: mgmt, targets: targets}).Connect(ctx, ad)
	if err != nil {
		return managed.ExternalObservation{}, err
	}
	o, err := c.Observe(ctx, ad)
	switch {
	case err != nil:
		return o, err
	case ad.GetDeletionTimestamp() != nil && o.ResourceExists:
		_, err = c.Delete(ctx, ad)
	case ad.GetDeletionTimestamp() != nil:
	case !o.ResourceExists:
		_, err = c.Create(ctx, ad)
	case !o.ResourceUpToDate:
		_, err = c.Update(ctx, ad)
	}
	return o, err
}

// settle reconciles twice with healthy clients: what comes after a restart.
func (w *world) settle() managed.ExternalObservation {
	w.t.Helper()
	var o managed.ExternalObservation
	for range 2 {
		var err error
		if o, err = reconcile(w.t.Context(), w.ad, w.cp.Client, connector{c: w.cp.Client}); err != nil {
			w.t.Fatal(err)
		}
	}
	return o
}

// password reads the password's Secret; nil if it is not there.
func (w *world) password() *corev1.Secret { return w.get(passwordKey(w.ad)) }

// record reads the record; nil if it is not there.
func (w *world) record() *corev1.Secret {
	return w.get(admin.RecordKey(string(w.ad.Spec.ForProvider.Username)))
}

func (w *world) get(key types.NamespacedName) *corev1.Secret {
	w.t.Helper()
	s := &corev1.Secret{}
	err := w.cp.Client.Get(w.t.Context(), key, s)
	if kerrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) delete(s *corev1.Secret) {
	w.t.Helper()
	if err := w.cp.Client.Delete(w.t.Context(), s); err != nil {
		w.t.Fatal(err)
	}
}

// works fails the test unless there is one record and the password that is shown verifies against it.
func (w *world) works() {
	w.t.Helper()
	r, err := admin.ParseRecord(w.record())
	if err != nil {
		w.t.Fatal(err)
	}
	ok, err := admin.Verify(r.PasswordHash, string(w.password().Data[admin.KeyPassword]))
	if err != nil || !ok {
		w.t.Errorf("the password that is shown does not work: %t, %v", ok, err)
	}
}

func (w *world) ready(status corev1.ConditionStatus, reason xpv2.ConditionReason) {
	w.t.Helper()
	c := w.ad.GetCondition(xpv2.TypeReady)
	if c.Status != status || c.Reason != reason {
		w.t.Errorf("Ready: got %s, reason %s (%s), want %s, reason %s", c.Status, c.Reason, c.Message, status, reason)
	}
}

func TestCreatesOnceWhateverTheCrash(t *testing.T) {
	kt.CrashAfterEachWrite(t, func(t *testing.T, crash *kt.Crash) { //nolint:thelper // A test, not a helper.
		w := newWorld(t)
		c := crash.Client(w.cp.Client)
		// The status of this pass is lost with the process: it works on a copy.
		_, err := reconcile(t.Context(), w.ad.DeepCopy(), c, connector{c: c})
		if crash.Crashed() != errors.Is(err, kt.ErrCrashed) {
			t.Fatalf("crashed: %t, error: %v", crash.Crashed(), err)
		}
		record := w.record()
		o := w.settle()
		w.works()
		w.ready(corev1.ConditionTrue, xpv2.ReasonAvailable)
		if !o.ResourceExists || !o.ResourceUpToDate || !bytes.Equal(o.ConnectionDetails[admin.KeyPassword], w.password().Data[admin.KeyPassword]) {
			t.Errorf("Observe: %+v", o)
		}
		if record != nil && record.GetUID() != w.record().GetUID() {
			t.Error("the record was made twice")
		}
	})
}

func TestSteadyStateWritesNothing(t *testing.T) {
	w := newWorld(t)
	w.settle()
	kt.Unchanged(t, w.cp.Client, 3, func() error {
		_, err := reconcile(t.Context(), w.ad, w.cp.Client, connector{c: w.cp.Client})
		return err
	}, []client.ObjectList{&corev1.SecretList{}}, client.InNamespace(w.ad.GetNamespace()))
}

func TestDeletedRecordIsNotBroughtBack(t *testing.T) {
	cases := map[string]struct {
		reason string
		lose   func(w *world)
	}{
		"AllKnown":     {reason: "Secret and status remember.", lose: func(*world) {}},
		"StatusLost":   {reason: "The Secret alone remembers.", lose: func(w *world) { w.ad.Status = v1alpha1.AdministratorStatus{} }},
		"PasswordGone": {reason: "The status alone remembers.", lose: func(w *world) { w.delete(w.password()) }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.settle()
			w.delete(w.record())
			tc.lose(w)
			o := w.settle()
			if w.record() != nil {
				t.Errorf("%s\nThe record was brought back.", tc.reason)
			}
			if w.ad.Status.AtProvider.PasswordSecret != "" || o.ConnectionDetails != nil || w.ad.Status.AtProvider.CreatedAt == nil {
				t.Errorf("%s\nA password that does not work is shown: %+v", tc.reason, w.ad.Status.AtProvider)
			}
			w.ready(corev1.ConditionTrue, reasonRemoved)
		})
	}
}

func TestEarlierRecordExists(t *testing.T) {
	w := newWorld(t)
	w.settle()
	record := w.record()
	w.delete(w.password()) // As the deletion of the earlier Administrator does.
	w.ad = administrator(w.ad.GetNamespace(), "another-uid")
	o := w.settle()
	if w.password() != nil || o.ConnectionDetails != nil || w.ad.Status.AtProvider.PasswordSecret != "" {
		t.Error("a new password was made for a record that there was")
	}
	if record.GetResourceVersion() != w.record().GetResourceVersion() {
		t.Error("the earlier record was changed")
	}
	w.ready(corev1.ConditionTrue, v1alpha1.ReasonExists)
}

func TestLostRaceShowsNoPassword(t *testing.T) {
	w := newWorld(t)
	mgmt := &workflow{reader: w.cp.Client, writer: w.cp.Client, targets: connector{c: w.cp.Client}}
	if err := mgmt.createPassword(t.Context(), w.ad); err != nil {
		t.Fatal(err)
	}
	other := admin.Record{Username: string(w.ad.Spec.ForProvider.Username), Email: "a@b.c", Administrator: "other", PasswordID: "other"}
	other.PasswordHash, _ = admin.Hash("x")
	if err := w.cp.Client.Create(t.Context(), other.Secret()); err != nil {
		t.Fatal(err)
	}
	w.settle()
	if w.password() != nil {
		t.Error("a password that does not work is shown")
	}
	w.ready(corev1.ConditionTrue, v1alpha1.ReasonExists)
}

func TestFaults(t *testing.T) {
	cases := map[string]struct {
		reason  string
		prepare func(w *world)
		targets func(w *world) target.Connector
		want    fault.Class
	}{
		"ForeignPassword": {
			reason: "A Secret of somebody else is not touched.",
			prepare: func(w *world) {
				key := passwordKey(w.ad)
				s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
				if err := w.cp.Client.Create(w.t.Context(), s); err != nil {
					w.t.Fatal(err)
				}
			},
			want: fault.Conflict,
		},
		"ForeignRecord": {
			reason: "A Secret that is no record is not taken for one.",
			prepare: func(w *world) {
				key := admin.RecordKey(string(w.ad.Spec.ForProvider.Username))
				s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
				if err := w.cp.Client.Create(w.t.Context(), s); err != nil {
					w.t.Fatal(err)
				}
			},
			want: fault.Conflict,
		},
		"SameConnectionSecret": {
			reason: "Crossplane's merge patches and our create-only Secret must not meet.",
			prepare: func(w *world) {
				w.ad.SetWriteConnectionSecretToReference(&xpv2.LocalSecretReference{Name: passwordKey(w.ad).Name})
			},
			want: fault.Refused,
		},
		"NoKubeconfig": {
			reason:  "The kubeconfig may come later.",
			targets: func(*world) target.Connector { return connector{err: fault.New(fault.Waiting, "no kubeconfig yet")} },
			want:    fault.Waiting,
		},
		"Silent": {
			reason:  "A target that does not answer is tried again.",
			targets: func(*world) target.Connector { return connector{err: fault.New(fault.Unreachable, "no answer")} },
			want:    fault.Unreachable,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if tc.prepare != nil {
				tc.prepare(w)
			}
			targets := target.Connector(connector{c: w.cp.Client})
			if tc.targets != nil {
				targets = tc.targets(w)
			}
			before := w.password()
			_, err := reconcile(t.Context(), w.ad, w.cp.Client, targets)
			if (tc.want == fault.Waiting) != (err == nil) {
				t.Errorf("%s\nreconcile: %v", tc.reason, err)
			}
			w.ready(corev1.ConditionFalse, tc.want)
			if after := w.password(); (before == nil) != (after == nil) {
				t.Errorf("%s\nA password was written all the same.", tc.reason)
			}
		})
	}
}

func TestDelete(t *testing.T) {
	w := newWorld(t)
	w.settle()
	gone := metav1.NewTime(time.Now())
	w.ad.SetDeletionTimestamp(&gone)
	// The target is gone with its kubeconfig: it is not even asked.
	dead := connector{err: fault.New(fault.Unreachable, "no answer")}
	for range 2 {
		if _, err := reconcile(t.Context(), w.ad, w.cp.Client, dead); err != nil {
			t.Fatal(err)
		}
	}
	o, err := reconcile(t.Context(), w.ad, w.cp.Client, dead)
	if err != nil || o.ResourceExists {
		t.Errorf("reconcile after deletion: %+v, %v", o, err)
	}
	if w.password() == nil {
		t.Error("the password is gone, and it was the only copy")
	}
	if w.record() == nil {
		t.Error("the record is the platform's own: it has to stay")
	}
}

func TestDeleteLeavesForeignSecret(t *testing.T) {
	w := newWorld(t)
	key := passwordKey(w.ad)
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	if err := w.cp.Client.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	gone := metav1.NewTime(time.Now())
	w.ad.SetDeletionTimestamp(&gone)
	o, err := reconcile(t.Context(), w.ad, w.cp.Client, connector{err: errors.New("boom")})
	if err != nil || o.ResourceExists || w.password() == nil {
		t.Errorf("reconcile: %+v, %v; the Secret of somebody else has to stay", o, err)
	}
}
