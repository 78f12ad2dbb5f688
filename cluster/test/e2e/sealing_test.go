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

package e2e

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"time"

	ssv1alpha1 "github.com/bitnami-labs/sealed-secrets/pkg/apis/sealedsecrets/v1alpha1"
	"github.com/bitnami-labs/sealed-secrets/pkg/crypto"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/seal"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// itSealsAgain checks that a secret is sealed for another key only when its own is gone.
func itSealsAgain(get func() *world) {
	var (
		w    *world
		keys []corev1.Secret
	)
	BeforeEach(func() { w = get() })
	platform := client.ObjectKey{Namespace: v1alpha1.PlatformNamespace, Name: render.PlatformSecret}
	commits := func(ctx context.Context) ([]string, error) { return w.sandbox.Git.Log(ctx, ".") }

	It("seals nothing again when the cluster gets a newer sealing key", func(ctx SpecContext) {
		l := &corev1.SecretList{}
		Expect(w.target.List(ctx, l, client.InNamespace(render.SealedSecretsNamespace), client.MatchingLabels{seal.KeyLabel: seal.ActiveKey})).To(Succeed())
		Expect(l.Items).NotTo(BeEmpty())
		keys = l.Items
		before, err := commits(ctx)
		Expect(err).NotTo(HaveOccurred())

		Expect(w.target.Create(ctx, sealingKey("sealed-secrets-key-newer"))).To(Succeed())
		Consistently(ctx, commits, 2*pollInterval+pollInterval/2, "500ms").Should(Equal(before))
	})

	It("seals again, once, when the key is gone", func(ctx SpecContext) {
		before, err := commits(ctx)
		Expect(err).NotTo(HaveOccurred())
		value, sealed := &corev1.Secret{}, &ssv1alpha1.SealedSecret{}
		Expect(w.target.Get(ctx, platform, value)).To(Succeed())
		Expect(w.target.Get(ctx, platform, sealed)).To(Succeed())

		for i := range keys {
			Expect(w.target.Delete(ctx, &keys[i])).To(Succeed())
		}
		// The tree's controller watches its keys: it has the newer one without a restart.
		Eventually(ctx, commits, readyTimeout, "200ms").Should(HaveLen(len(before) + 1))
		w.awaitReady(ctx)
		now := &ssv1alpha1.SealedSecret{}
		Eventually(ctx, func(g Gomega) {
			g.Expect(w.target.Get(ctx, platform, now)).To(Succeed())
			g.Expect(now.Spec.EncryptedData).NotTo(Equal(sealed.Spec.EncryptedData))
			g.Expect(now.Status.ObservedGeneration).To(Equal(now.GetGeneration()))
			g.Expect(now.Status.Conditions).To(ContainElement(And(
				HaveField("Type", ssv1alpha1.SealedSecretSynced), HaveField("Status", corev1.ConditionTrue))))
		}, readyTimeout, "200ms").Should(Succeed())
		unsealed := &corev1.Secret{}
		Expect(w.target.Get(ctx, platform, unsealed)).To(Succeed())
		Expect(unsealed.Data).To(Equal(value.Data), "what is sealed is the same")
		w.awaitReady(ctx)
		Consistently(ctx, commits, 2*pollInterval, "500ms").Should(HaveLen(len(before) + 1))
		kt.Steady(GinkgoTB(), w.management, pollInterval, childLists())
	}, SpecTimeout(readyTimeout+readyTimeout))
}

// sealingKey is a key as the documents of Sealed Secrets have people bring their own.
func sealingKey(name string) *corev1.Secret {
	GinkgoHelper()
	key, cert, err := crypto.GeneratePrivateKeyAndCert(2048, time.Hour, "newer")
	Expect(err).NotTo(HaveOccurred())
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: render.SealedSecretsNamespace, Name: name, Labels: map[string]string{seal.KeyLabel: seal.ActiveKey}},
		Type:       corev1.SecretTypeTLS,
		Data: map[string][]byte{
			corev1.TLSCertKey:       pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}),
			corev1.TLSPrivateKeyKey: pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}),
		},
	}
}
