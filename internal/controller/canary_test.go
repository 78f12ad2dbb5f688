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

package controller

import (
	"encoding/json"
	"strings"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// TestCanary: what is secret is found nowhere but in Secrets.
func TestCanary(t *testing.T) {
	t.Parallel()

	ctx := t.Context()
	w := newWorld(t).supply(ctx).create(ctx)
	w.ready(ctx)

	admin := &corev1.Secret{}
	w.Expect(w.cp.Client.Get(ctx, client.ObjectKey{Namespace: w.hc.Namespace, Name: v1alpha1.AdminPasswordSecretName(w.hc.Name)}, admin)).To(Succeed())

	// Errors tell most: one of each kind.
	w.target.Rotate("another-token")
	w.until(ctx, func(g Gomega, hc *v1alpha1.HostCluster) {
		g.Expect(hc.GetCondition(xpv2.TypeReady).Status).To(Equal(corev1.ConditionFalse))
	})
	w.input[1].Data["password"] = []byte("wrong-canary-password")
	w.Expect(w.cp.Client.Update(ctx, w.input[1].DeepCopy())).To(Succeed())

	ge := &v1alpha1.GitOpsEnvironment{}
	w.Eventually(func(g Gomega) {
		g.Expect(w.cp.Client.Get(ctx, w.key(), ge)).To(Succeed())
		g.Expect(ge.GetCondition(xpv2.TypeReady).Status).To(Equal(corev1.ConditionFalse))
	}).Should(Succeed())

	everything := append(children(), &corev1.EventList{})
	for _, l := range everything {
		w.Expect(w.cp.Client.List(ctx, l, client.InNamespace(w.hc.Namespace))).To(Succeed())

		b, err := json.Marshal(l)
		w.Expect(err).NotTo(HaveOccurred())

		for name, secret := range w.secrets(admin) {
			if strings.Contains(string(b), secret) {
				t.Errorf("%T holds %s", l, name)
			}
		}
	}

	for name, secret := range w.secrets(admin) {
		found := w.git.Git(t, "log", "--all", "--oneline", "-S", secret)
		if diff := cmp.Diff("", found); diff != "" {
			t.Errorf("Git holds %s: %s", name, diff)
		}
	}
}

// secrets that must not be found anywhere else.
func (w *world) secrets(admin *corev1.Secret) map[string]string {
	return map[string]string{
		"the first token":              w.first,
		"the Git password":             string(w.git.Credentials()["password"]),
		"the wrong password":           "wrong-canary-password",
		"the administrator's password": string(admin.Data["password"]),
	}
}
