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

package web

import (
	"net/http"
	"strings"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/web/provisions"
)

// TestDestroy deletes what nobody else has, so that its cluster goes, too.
func TestDestroy(t *testing.T) {
	w := newWorld(t)
	token := w.everything()
	hc := &v1alpha1.HostCluster{ObjectMeta: metav1.ObjectMeta{Name: "has"}, Spec: hostSpec()}
	w.create(hc)
	of := func(name string) func(*v1alpha1.ProvisionedCluster) {
		return func(pc *v1alpha1.ProvisionedCluster) {
			succeeded(pc)
			pc.SetLabels(map[string]string{v1alpha1.LabelHostCluster: name})
			pc.Spec.ManagementPolicies = xpv2.ManagementPolicies{"Observe", "Create", "Update", "LateInitialize"}
		}
	}
	pc := w.provisioned("has", of("has"))
	a := w.request(token, http.MethodDelete, provisions.Path+"/has", "")
	w.Expect(a.status).To(Equal(http.StatusConflict))
	w.Expect(a.reason()).To(Equal(provisions.InUse))
	w.Expect(a.body).To(ContainSubstring("deletionPolicy to Destroy"))
	w.Expect(w.kube.Get(t.Context(), client.ObjectKeyFromObject(pc), pc)).To(Succeed())
	w.Expect(pc.Spec.ManagementPolicies).To(HaveLen(4), "nothing was changed")
	w.Expect(pc.GetDeletionTimestamp()).To(BeNil())

	w.Expect(w.kube.Delete(t.Context(), hc)).To(Succeed())
	w.Eventually(func() int {
		return w.request(token, http.MethodDelete, provisions.Path+"/has", "").status
	}).Should(Equal(http.StatusAccepted), "it was disconnected")
	w.Expect(w.kube.Get(t.Context(), client.ObjectKeyFromObject(pc), pc)).To(Succeed())
	w.Expect(pc.Spec.ManagementPolicies).To(Equal(xpv2.ManagementPolicies{"*"}))
	w.Expect(pc.GetDeletionTimestamp()).NotTo(BeNil())

	version := pc.GetResourceVersion()
	a = w.request(token, http.MethodDelete, provisions.Path+"/has", "")
	w.Expect(a.status).To(Equal(http.StatusAccepted))
	w.Expect(a.job().Status).To(Equal(provisions.InDestroy))
	w.Expect(w.kube.Get(t.Context(), client.ObjectKeyFromObject(pc), pc)).To(Succeed())
	w.Expect(pc.GetResourceVersion()).To(Equal(version), "the same again writes nothing")
	a = w.request(token, http.MethodPost, provisions.Path, strings.Replace(spec, `"new"`, `"has"`, 1))
	w.Expect(a.status).To(Equal(http.StatusConflict))
	w.Expect(a.reason()).To(Equal(provisions.Destroying))

	w.provisioned("untouched", func(pc *v1alpha1.ProvisionedCluster) { pc.SetFinalizers(nil) })
	a = w.request(token, http.MethodDelete, provisions.Path+"/untouched", "")
	w.Expect(a.status).To(Equal(http.StatusAccepted), "no provider had looked at it, and it is gone")
	w.Expect(a.job().Status).To(Equal(provisions.InDestroy))
	w.Expect(w.request(token, http.MethodDelete, provisions.Path+"/untouched", "").status).To(Equal(http.StatusNotFound))
}
