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

package canary

import (
	"bytes"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
)

// inCluster registers the cluster that the provider runs on, first without a
// Git repository and then with one, the whole way. Its token goes nowhere.
func (b *bed) inCluster() {
	b.Helper()
	const name = "here"
	hc := b.hostCluster(name, func(hc *v1alpha1.HostCluster) {
		hc.Spec = v1alpha1.HostClusterSpec{Mode: v1alpha1.ModeInCluster}
	})
	b.create(hc)
	b.phase(hc, v1alpha1.PhaseReady)
	system := &corev1.Namespace{}
	b.must(b.cp.Client.Get(b.Context(), client.ObjectKey{Name: "kube-system"}, system))
	if hc.Status.ClusterUID != string(system.GetUID()) || hc.Status.KubernetesVersion == "" || hc.Status.Nodes == nil || hc.Status.Provider == "" || hc.Status.Region == "" {
		b.Errorf("not everything is discovered: %+v", hc.Status)
	}
	if hc.Status.KubeOperaInstalled {
		b.Error("nothing is installed without a Git repository")
	}

	with := b.hostCluster(name, func(hc *v1alpha1.HostCluster) { hc.Spec.Mode = v1alpha1.ModeInCluster })
	before := hc.DeepCopy()
	hc.Spec = with.Spec
	b.must(b.cp.Client.Patch(b.Context(), hc, client.MergeFrom(before)))
	b.until("installed", hc,
		func() bool { return hc.Status.KubeOperaInstalled && hc.Status.Phase == v1alpha1.PhaseReady },
		func() string { return string(hc.Status.Phase) + ": " + hc.Status.Message })

	token := func() string {
		k, err := kubeconfig.Parse(b.secret("hostcluster-here-kubeconfig").Data[v1alpha1.KubeconfigKey])
		if err != nil {
			return ""
		}
		return k.RESTConfig().BearerToken
	}
	first := token()

	// A token that is of no use is made anew at once, and everybody goes on with it.
	s := b.secret("hostcluster-here-kubeconfig")
	s.Data[v1alpha1.KubeconfigKey] = bytes.Repeat([]byte("x"), 10)
	b.must(b.cp.Client.Update(b.Context(), s))
	b.until("a new token", s, func() bool { return token() != "" }, func() string { return "" })
	second := token()
	if first == second {
		b.Error("the token is the same")
	}
	b.phase(hc, v1alpha1.PhaseReady)
	b.search(
		secret{"the first token", first, nil},
		secret{"the second token", second, []string{"team/hostcluster-here-kubeconfig"}},
	)
	b.must(b.cp.Client.Delete(b.Context(), hc))
	b.gone(hc)
}
