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

package gitopsenvironment

import (
	"context"
	"crypto/rsa"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bitnami-labs/sealed-secrets/pkg/apis/sealedsecrets/v1alpha1"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	kubeopera "github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/gittest"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/render"
)

const (
	pass1 = "Write the infrastructure of one (pass 1 of 2)"
	pass2 = "Write the environment of one (pass 2 of 2)"
)

func TestTwoPasses(t *testing.T) {
	b := newBed(t, nil)
	b.settle(t)

	if !b.is(kubeopera.TypeInfrastructurePushed) || b.is(kubeopera.TypeEnvironmentPushed) || b.is(xpv2.TypeReady) {
		t.Errorf("after pass 1: %v", b.mg.Status.Conditions)
	}

	if got := b.message(); !strings.HasPrefix(got, "No sealing key on the cluster yet") {
		t.Errorf("the message must say what it waits for: %q", got)
	}

	// Nothing is done while there is no key.
	if acted, err := b.reconcile(t); acted || err != nil {
		t.Errorf("acted: %t, %v", acted, err)
	}

	infrastructure := b.mg.Status.AtProvider.Infrastructure.DeepCopy()

	key := b.addKey(t, "key-1", b.clock.Now().Add(-time.Minute))
	b.settle(t)

	if !b.is(kubeopera.TypeInfrastructurePushed) || !b.is(kubeopera.TypeEnvironmentPushed) || !b.is(xpv2.TypeReady) {
		t.Errorf("after pass 2: %v", b.mg.Status.Conditions)
	}

	if diff := cmp.Diff([]string{pass2, pass1}, b.commits(t)); diff != "" {
		t.Errorf("one commit per pass: %s", diff)
	}

	o := b.mg.Status.AtProvider
	if diff := cmp.Diff(infrastructure, o.Infrastructure); diff != "" {
		t.Errorf("pass 1 is history: %s", diff)
	}

	if head := strings.TrimSpace(b.server.Git(t, "rev-parse", "main")); o.Environment.Commit != head || o.Environment.TreeHash == o.Infrastructure.TreeHash || o.SealingKeyFingerprint == "" || o.Files < 10 {
		t.Errorf("status: %+v", o)
	}

	if got := b.server.Git(t, "show", "main:"+folder+"/apps.yaml"); !strings.Contains(got, o.Environment.TreeHash) {
		t.Errorf("the layer is not stamped with %s: %s", o.Environment.TreeHash, got)
	}

	sec := b.sealing(t)
	if got := string(b.unseal(t, render.PlatformSecret, key)["session-key"]); got != string(sec.Data[keySession]) || got == "" {
		t.Errorf("the cluster gets %q", got)
	}
}

func TestSteadyState(t *testing.T) {
	b := newBed(t, nil)
	b.complete(t)

	before := b.mg.DeepCopy()
	b.heads, b.fetches = 0, 0

	for range 3 {
		b.clock.Step(time.Hour)

		if acted, err := b.reconcile(t); acted || err != nil {
			t.Fatalf("acted: %t, %v", acted, err)
		}
	}

	if b.heads != 3 || b.fetches != 0 {
		t.Errorf("a poll is one request: %d looks at the head, %d fetches", b.heads, b.fetches)
	}

	if diff := cmp.Diff(before, b.mg); diff != "" {
		t.Errorf("the object changes: %s", diff)
	}

	// Another process finds everything as it is.
	b.restart()

	if acted, err := b.reconcile(t); acted || err != nil || !cmp.Equal(before, b.mg) {
		t.Errorf("after a restart: acted %t, %v, %s", acted, err, cmp.Diff(before, b.mg))
	}

	// Other people's commits are normal.
	b.server.Commit(t, "main", "others", map[string]string{"clusters/two/a.yaml": "a"})

	if acted, err := b.reconcile(t); acted || err != nil || !cmp.Equal(before, b.mg) {
		t.Errorf("after somebody's commit: acted %t, %v, %s", acted, err, cmp.Diff(before, b.mg))
	}
}

