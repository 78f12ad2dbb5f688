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

package provisionedcluster

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// TestSealing: a ProviderConfig that wants sealed credentials finds out whom to
// seal them for, with the rights that the provider has; others make no key, and
// a second look writes nothing.
func TestSealing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kube := w.client(w.provider)
	next := 0
	s := &sealing{
		Reconciler: reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
			next++
			return reconcile.Result{}, nil
		}),
		of: &v1alpha1.ProviderConfig{}, kube: kube, live: kube, namespace: w.ns,
	}
	look := func(name string) func() error {
		return func() error {
			_, err := s.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: w.ns, Name: name}})
			return err
		}
	}
	w.Eventually(look("gone")).Should(Succeed()) // Rights take a moment.
	w.Expect(look("acme")()).To(Succeed())
	key := client.ObjectKey{Namespace: w.ns, Name: cloud.SealingRecipientName}
	recipient := &corev1.Secret{}
	w.Expect(client.IgnoreNotFound(w.kube.Get(t.Context(), key, recipient))).To(Succeed())
	w.Expect(recipient.Data).To(BeEmpty(), "nobody has asked for a key")

	w.create(&v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "sealed"}, Spec: v1alpha1.ProviderConfigSpec{
		Type: v1alpha1.CredentialAWSAccessKey,
		Credentials: v1alpha1.Credentials{
			Source: v1alpha1.CredentialsSealed, SecretRef: &v1alpha1.SecretKeySelector{Name: "sealed", Key: "credentials"},
		},
		Execution: &v1alpha1.Execution{Namespace: w.jobs},
	}})
	w.Expect(look("sealed")()).To(Succeed())
	w.Expect(w.kube.Get(t.Context(), key, recipient)).To(Succeed())
	kt.Unchanged(t, w.kube, 3, look("sealed"), []client.ObjectList{&corev1.SecretList{}}, client.InNamespace(w.ns))
	w.Expect(next).To(BeNumerically(">=", 6), "what the ProviderConfig needs besides is done each time")

	// What is sealed for it makes a cluster.
	sealed, err := cloud.Seal(string(recipient.Data[cloud.SealingRecipientKey]), []byte("[default]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = "+canary+"\n"))
	w.Expect(err).NotTo(HaveOccurred())
	w.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "sealed"}, Data: map[string][]byte{"credentials": sealed}})
	w.pc.Spec.ProviderConfigReference.Name = "sealed"
	w.create(w.pc)
	w.succeeds()
	w.ready()
}
