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
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"
	"github.com/fluxcd/pkg/runtime/secrets"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/gitauth"
	"github.com/kubeopera/provider-kubeopera/internal/target"
)

// Times of the sync.
const (
	gitInterval = time.Minute
	gitTimeout  = time.Minute

	// rootInterval is how often the root looks for drift; new commits do not wait for it.
	rootInterval = 10 * time.Minute
	rootTimeout  = 3 * time.Minute
	rootRetry    = 30 * time.Second
)

// annotationApplied carries the hash of what we applied last, so that a field
// that we no longer ask for is noticed too.
const annotationApplied = "kubeopera.io/applied"

// Desired is what Flux is to reconcile.
type Desired struct {
	// ID of the cluster; it marks what is ours.
	ID string

	// Namespace of all objects.
	Namespace string

	Git  v1alpha1.FluxGit
	Sync v1alpha1.Sync

	// Credentials of the repository.
	Credentials gitauth.Credentials
}

// Secret with the Git credentials, which are left out if there are none. It is
// Opaque whatever is in it, since a Secret's type can never change.
func (d Desired) Secret() *corev1.Secret {
	return &corev1.Secret{ObjectMeta: d.meta(), Type: corev1.SecretTypeOpaque, Data: d.Credentials.Data}
}

// ProxyName is the name on the target of the Secret with the proxy to Git.
const ProxyName = v1alpha1.SyncName + "-proxy"

// Proxy is the Secret with the proxy to the repository; nil if there is none.
func (d Desired) Proxy() *corev1.Secret {
	if d.Credentials.Proxy == nil {
		return nil
	}
	m := d.meta()
	m.Name = ProxyName
	return &corev1.Secret{ObjectMeta: m, Type: corev1.SecretTypeOpaque, Data: map[string][]byte{secrets.KeyAddress: []byte(d.Credentials.Proxy.String())}}
}

// Source is the GitRepository. A new tree hash, or a new version of the
// credentials, asks Flux to fetch at once.
func (d Desired) Source(credentialsVersion string) *sourcev1.GitRepository {
	o := &sourcev1.GitRepository{
		ObjectMeta: d.meta(),
		Spec: sourcev1.GitRepositorySpec{
			URL:       string(d.Git.URL),
			Interval:  duration(gitInterval),
			Timeout:   new(duration(gitTimeout)),
			Reference: &sourcev1.GitRepositoryRef{Branch: string(d.Git.Branch)},
		},
	}
	if d.Git.Interval != nil {
		o.Spec.Interval = *d.Git.Interval
	}
	if len(d.Credentials.Data) > 0 {
		o.Spec.SecretRef = &meta.LocalObjectReference{Name: v1alpha1.SyncName}
	}
	if d.Credentials.Proxy != nil {
		o.Spec.ProxySecretRef = &meta.LocalObjectReference{Name: ProxyName}
	}
	if d.Credentials.GitHubApp {
		o.Spec.Provider = sourcev1.GitProviderGitHub
	}
	seal(o, &o.Spec, d.Sync.TreeHash, credentialsVersion)
	return o
}

// Root is the Kustomization that applies the layers. It does not wait for them:
// they are judged one by one, and a root that waits for pass 1 would not apply
// pass 2. Whatever deletes it, its layers stay.
func (d Desired) Root() *kustomizev1.Kustomization {
	o := &kustomizev1.Kustomization{
		ObjectMeta: d.meta(),
		Spec: kustomizev1.KustomizationSpec{
			Interval:       duration(rootInterval),
			RetryInterval:  new(duration(rootRetry)),
			Timeout:        new(duration(rootTimeout)),
			Path:           "./" + string(d.Sync.Path),
			Prune:          true,
			DeletionPolicy: kustomizev1.DeletionPolicyOrphan,
			SourceRef: kustomizev1.CrossNamespaceSourceReference{
				Kind: sourcev1.GitRepositoryKind,
				Name: v1alpha1.SyncName,
			},
		},
	}
	seal(o, &o.Spec)
	return o
}

func (d Desired) meta() metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: d.Namespace, Name: v1alpha1.SyncName, Labels: Labels(d.ID)}
}