// TestCrash dies right after each push.
func TestCrash(t *testing.T) {
	b := newBed(t, nil)

	for _, prepare := range []func(){func() {}, func() { b.addKey(t, "key-1", b.clock.Now().Add(-time.Minute)) }} {
		prepare()

		b.crash = true
		if _, err := b.reconcile(t); !errors.Is(err, errCrash) {
			t.Fatalf("no crash: %v", err)
		}

		b.restart()
		b.settle(t)
	}

	if !b.is(xpv2.TypeReady) {
		t.Errorf("not ready: %v", b.mg.Status.Conditions)
	}

	if diff := cmp.Diff([]string{pass2, pass1}, b.commits(t)); diff != "" {
		t.Errorf("one commit per pass: %s", diff)
	}
}

// TestChanges makes a complete environment meet all kinds of changes. Each
// makes so many commits, and ends Ready.
func TestChanges(t *testing.T) {
	cases := map[string]struct {
		reason  string
		change  func(t *testing.T, b *bed)
		commits int
	}{
		"Domain":  {reason: "Another tree.", change: func(_ *testing.T, b *bed) { b.mg.Spec.ForProvider.Domain = "two.example.com" }, commits: 1},
		"Profile": {reason: "Another tree.", change: func(_ *testing.T, b *bed) { b.mg.Spec.ForProvider.Profile = kubeopera.ProfileFull }, commits: 1},
		"Version": {reason: "A new provider brings a new KubeOpera.", change: func(_ *testing.T, b *bed) { b.w.version = "v0.2.0" }, commits: 1},
		"Edited": {
			reason: "Our files are put back.", commits: 1,
			change: func(t *testing.T, b *bed) {
				t.Helper()

				b.server.Commit(t, "main", "edit", map[string]string{folder + "/apps/kubeopera.yaml": "edited"})
			},
		},
		"MarkerLost": {
			reason: "Our files are put back, this one too.", commits: 1,
			change: func(t *testing.T, b *bed) {
				t.Helper()

				b.server.Commit(t, "main", "edit", map[string]string{folder + "/" + render.MarkerFile: ""})
			},
		},
		"Foreign": {
			reason: "A file of somebody in our folder is left alone.",
			change: func(t *testing.T, b *bed) {
				t.Helper()

				b.server.Commit(t, "main", "add", map[string]string{folder + "/notes.md": "x"})
			},
		},
		"KeyRotated": {
			reason: "The old key stays, and so does the ciphertext.",
			change: func(t *testing.T, b *bed) {
				t.Helper()

				b.addKey(t, "key-2", b.clock.Now())
			},
		},
		"KeyReplaced": {
			reason: "Nobody could unseal it any more.", commits: 1,
			change: func(t *testing.T, b *bed) {
				t.Helper()

				b.addKey(t, "key-2", b.clock.Now())

				old := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: render.SealedSecretsNamespace, Name: "key-1"}}
				if err := b.target.Delete(t.Context(), old); err != nil {
					t.Fatal(err)
				}
			},
		},
		"Unreachable": {
			reason: "Git is complete, whether the cluster answers or not.",
			change: func(_ *testing.T, b *bed) {
				b.unreachable = fault.New(fault.Unreachable, "the cluster does not answer")
			},
		},
		"UnreachableDomain": {
			reason: "What needs no key is written all the same.", commits: 1,
			change: func(_ *testing.T, b *bed) {
				b.unreachable = fault.New(fault.Unreachable, "the cluster does not answer")
				b.mg.Spec.ForProvider.Domain = "two.example.com"
			},
		},
		"SealingLost": {
			reason: "New values are generated and sealed.", commits: 1,
			change: func(t *testing.T, b *bed) {
				t.Helper()

				if err := b.kube.Delete(t.Context(), b.sealing(t)); err != nil {
					t.Fatal(err)
				}
			},
		},
		"PullSecret": {
			reason: "One more secret.", commits: 1,
			change: func(t *testing.T, b *bed) {
				t.Helper()

				b.mg.Spec.ForProvider.RegistryPullSecretRef = &kubeopera.SecretReference{Name: "pull"}
				b.create(t, &corev1.Secret{
					ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "pull"}, Type: corev1.SecretTypeDockerConfigJson,
					Data: map[string][]byte{corev1.DockerConfigJsonKey: []byte("{}")},
				})
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, nil)
			b.complete(t)
			tc.change(t, b)

			before := b.commits(t)

			b.settle(t)
			b.settle(t)

			if !b.is(xpv2.TypeReady) {
				t.Errorf("%s Not ready: %s", tc.reason, b.message())
			}

			if got := len(b.commits(t)) - len(before); got != tc.commits {
				t.Errorf("%s %d commits instead of %d: %v", tc.reason, got, tc.commits, b.commits(t))
			}
		})
	}
}

