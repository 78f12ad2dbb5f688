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

package flux

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	rcommon "helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

func TestMain(m *testing.M) { os.Exit(kt.Main(m)) }

// world is a target of one test, with a namespace for Flux. CRDs and roles are
// taken away again, so that the next test finds a target without Flux.
type world struct {
	*testing.T

	cp *kt.ControlPlane
	ns string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, cp: kt.Shared(t)}
	w.ns = w.cp.Namespace(t)
	w.clean()
	t.Cleanup(w.clean)
	return w
}

func (w *world) clean() {
	w.Helper()
	part := client.MatchingLabels{labelPartOf: partOfFlux}
	for _, o := range []client.Object{&apiextensionsv1.CustomResourceDefinition{}, &rbacv1.ClusterRole{}, &rbacv1.ClusterRoleBinding{}} {
		if err := w.cp.Client.DeleteAllOf(context.WithoutCancel(w.Context()), o, part); err != nil {
			w.Fatal(err)
		}
	}
	l := &apiextensionsv1.CustomResourceDefinitionList{}
	ctx := context.WithoutCancel(w.Context())
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		return w.cp.Client.List(ctx, l, part) == nil && len(l.Items) == 0, nil
	})
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) helm(cfg *rest.Config) *Helm {
	w.Helper()
	h, err := NewHelm(cfg, w.ns)
	if err != nil {
		w.Fatal(err)
	}
	return h
}

func (w *world) pkg(change func(*Options)) Package {
	w.Helper()
	o := defaults()
	o.Namespace = w.ns
	if change != nil {
		change(&o)
	}
	p, err := NewCharts().Package(o, nil)
	if err != nil {
		w.Fatal(err)
	}
	return p
}

