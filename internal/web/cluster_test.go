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
	"context"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// account makes a ProviderConfig and its Secret.
func (w *world) account(name string) {
	w.t.Helper()
	w.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string][]byte{"credentials": []byte(canary)}})
	w.config(name)
}

// config makes a ProviderConfig.
func (w *world) config(name string) {
	w.t.Helper()
	w.create(&v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.ProviderConfigSpec{
		Type: v1alpha1.CredentialAWSAccessKey,
		Credentials: v1alpha1.Credentials{
			Source: v1alpha1.CredentialsSecret, SecretRef: &v1alpha1.SecretKeySelector{Name: name, Key: "credentials"},
		},
	}})
}

func (w *world) create(o client.Object) {
	w.t.Helper()
	if o.GetNamespace() == "" {
		o.SetNamespace(w.ns)
	}
	w.Expect(w.kube.Create(w.t.Context(), o)).To(Succeed())
}

// provisioned makes a ProvisionedCluster as if a provider had looked at it. Its
// finalizer is the provider's.
func (w *world) provisioned(name string, change func(*v1alpha1.ProvisionedCluster)) *v1alpha1.ProvisionedCluster {
	w.t.Helper()
	pc := &v1alpha1.ProvisionedCluster{ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: []string{"finalizer.managedresource.crossplane.io"}}}
	pc.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionAll}
	pc.Spec.ForProvider = v1alpha1.ProvisionedClusterParameters{
		Sizing:   v1alpha1.Sizing{Topology: v1alpha1.TopologyEKS, NodeCount: 2, InstanceType: "t3.medium", KubernetesVersion: "1.36"},
		Provider: "aws", Region: "eu-north-1",
	}
	pc.Spec.ProviderConfigReference = &xpv2.ProviderConfigReference{Kind: v1alpha1.ProviderConfigKind, Name: "acme"}
	pc.Spec.WriteConnectionSecretToReference = &xpv2.LocalSecretReference{Name: v1alpha1.ProvisionedSecretName(name)}
	if change != nil {
		change(pc)
	}
	status := pc.Status
	w.create(pc)
	w.t.Cleanup(func() {
		ctx := context.WithoutCancel(w.t.Context())
		if w.kube.Get(ctx, client.ObjectKeyFromObject(pc), pc) == nil {
			pc.SetFinalizers(nil)
			_ = w.kube.Update(ctx, pc)
		}
	})
	pc.Status = status
	w.Expect(w.kube.Status().Update(w.t.Context(), pc)).To(Succeed())
	return pc
}

// succeeded is what a provider says of a cluster that is there.
func succeeded(pc *v1alpha1.ProvisionedCluster) {
	ready := xpv2.Available()
	ready.Message, ready.ObservedGeneration = "The cluster is there: https://example.com", 1
	pc.Status.SetConditions(ready)
	pc.Status.AtProvider = v1alpha1.ProvisionedClusterObservation{
		RunID: "apply-1-abc", Action: v1alpha1.RunApply, RunStatus: v1alpha1.RunSucceeded, AppliedRevision: "123", Endpoint: "https://example.com",
	}
}

// publish a kubeconfig as the provider does.
func (w *world) publish(pc *v1alpha1.ProvisionedCluster) {
	w.t.Helper()
	w.create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name:            pc.Spec.WriteConnectionSecretToReference.Name,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(pc, v1alpha1.Kind(v1alpha1.ProvisionedClusterKind))},
		},
		Data: map[string][]byte{"kubeconfig": []byte("apiVersion: v1\nkind: Config\npreferences: {canary: " + canary + "}\n")},
	})
}
