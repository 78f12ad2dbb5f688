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
	"context"
	"fmt"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/gittest"
)

// TestSecretsStay takes clusters through success, failure and deletion, and
// then looks for every secret that took part, wherever it must not be.
func TestSecretsStay(t *testing.T) {
	b := newBed(t)
	_, token := b.serviceAccount("person")
	b.supply("input", map[string][]byte{v1alpha1.KubeconfigKey: b.kubeconfig(token)})
	b.supply("git", b.git.Credentials())
	b.create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: "registry"},
		Type:       corev1.SecretTypeDockerConfigJson,
		Data:       map[string][]byte{corev1.DockerConfigJsonKey: []byte(`{"auths":{"registry.example.com":{"auth":"` + registryAuth + `"}}}`)},
	})

	hc := b.hostCluster("good", func(hc *v1alpha1.HostCluster) {
		hc.Spec.ConnectKubeconfigSecretRef = new("input")
		hc.Spec.RegistryPullSecretRef = new("registry")
	})
	b.create(hc)
	b.phase(hc, v1alpha1.PhaseReady)

	secrets := []secret{
		{"the kubeconfig's token", token, []string{"team/input", "team/hostcluster-good-kubeconfig"}},
		{"the Git password", gittest.Password, []string{"team/git", "flux-system/kubeopera"}},
		{"the registry's password", registryAuth, []string{"team/registry", "flux-system/kubeopera-registry"}},
		{"the administrator's password", string(b.secret("hostcluster-good-admin-password").Data["password"]), []string{"team/hostcluster-good-admin-password"}},
	}
	for k, v := range b.secret("hostcluster-good-sealing").Data {
		secrets = append(secrets, secret{"the generated value " + k, string(v), []string{"team/hostcluster-good-sealing"}})
	}
	b.search(secrets...)

	secrets = append(secrets, b.fail()...)
	b.search(secrets...)

	b.must(b.cp.Client.Delete(b.Context(), hc))
	b.gone(hc)
	for i := range secrets {
		s := &secrets[i]
		s.at = stays(s.at)
	}
	b.search(secrets...)

	b.inCluster()
}

// registryAuth is what a registry takes for a password.
const registryAuth = "cmVnaXN0cnktY2FuYXJ5LTg3NDI="

// stays are the Secrets that a disconnect leaves: those that people supplied,
// those that are the only copies of what is in use, and the one that Flux,
// which goes on running, pulls its images with.
func stays(at []string) []string {
	var out []string
	for _, a := range at {
		if a != "team/hostcluster-good-kubeconfig" && a != "flux-system/kubeopera" {
			out = append(out, a)
		}
	}
	return out
}

// hostCluster in the connect mode, with the Git repository, unless it is changed.
func (b *bed) hostCluster(name string, change func(*v1alpha1.HostCluster)) *v1alpha1.HostCluster {
	hc := &v1alpha1.HostCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: name},
		Spec: v1alpha1.HostClusterSpec{
			Mode:                    v1alpha1.ModeConnectExisting,
			Profile:                 v1alpha1.ProfileMinimal,
			GitOpsRepoURL:           new(v1alpha1.GitURL(b.url)),
			GitOpsPath:              new(v1alpha1.GitPath("clusters/" + name)),
			GitCredentialsSecretRef: new("git"),
			Domain:                  new(v1alpha1.DNSName(name + ".example.com")),
			AdminEmail:              new(v1alpha1.Email("admin@example.com")),
			AdminUsername:           new(v1alpha1.Username("admin")),
		},
	}
	change(hc)
	return hc
}

// phase waits until a HostCluster is in a phase.
func (b *bed) phase(hc *v1alpha1.HostCluster, want v1alpha1.Phase) {
	b.Helper()
	b.until(hc.GetName()+" is "+string(want), hc,
		func() bool { return hc.Status.Phase == want },
		func() string { return string(hc.Status.Phase) + ": " + hc.Status.Message })
}

// reason waits until a managed resource is not Ready for a reason.
func (b *bed) reason(mg resource.Managed, want xpv2.ConditionReason) {
	b.Helper()
	ready := func() xpv2.Condition { return mg.GetCondition(xpv2.TypeReady) }
	b.until(mg.GetName()+" is "+string(want), mg,
		func() bool { return ready().Reason == want },
		func() string { return string(ready().Reason) + ": " + ready().Message })
	b.Logf("%s: %s: %s", mg.GetName(), want, ready().Message)
}

// notReady waits until a managed resource says what is wrong.
func (b *bed) notReady(mg resource.Managed) {
	b.Helper()
	ready := func() xpv2.Condition { return mg.GetCondition(xpv2.TypeReady) }
	b.until(mg.GetName()+" says what is wrong", mg,
		func() bool {
			return ready().Status == "False" && ready().Reason != v1alpha1.ReasonInProgress && ready().Reason != v1alpha1.ReasonWaiting
		},
		func() string { return string(ready().Reason) + ": " + ready().Message })
	b.Logf("%s: %s: %s", mg.GetName(), ready().Reason, ready().Message)
}

// gone waits until an object is.
func (b *bed) gone(o client.Object) {
	b.Helper()
	err := wait.PollUntilContextTimeout(b.Context(), 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		return kerrors.IsNotFound(b.cp.Client.Get(ctx, client.ObjectKeyFromObject(o), o)), nil
	})
	if err != nil {
		b.Fatalf("%s is still there: %v: %s", o.GetName(), err, quoted(fmt.Sprint(o)))
	}
}