// TestHeld is about what keeps an environment from going on, and that it does once it can.
func TestHeld(t *testing.T) {
	var hub *gittest.GitHub

	cases := map[string]struct {
		reason  string
		hold    func(t *testing.T, b *bed)
		class   fault.Class
		message string
		release func(t *testing.T, b *bed)
	}{
		"NoCredentials": {
			reason: "The Secret comes later.",
			hold: func(t *testing.T, b *bed) {
				t.Helper()

				if err := b.kube.DeleteAllOf(t.Context(), &corev1.Secret{}, client.InNamespace(namespace)); err != nil {
					t.Fatal(err)
				}
			},
			class: fault.Waiting, message: "Git credentials Secret git is not there yet",
			release: func(t *testing.T, b *bed) {
				t.Helper()

				b.create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "git"}, Data: b.server.Credentials()})
			},
		},
		"NoPullSecret": {
			reason: "The Secret comes later; pass 1 does not wait for it.",
			hold: func(_ *testing.T, b *bed) {
				b.mg.Spec.ForProvider.RegistryPullSecretRef = &kubeopera.SecretReference{Name: "pull"}
			},
			class: fault.Waiting, message: "registry pull Secret pull is not there yet",
			release: func(_ *testing.T, b *bed) { b.mg.Spec.ForProvider.RegistryPullSecretRef = nil },
		},
		"Unreachable": {
			reason: "Only the cluster can say who it is.",
			hold: func(_ *testing.T, b *bed) {
				b.unreachable = fault.New(fault.Unreachable, "the cluster does not answer")
			},
			class: fault.Unreachable, message: "the cluster does not answer",
			release: func(_ *testing.T, b *bed) { b.unreachable = nil },
		},
		"Rotated": {
			reason: "The server has a new password before we do.",
			hold:   func(_ *testing.T, b *bed) { b.server.Auth(gittest.Username, "another") },
			class:  fault.Denied, message: "Git credentials refused by 127.0.0.1: replace password in Secret git: cannot",
			release: func(t *testing.T, b *bed) {
				t.Helper()

				data := b.server.Credentials()
				data["password"] = []byte("another")
				b.credentials(t, data)
			},
		},
		"NoUsername": {
			reason: "A server that looks at user names, and a Secret without one.",
			hold: func(t *testing.T, b *bed) {
				t.Helper()

				data := b.server.Credentials()
				delete(data, "username")
				b.credentials(t, data)
			},
			class: fault.Denied, message: "Git credentials refused by 127.0.0.1: replace password, or add username, in Secret git: cannot",
			release: func(t *testing.T, b *bed) {
				t.Helper()
				b.credentials(t, b.server.Credentials())
			},
		},
		"GitHubApp": {
			reason: "An App instead of a password; GitHub is down at first.",
			hold: func(t *testing.T, b *bed) {
				t.Helper()

				hub = gittest.ServeGitHub(t)
				hub.Status.Store(http.StatusBadGateway)
				b.server.Auth("x-access-token", hub.Token)

				data := hub.Credentials()
				data["ca.crt"] = append(data["ca.crt"], b.server.Credentials()["ca.crt"]...)
				b.credentials(t, data)
			},
			class: fault.Unreachable, message: "GitHub fails with status 502",
			release: func(*testing.T, *bed) { hub.Status.Store(0) },
		},
		"PathInUse": {
			reason: "Somebody else's folder.",
			hold: func(t *testing.T, b *bed) {
				t.Helper()

				b.server.Commit(t, "main", "others", map[string]string{folder + "/a.yaml": "x"})
			},
			class: fault.Conflict, message: "clusters/one/a.yaml in the Git repository is not ours",
			release: func(t *testing.T, b *bed) {
				t.Helper()

				b.mg.Spec.ForProvider.Git.Path = "clusters/three"
			},
		},
		"SealingInUse": {
			reason: "Somebody else's Secret.",
			hold: func(t *testing.T, b *bed) {
				t.Helper()

				b.create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: kubeopera.SealingSecretName(name)}})
			},
			class: fault.Conflict, message: "Secret hostcluster-one-sealing is not ours",
			release: func(t *testing.T, b *bed) {
				t.Helper()

				if err := b.kube.Delete(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: kubeopera.SealingSecretName(name)}}); err != nil {
					t.Fatal(err)
				}
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, nil)
			tc.hold(t, b)

			_, _ = b.reconcile(t)

			ready := b.mg.GetCondition(xpv2.TypeReady)
			if ready.Reason != tc.class || !strings.HasPrefix(ready.Message, tc.message) {
				t.Errorf("%s Got %s: %s", tc.reason, ready.Reason, ready.Message)
			}

			tc.release(t, b)
			b.complete(t)
		})
	}
}