// seal annotates an object with the hash of what we ask for. With triggers, a
// change of one of them also asks Flux to reconcile. The annotation that does so
// belongs to whoever set it last, for instance the flux command.
func seal(o client.Object, spec any, triggers ...string) {
	b, _ := json.Marshal([]any{spec, triggers}) //nolint:errchkjson // Flux's own types.
	sum := sha256.Sum256(b)
	hash := hex.EncodeToString(sum[:])[:16]

	a := map[string]string{annotationApplied: hash}
	if len(triggers) > 0 {
		a[meta.ReconcileRequestAnnotation] = hash
	}
	o.SetAnnotations(a)
}

// Observed is what is there of the sync; nil where there is nothing.
type Observed struct {
	Secret *corev1.Secret
	Proxy  *corev1.Secret
	Source *sourcev1.GitRepository
	Root   *kustomizev1.Kustomization

	// Layers of the tree, by the name of their layer.
	Layers map[v1alpha1.Layer]*kustomizev1.Kustomization
}

// ReadSync reads the sync. The proxy is only read if there is to be one.
func ReadSync(ctx context.Context, c client.Client, namespace string, proxied bool) (Observed, error) {
	key := metav1.ObjectMeta{Namespace: namespace, Name: v1alpha1.SyncName}
	secret := &corev1.Secret{ObjectMeta: key}
	source := &sourcev1.GitRepository{ObjectMeta: key}
	root := &kustomizev1.Kustomization{ObjectMeta: key}

	out := Observed{Layers: map[v1alpha1.Layer]*kustomizev1.Kustomization{}}
	if found, err := Get(ctx, c, secret); err != nil {
		return Observed{}, err
	} else if found {
		out.Secret = secret
	}
	proxy := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: ProxyName}}
	if !proxied {
		// Most repositories need none.
	} else if found, err := Get(ctx, c, proxy); err != nil {
		return Observed{}, err
	} else if found {
		out.Proxy = proxy
	}
	if found, err := Get(ctx, c, source); err != nil {
		return Observed{}, err
	} else if found {
		out.Source = source
	}
	if found, err := Get(ctx, c, root); err != nil {
		return Observed{}, err
	} else if found {
		out.Root = root
	}

	l := &kustomizev1.KustomizationList{}
	if err := list(ctx, c, l, client.InNamespace(namespace), client.HasLabels{v1alpha1.LabelLayer}); err != nil {
		return Observed{}, err
	}
	for i := range l.Items {
		out.Layers[v1alpha1.Layer(l.Items[i].Labels[v1alpha1.LabelLayer])] = &l.Items[i]
	}
	return out, nil
}

// CheckOwners returns a Conflict if one of the objects belongs to somebody else.
func (o Observed) CheckOwners(id string) error {
	for _, s := range []*corev1.Secret{o.Secret, o.Proxy} {
		if s == nil {
			continue
		}
		if err := checkOurs(s, "Secret", id); err != nil {
			return err
		}
	}
	if o.Source != nil {
		if err := checkOurs(o.Source, sourcev1.GitRepositoryKind, id); err != nil {
			return err
		}
	}
	if o.Root != nil {
		return checkOurs(o.Root, kustomizev1.KustomizationKind, id)
	}
	return nil
}

// CredentialsVersion changes whenever a Secret with credentials does.
func (o Observed) CredentialsVersion() string {
	return version(o.Secret) + version(o.Proxy)
}

func version(s *corev1.Secret) string {
	if s == nil {
		return ""
	}
	return string(s.UID) + "/" + s.ResourceVersion
}

// Same tells whether an object that is there is as we would apply it.
func Same(c client.Client, have, want client.Object) (bool, error) {
	h, err := toUnstructured(c, have)
	if err != nil {
		return false, err
	}
	w, err := toUnstructured(c, want)
	if err != nil {
		return false, err
	}
	a := w.GetAnnotations()
	delete(a, meta.ReconcileRequestAnnotation)
	w.SetAnnotations(a)

	if s, ok := want.(*corev1.Secret); ok && !sameKeys(have, s) {
		return false, nil
	}
	return covers(h.Object, w.Object), nil
}

// sameKeys also notices a key that is there and should not be.
func sameKeys(have client.Object, want *corev1.Secret) bool {
	h, ok := have.(*corev1.Secret)
	return ok && len(h.Data) == len(want.Data)
}

func duration(d time.Duration) metav1.Duration { return metav1.Duration{Duration: d} }

// list objects of a kind that may not be there.
func list(ctx context.Context, c client.Client, l client.ObjectList, opts ...client.ListOption) error {
	if err := c.List(ctx, l, opts...); err != nil && !missingKind(err) {
		return target.Classify(err)
	}
	return nil
}