func (w *world) release() Release {
	w.Helper()
	r, err := ReadRelease(w.Context(), w.cp.Client, w.ns)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// advance does what the controller's steps do, until the release is deployed.
func (w *world) advance(cfg *rest.Config, p Package) error {
	w.Helper()
	for range 4 {
		h, r := w.helm(cfg), w.release()
		var err error
		switch {
		case !r.Exists():
			err = h.Install(w.Context(), p)
		case r.Broken():
			err = h.Repair()
		case !r.Deployed(p.Digest):
			err = h.Upgrade(w.Context(), p)
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// complete fails the test unless everything of the chart is there.
func (w *world) complete() {
	w.Helper()
	ds := &appsv1.DeploymentList{}
	if err := w.cp.Client.List(w.Context(), ds, client.InNamespace(w.ns)); err != nil {
		w.Fatal(err)
	}
	crds := &apiextensionsv1.CustomResourceDefinitionList{}
	if err := w.cp.Client.List(w.Context(), crds, client.MatchingLabels{labelPartOf: partOfFlux}); err != nil {
		w.Fatal(err)
	}
	if len(ds.Items) != 3 || len(crds.Items) < 8 {
		w.Errorf("there are %d Deployments and %d CRDs", len(ds.Items), len(crds.Items))
	}
}

func TestInstall(t *testing.T) {
	w := newWorld(t)
	t.Setenv("HOME", "/nonexistent")
	t.Setenv("KUBECONFIG", "/nonexistent")
	p := w.pkg(nil)

	if r := w.release(); r.Exists() {
		t.Fatalf("there is a release already: %+v", r)
	}
	if err := w.advance(w.cp.Config, p); err != nil {
		t.Fatal(err)
	}
	want := Release{Revision: 1, Status: rcommon.StatusDeployed, Digest: p.Digest}
	if diff := cmp.Diff(want, w.release()); diff != "" {
		t.Errorf("release (-want, +got):\n%s", diff)
	}
	w.complete()

	// A change of the chart is an upgrade.
	p = w.pkg(func(o *Options) { o.ImagePullSecret = "pull" })
	if err := w.advance(w.cp.Config, p); err != nil {
		t.Fatal(err)
	}
	want = Release{Revision: 2, Status: rcommon.StatusDeployed, Digest: p.Digest}
	if diff := cmp.Diff(want, w.release()); diff != "" {
		t.Errorf("release (-want, +got):\n%s", diff)
	}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: "helm-controller"}}
	if _, err := Get(t.Context(), w.cp.Client, d); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]corev1.LocalObjectReference{{Name: "pull"}}, d.Spec.Template.Spec.ImagePullSecrets); diff != "" {
		t.Errorf("pull secrets (-want, +got):\n%s", diff)
	}

	// What was deleted comes back, and what somebody else changed too.
	if err := w.cp.Client.Delete(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	k := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: "kustomize-controller"}}
	scale := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"replicas":0}}`))
	if err := w.cp.Client.Patch(t.Context(), k, scale, client.FieldOwner("kubectl")); err != nil {
		t.Fatal(err)
	}
	if err := w.helm(w.cp.Config).Upgrade(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	w.complete()
	if _, err := Get(t.Context(), w.cp.Client, k); err != nil || *k.Spec.Replicas != 1 {
		t.Errorf("kustomize-controller has %d replicas: %v", *k.Spec.Replicas, err)
	}
}

func TestRepair(t *testing.T) {
	w := newWorld(t)
	p := w.pkg(nil)
	if err := w.advance(w.cp.Config, p); err != nil {
		t.Fatal(err)
	}

	for _, status := range []rcommon.Status{
		rcommon.StatusPendingInstall, rcommon.StatusPendingUpgrade, rcommon.StatusPendingRollback,
		rcommon.StatusUninstalling, rcommon.StatusUninstalled, rcommon.StatusUnknown,
	} {
		t.Run(string(status), func(t *testing.T) {
			h := w.helm(w.cp.Config)
			last, err := h.cfg.Releases.Last(ReleaseName)
			if err != nil {
				t.Fatal(err)
			}
			rel := last.(*release.Release)
			rel.SetStatus(status, "the process has died")
			if err := h.cfg.Releases.Update(rel); err != nil {
				t.Fatal(err)
			}
			if !w.release().Broken() {
				t.Fatalf("%s does not count as broken", status)
			}
			if err := w.advance(w.cp.Config, p); err != nil {
				t.Fatal(err)
			}
			if r := w.release(); !r.Deployed(p.Digest) {
				t.Errorf("the release is %+v", r)
			}
			w.complete()
		})
	}

	l := &corev1.SecretList{}
	if err := w.cp.Client.List(t.Context(), l, client.InNamespace(w.ns), client.MatchingLabels{"owner": "helm"}); err != nil {
		t.Fatal(err)
	}
	if len(l.Items) > maxHistory {
		t.Errorf("%d revisions are kept", len(l.Items))
	}
}

// TestInstallSurvivesCrashes kills the process after its first write, and then
// after every few more, until it is through before it is killed.
func TestInstallSurvivesCrashes(t *testing.T) {
	const few = 6
	for n := 1; ; n += few {
		w := newWorld(t)
		crash := kt.NewCrash(n)
		p := w.pkg(nil)
		err := w.advance(crash.Config(w.cp.Config), p)
		if !crash.Crashed() && n > few {
			return
		}
		if err == nil {
			t.Fatalf("nothing crashed after write %d", n)
		}
		if err := w.advance(w.cp.Config, p); err != nil {
			t.Fatalf("after a crash at write %d: %v", n, err)
		}
		if r := w.release(); !r.Deployed(p.Digest) {
			t.Errorf("after a crash at write %d: %+v", n, r)
		}
		w.complete()
	}
}

func TestInstallTakesNothingOver(t *testing.T) {
	w := newWorld(t)
	sa := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: "source-controller"}}
	if err := w.cp.Client.Create(t.Context(), sa); err != nil {
		t.Fatal(err)
	}
	err := w.helm(w.cp.Config).Install(t.Context(), w.pkg(nil))
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("error is %v", err)
	}
	if r := w.release(); r.Exists() {
		t.Errorf("there is a release: %+v", r)
	}
	if err := w.cp.Client.Get(t.Context(), client.ObjectKey{Namespace: w.ns, Name: "helm-controller"}, &appsv1.Deployment{}); !kerrors.IsNotFound(err) {
		t.Errorf("something was installed: %v", err)
	}
}