func TestDelete(t *testing.T) {
	t.Run("Keep", func(t *testing.T) {
		b := newBed(t, nil)
		b.complete(t)
		before := b.commits(t)
		b.delete()
		b.gone(t)

		if diff := cmp.Diff(before, b.commits(t)); diff != "" {
			t.Errorf("Git is not touched: %s", diff)
		}
	})

	t.Run("Remove", func(t *testing.T) {
		b := newBed(t, map[string]string{"README.md": "theirs"})
		b.mg.Spec.ForProvider.OnDelete = kubeopera.OnDeleteRemove
		b.complete(t)
		b.server.Commit(t, "main", "add", map[string]string{folder + "/notes.md": "theirs"})

		flux := &kubeopera.FluxBootstrap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
		b.create(t, flux)
		b.delete()
		b.settle(t)

		if acted, err := b.reconcile(t); !acted || err != nil || b.commits(t)[0] != "add" {
			t.Errorf("as long as Flux is there the tree stays: %t, %v", acted, err)
		}

		if err := b.kube.Delete(t.Context(), flux); err != nil {
			t.Fatal(err)
		}

		b.gone(t)

		if diff := cmp.Diff("README.md\n"+folder+"/notes.md\n", b.server.Git(t, "ls-tree", "-r", "--name-only", "main")); diff != "" {
			t.Errorf("only ours is removed: %s", diff)
		}

		if got := b.commits(t); got[0] != "Remove the environment of one" || len(got) != 5 {
			t.Errorf("in one commit: %v", got)
		}
	})

	t.Run("GitIsGone", func(t *testing.T) {
		b := newBed(t, nil)
		b.mg.Spec.ForProvider.OnDelete = kubeopera.OnDeleteRemove
		b.complete(t)
		b.server.StopHTTP()
		b.delete()
		b.settle(t)

		if got := b.message(); !strings.HasPrefix(got, "Git server 127.0.0.1 refuses connections") {
			t.Errorf("the message says what it waits for: %q", got)
		}

		b.clock.Step(patience + time.Second)
		b.gone(t)

		if last := b.events[len(b.events)-1]; !strings.Contains(last.Message, "stays in Git") {
			t.Errorf("what is left behind is said: %v", b.events)
		}
	})
}

// TestDeleteIsRefused has a server that lets us read and not write.
func TestDeleteIsRefused(t *testing.T) {
	b := newBed(t, nil)
	b.mg.Spec.ForProvider.OnDelete = kubeopera.OnDeleteRemove
	b.complete(t)
	b.server.Hook(t, "update", "exit 1\n")
	b.delete()

	if _, err := b.reconcile(t); !fault.Is(err, fault.Denied) {
		t.Errorf("the cause is not said: %v", err)
	}

	b.clock.Step(patience + time.Second)
	b.gone(t)

	if last := b.events[len(b.events)-1]; !strings.Contains(last.Message, "stays in Git: the Git server did not let us remove it") {
		t.Errorf("what is left behind is said: %v", b.events)
	}
}

// TestDeleteWaitsForOurServer must not take an API server that fails for one
// that has nothing of ours.
func TestDeleteWaitsForOurServer(t *testing.T) {
	b := newBed(t, nil)
	b.complete(t)
	b.delete()

	whole := b.kube
	b.kube = interceptor.NewClient(whole.(client.WithWatch), interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return errors.New("boom")
		},
	})
	b.restart()

	if _, err := b.reconcile(t); err == nil {
		t.Error("the generated values would be left behind")
	}

	b.kube = whole
	b.restart()
	b.gone(t)
}

