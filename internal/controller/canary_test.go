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
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/fluxcd/pkg/ssh"
	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/gittest"
)

const (
	wrongPassword = "wrong-canary-password"

	// sshServerWait bounds how long an SSH server may take to show its key.
	sshServerWait = 5 * time.Second
)

// TestCanary: what is secret is found nowhere but in Secrets.
func TestCanary(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		git    func(w *world) (secret string)
		wrong  map[string][]byte
	}{
		"Basic": {
			reason: "A user and a password over https.",
			git:    func(w *world) string { return string(w.input[1].Data["password"]) },
			wrong:  map[string][]byte{"password": []byte(wrongPassword)},
		},
		"SSH": {
			reason: "A key over ssh.",
			git:    (*world).overSSH,
			wrong:  map[string][]byte{"identity": []byte("-----BEGIN OPENSSH PRIVATE KEY-----\n" + wrongPassword + "\n-----END OPENSSH PRIVATE KEY-----\n")},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Log(tc.reason)

			ctx := t.Context()
			w := newWorld(t)
			secrets := map[string]string{
				"the first token": w.first, "the Git credential": tc.git(w), "the wrong Git credential": wrongPassword,
			}
			w.supply(ctx).create(ctx)
			w.ready(ctx)

			admin := &corev1.Secret{}
			w.Expect(w.cp.Client.Get(ctx, client.ObjectKey{Namespace: w.hc.Namespace, Name: v1alpha1.AdminPasswordSecretName(w.hc.Name)}, admin)).To(Succeed())
			secrets["the administrator's password"] = string(admin.Data["password"])

			synced := &corev1.Secret{}
			w.Expect(w.tc.Get(ctx, client.ObjectKey{Namespace: v1alpha1.FluxNamespace, Name: v1alpha1.SyncName}, synced)).To(Succeed())
			w.Expect(slices.Collect(maps.Values(synced.Data))).To(ContainElement(ContainSubstring(secrets["the Git credential"])), "Flux has it")

			w.spoil(ctx, tc.wrong)
			w.search(ctx, secrets)
		})
	}
}

// spoil the token and the Git credentials, since errors tell most, and wait
// until both are complained about.
func (w *world) spoil(ctx context.Context, wrong map[string][]byte) {
	w.t.Helper()
	w.target.Rotate("another-token")
	w.until(ctx, func(g Gomega, hc *v1alpha1.HostCluster) {
		g.Expect(hc.GetCondition(xpv2.TypeReady).Status).To(Equal(corev1.ConditionFalse))
	})
	maps.Copy(w.input[1].Data, wrong)
	w.Expect(w.cp.Client.Update(ctx, w.input[1].DeepCopy())).To(Succeed())

	ge := &v1alpha1.GitOpsEnvironment{}
	w.Eventually(func(g Gomega) {
		g.Expect(w.cp.Client.Get(ctx, w.key(), ge)).To(Succeed())
		g.Expect(ge.GetCondition(xpv2.TypeReady).Status).To(Equal(corev1.ConditionFalse))
	}).Should(Succeed())
}

// search for secrets wherever they must not be.
func (w *world) search(ctx context.Context, secrets map[string]string) {
	w.t.Helper()

	everything := append(children(), &corev1.EventList{})
	for _, l := range everything {
		w.Expect(w.cp.Client.List(ctx, l, client.InNamespace(w.hc.Namespace))).To(Succeed())

		b, err := json.Marshal(l)
		w.Expect(err).NotTo(HaveOccurred())

		for name, secret := range secrets {
			if strings.Contains(string(b), secret) {
				w.t.Errorf("%T holds %s", l, name)
			}
		}
	}

	for name, secret := range secrets {
		w.Expect(len(secret)).To(BeNumerically(">=", 8), name)

		found := w.git.Git(w.t, "log", "--all", "--oneline", "-S", secret)
		if diff := cmp.Diff("", found); diff != "" {
			w.t.Errorf("Git holds %s: %s", name, diff)
		}
	}
}

// overSSH has the HostCluster use its repository over ssh. It returns a line of
// the key.
func (w *world) overSSH() string {
	w.t.Helper()
	w.git.KeyDir(w.t.TempDir())
	w.Expect(w.git.ListenSSH()).To(Succeed())

	ended := make(chan struct{})

	go func() {
		defer close(ended)

		_ = w.git.StartSSH() // It ends when the test does.
	}()

	w.t.Cleanup(func() {
		_ = w.git.StopSSH()
		<-ended
	})

	key, err := ssh.NewEd25519Generator().Generate()
	w.Expect(err).NotTo(HaveOccurred())

	u, err := url.Parse(w.git.SSHAddress())
	w.Expect(err).NotTo(HaveOccurred())

	known, err := ssh.ScanHostKey(u.Host, sshServerWait, nil, false)
	w.Expect(err).NotTo(HaveOccurred())

	w.hc.Spec.GitOpsRepoURL = new(v1alpha1.GitURL(w.git.SSHAddress() + "/" + gittest.Repository))
	w.input[1].Data = map[string][]byte{"identity": key.PrivateKey, "identity.pub": key.PublicKey, "known_hosts": known}

	return strings.Split(string(key.PrivateKey), "\n")[1]
}
