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
	"fmt"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// supply makes the Secrets that the HostCluster names, and its namespace if that is missing.
func (w *world) supply(ctx context.Context, kubeconfig []byte) {
	GinkgoHelper()
	Expect(client.IgnoreAlreadyExists(w.management.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.hc.GetNamespace()}}))).To(Succeed())
	for _, s := range w.inputs(kubeconfig) {
		Expect(w.management.Create(ctx, s)).To(Succeed())
	}
}

// inputs are the Secrets that the example names.
func (w *world) inputs(kubeconfig []byte) []*corev1.Secret {
	inputs := []*corev1.Secret{
		{ObjectMeta: metav1.ObjectMeta{Name: "my-cluster-input-kubeconfig"}, Data: map[string][]byte{v1alpha1.KubeconfigKey: kubeconfig}},
		{ObjectMeta: metav1.ObjectMeta{Name: "gitops-iac-credentials"}, Data: w.sandbox.Git.Credentials},
	}
	for _, s := range inputs {
		s.APIVersion, s.Kind = "v1", "Secret"
		s.SetNamespace(w.hc.GetNamespace())
	}
	return inputs
}

// folder writes the HostCluster and the Secrets that it names into a folder, as a Git repository would have them.
func (w *world) folder() string {
	GinkgoHelper()
	folder := GinkgoT().TempDir()
	manifest, err := w.sandbox.Manifest(example())
	Expect(err).NotTo(HaveOccurred())
	manifest.SetName(w.hc.GetName())
	objects := []client.Object{manifest}
	for _, s := range w.inputs(w.sandbox.TargetKubeconfig) {
		objects = append(objects, s)
	}
	for i, o := range objects {
		content, err := yaml.Marshal(o)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.yaml", i)), content, 0o600)).To(Succeed())
	}
	return folder
}

// leftBehind is what events say of it.
func (w *world) leftBehind(ctx context.Context) string {
	GinkgoHelper()
	events := &corev1.EventList{}
	Expect(w.management.List(ctx, events, client.InNamespace(w.hc.GetNamespace()))).To(Succeed())
	var said []string
	for i := range events.Items {
		if events.Items[i].Reason == "LeftBehind" {
			said = append(said, events.Items[i].Message)
		}
	}
	return strings.Join(said, "\n")
}

// secretNames are the names of the Secrets beside the HostCluster.
func (w *world) secretNames(ctx context.Context) []string {
	GinkgoHelper()
	secrets := &corev1.SecretList{}
	Expect(w.management.List(ctx, secrets, client.InNamespace(w.hc.GetNamespace()))).To(Succeed())
	names := make([]string, 0, len(secrets.Items))
	for i := range secrets.Items {
		names = append(names, secrets.Items[i].GetName())
	}
	return names
}

// declare creates the example's HostCluster under a name, beside the Secrets that are there.
func (w *world) declare(ctx context.Context, name string) {
	GinkgoHelper()
	manifest, err := w.sandbox.Manifest(example())
	Expect(err).NotTo(HaveOccurred())
	manifest.SetName(name)
	Expect(w.management.Create(ctx, manifest)).To(Succeed())
	w.hc = &v1alpha1.HostCluster{}
	w.hc.SetNamespace(manifest.GetNamespace())
	w.hc.SetName(name)
}