// TestExistingSealedSecrets meets a cluster that has a controller of its own.
func TestExistingSealedSecrets(t *testing.T) {
	b := newBed(t, nil)

	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "sealed-secrets-controller"}}
	d.Spec.Template.Spec.Containers = []corev1.Container{{Image: "docker.io/bitnami/sealed-secrets-controller:0.30.0"}}

	if err := b.target.Create(t.Context(), d); err != nil {
		t.Fatal(err)
	}

	b.settle(t)

	// A key elsewhere is nobody's.
	b.addKey(t, "other", b.clock.Now())
	b.settle(t)

	if b.is(xpv2.TypeReady) {
		t.Error("sealed with a key that the controller does not have")
	}

	b.keys = "kube-system"
	key := b.complete(t)

	if got := b.server.Git(t, "ls-tree", "-r", "--name-only", "main"); strings.Contains(got, "sealed-secrets") {
		t.Errorf("the tree brings a second controller: %s", got)
	}

	if len(b.unseal(t, render.PlatformSecret, key)) == 0 {
		t.Error("the controller that is there must be able to unseal")
	}

	// It is decided once.
	if err := b.target.Delete(t.Context(), d); err != nil {
		t.Fatal(err)
	}

	if acted, err := b.reconcile(t); acted || err != nil {
		t.Errorf("acted: %t, %v", acted, err)
	}
}

// TestReconnect deletes an environment, and makes another for the same cluster.
func TestReconnect(t *testing.T) {
	b := newBed(t, nil)
	b.complete(t)
	b.delete()
	b.gone(t)

	again := b.mg.DeepCopy()
	again.Name, again.UID, again.DeletionTimestamp = "two", "9876543210", nil
	again.Status = kubeopera.GitOpsEnvironmentStatus{}
	b.mg = again
	b.restart()
	b.settle(t)

	if !b.is(xpv2.TypeReady) {
		t.Errorf("not ready: %s", b.message())
	}

	if diff := cmp.Diff([]string{"Write the environment of two (pass 2 of 2)", pass2, pass1}, b.commits(t)); diff != "" {
		t.Errorf("it never goes back to pass 1: %s", diff)
	}
}

func (b *bed) create(t *testing.T, o client.Object) {
	t.Helper()

	if err := b.kube.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

func (b *bed) delete() {
	now := metav1.NewTime(b.clock.Now())
	b.mg.DeletionTimestamp = &now
}

// gone deletes until nothing is left but, with a tree that stays, what its
// secrets were made of.
func (b *bed) gone(t *testing.T) {
	t.Helper()

	for range 5 {
		acted, err := b.reconcile(t)
		if err != nil {
			t.Fatal(err)
		}

		if !acted {
			l := &corev1.SecretList{}
			want := 1
			if b.mg.Spec.ForProvider.OnDelete == kubeopera.OnDeleteRemove {
				want = 0
			}

			if err := b.kube.List(t.Context(), l, client.MatchingLabels{kubeopera.LabelManagedBy: kubeopera.ManagedBy}); err != nil || len(l.Items) != want {
				t.Errorf("%d Secrets are left, want %d, %v", len(l.Items), want, err)
			}

			return
		}
	}

	t.Errorf("deletion does not end: %s", b.message())
}

func (b *bed) sealing(t *testing.T) *corev1.Secret {
	t.Helper()

	sec := &corev1.Secret{}
	if err := b.kube.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: kubeopera.SealingSecretName(name)}, sec); err != nil {
		t.Fatal(err)
	}

	return sec
}

// unseal a secret of the tree as the controller on the cluster would.
func (b *bed) unseal(t *testing.T, secret string, key *rsa.PrivateKey) map[string][]byte {
	t.Helper()

	sealed := &v1alpha1.SealedSecret{}
	if err := yaml.UnmarshalStrict([]byte(b.server.Git(t, "show", "main:"+folder+"/secrets/"+secret+".yaml")), sealed); err != nil {
		t.Fatal(err)
	}

	sec, err := sealed.Unseal(scheme.Codecs, map[string]*rsa.PrivateKey{"key": key})
	if err != nil {
		t.Fatal(err)
	}

	return sec.Data
}
