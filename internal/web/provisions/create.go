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

package provisions

import (
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/web/auth"
	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

// fieldOwner is who sets the fields of what this API makes.
const fieldOwner = client.FieldOwner("kubeopera-api")

// create a ProvisionedCluster. The same request again finds it.
func (a *API) create(w http.ResponseWriter, r *http.Request, who auth.Identity) error {
	data, err := read(w, r)
	if err != nil {
		return err
	}
	req, err := parse(data)
	if err != nil {
		return err
	}
	want := req.object(a.Namespace, who.Username)
	key := client.ObjectKeyFromObject(want)
	reply.Note(r, who.Username, key.Name)
	if err := a.may(r, who, "create", "", client.ObjectKey{Namespace: key.Namespace}); err != nil {
		return err
	}
	pc, err := a.ensure(r, who, want)
	if err != nil {
		return err
	}
	j := jobOf(pc, nil, a.Namespace)
	w.Header().Set("Location", j.Links.Self)
	return reply.JSON(w, http.StatusAccepted, j)
}

// ensure that there is the ProvisionedCluster that is wanted, and no other one.
func (a *API) ensure(r *http.Request, who auth.Identity, want *v1alpha1.ProvisionedCluster) (*v1alpha1.ProvisionedCluster, error) {
	seen, key := &v1alpha1.ProvisionedCluster{}, client.ObjectKeyFromObject(want)
	err := a.Kube.Get(r.Context(), key, seen)
	if kerrors.IsNotFound(err) {
		if err := a.free(r, want); err != nil {
			return nil, err
		}
		if err := a.payable(r, want); err != nil {
			return nil, err
		}
		err = a.Kube.Create(r.Context(), want, fieldOwner)
		if err == nil {
			return want, nil
		}
		if !kerrors.IsAlreadyExists(err) {
			return nil, explain(err, "create "+resource, key.Namespace)
		}
		err = a.Kube.Get(r.Context(), key, seen) // Somebody was faster.
	}
	if err != nil {
		return nil, explain(err, "get "+resource, key.Namespace)
	}
	return seen, a.same(r, who, seen, want)
}

// same tells whether what is there is what is wanted. What it is, only those
// learn who may get it.
func (a *API) same(r *http.Request, who auth.Identity, seen, want *v1alpha1.ProvisionedCluster) error {
	key := client.ObjectKeyFromObject(want)
	err := a.may(r, who, "get", "", key)
	switch {
	case err != nil && reply.As(err).Status == http.StatusForbidden:
		return reply.Errorf(http.StatusConflict, Exists, "provision %s is there already", key.Name)
	case err != nil:
		return err
	case meta.WasDeleted(seen):
		return reply.Errorf(http.StatusConflict, Destroying, "provision %s is being destroyed: ask again once it is gone", key.Name)
	}
	if d := differences(seen, want); len(d) > 0 {
		return reply.Errorf(http.StatusConflict, Exists, "provision %s is there already with another %s: change its ProvisionedCluster, or take another id", key.Name, strings.Join(d, ", "))
	}
	return nil
}

// free tells whether no HostCluster makes a cluster of that name.
func (a *API) free(r *http.Request, want *v1alpha1.ProvisionedCluster) error {
	hc := &v1alpha1.HostCluster{}
	err := a.Kube.Get(r.Context(), client.ObjectKeyFromObject(want), hc)
	switch {
	case kerrors.IsNotFound(err):
		return nil
	case err != nil:
		return explain(err, "get hostclusters", want.GetNamespace())
	case hc.Spec.Mode.Provisions():
		return reply.Errorf(http.StatusConflict, InUse, "HostCluster %s makes its own cluster of that name: take another id", want.GetName())
	}
	return nil
}

// payable tells whether the credential is there. What it is, only the provider reads.
func (a *API) payable(r *http.Request, want *v1alpha1.ProvisionedCluster) error {
	missing := func(format string, args ...any) error {
		e := reply.Errorf(http.StatusUnprocessableEntity, CredentialMissing, format, args...)
		e.Causes = []reply.Cause{{Field: "credentialRef", Message: e.Message}}
		return e
	}
	ns, name := want.GetNamespace(), want.Spec.ProviderConfigReference.Name
	config := &v1alpha1.ProviderConfig{}
	err := a.Kube.Get(r.Context(), client.ObjectKey{Namespace: ns, Name: name}, config)
	switch {
	case kerrors.IsNotFound(err):
		return missing("credential %s is missing: create ProviderConfig %s in namespace %s first", name, name, ns)
	case err != nil:
		return explain(err, "get providerconfigs", ns)
	}
	ref := config.Spec.Credentials.SecretRef
	if s := config.Spec.Credentials.Source; ref == nil || s != v1alpha1.CredentialsSecret && s != v1alpha1.CredentialsSealed {
		return nil
	}
	secret := &corev1.Secret{}
	err = a.Kube.Get(r.Context(), client.ObjectKey{Namespace: ns, Name: ref.Name}, secret)
	switch {
	case kerrors.IsForbidden(err):
		return nil // Where kubeopera-api may read no Secrets, the provider says it.
	case kerrors.IsNotFound(err):
		return missing("credential %s is missing: ProviderConfig %s names Secret %s, which is not in namespace %s", name, name, ref.Name, ns)
	case err != nil:
		return explain(err, "get secrets", ns)
	case len(secret.Data[ref.Key]) == 0:
		return missing("credential %s is missing: Secret %s has no key %s, which ProviderConfig %s names", name, ref.Name, ref.Key, name)
	}
	return nil
}
