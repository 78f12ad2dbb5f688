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
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/gittest"
)

// TestGitRotation: the Git password is revoked on the server and replaced in
// the source Secret, and both sides go on with the new one.
func TestGitRotation(t *testing.T) {
	t.Parallel()

	const rotated = "s3cret-token-10"

	ctx := t.Context()
	w := newWorld(t).supply(ctx).create(ctx)
	w.ready(ctx)
	workloads := w.workloads(ctx)
	w.Expect(w.fluxMayRead(ctx)).To(Equal(http.StatusOK))

	t.Log("Revoked: nobody gets in any more, and it is said.")
	w.git.Auth(gittest.Username, rotated)
	w.Expect(w.fluxMayRead(ctx)).To(Equal(http.StatusUnauthorized))
	w.until(ctx, func(g Gomega, hc *v1alpha1.HostCluster) {
		g.Expect(hc.GetCondition(v1alpha1.TypeEnvironmentReady).Status).To(Equal(corev1.ConditionFalse))
		g.Expect(hc.GetCondition(xpv2.TypeReady).Status).To(Equal(corev1.ConditionFalse))
		g.Expect(hc.GetCondition(v1alpha1.TypeEnvironmentReady).Message).To(ContainSubstring(*hc.Spec.GitCredentialsSecretRef))
	})

	t.Log("Replaced: Flux's copy on the cluster follows, and so do we.")
	w.input[1].Data["password"] = []byte(rotated)
	w.Expect(w.cp.Client.Update(ctx, w.input[1].DeepCopy())).To(Succeed())
	w.Eventually(func() int { return w.fluxMayRead(ctx) }).Should(Equal(http.StatusOK))
	w.ready(ctx)

	w.change(ctx, func(hc *v1alpha1.HostCluster) { hc.Spec.Domain = ptr.To[v1alpha1.DNSName]("rotated.acme.com") })
	w.ready(ctx)
	w.Expect(w.git.Git(t, "grep", "-l", "rotated.acme.com", "main", "--", "clusters/my-cluster")).NotTo(BeEmpty())
	w.Expect(w.workloads(ctx)).To(Equal(workloads))
}

// fluxMayRead asks the Git server with the credentials that Flux has on the
// target, as source-controller does, and returns the status of the answer.
func (w *world) fluxMayRead(ctx context.Context) int {
	w.t.Helper()

	s := &corev1.Secret{}
	w.Expect(w.tc.Get(ctx, client.ObjectKey{Namespace: v1alpha1.FluxNamespace, Name: v1alpha1.SyncName}, s)).To(Succeed())

	roots := x509.NewCertPool()
	w.Expect(roots.AppendCertsFromPEM(s.Data["ca.crt"])).To(BeTrue())

	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, string(*w.hc.Spec.GitOpsRepoURL)+"/info/refs?service=git-upload-pack", nil)
	w.Expect(err).NotTo(HaveOccurred())
	req.SetBasicAuth(string(s.Data["username"]), string(s.Data["password"]))

	res, err := (&http.Client{Transport: transport}).Do(req)
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(res.Body.Close()).To(Succeed())

	return res.StatusCode
}
