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

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/web/auth"
	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

// kubeconfig of a cluster, once an apply has succeeded. Only those get it who
// may get the Secret that it is in.
func (a *API) kubeconfig(w http.ResponseWriter, r *http.Request, who auth.Identity) error {
	pc, err := a.find(r, who, "get", "")
	if err != nil {
		return err
	}
	key := client.ObjectKey{Namespace: pc.GetNamespace(), Name: v1alpha1.ProvisionedSecretName(pc.GetName())}
	if ref := pc.Spec.WriteConnectionSecretToReference; ref != nil {
		key.Name = ref.Name
	}
	right := auth.Right{Verb: "get", Version: "v1", Resource: "secrets", Namespace: key.Namespace, Name: key.Name}
	if err := a.Access.Check(r.Context(), who, right); err != nil {
		return err
	}
	notReady := reply.Errorf(http.StatusConflict, NotReady, "the kubeconfig is not there: the job is %s", statusOf(pc))
	if !hasKubeconfig(pc) {
		return notReady
	}
	secret := &corev1.Secret{}
	err = a.Kube.Get(r.Context(), key, secret)
	switch {
	case kerrors.IsNotFound(err):
		return notReady
	case err != nil:
		return explain(err, "get secrets", key.Namespace)
	case !metav1.IsControlledBy(secret, pc) || len(secret.Data[v1alpha1.KubeconfigKey]) == 0:
		return notReady // Of an earlier cluster, or of somebody else.
	}
	h := w.Header()
	h.Set("Content-Type", "application/yaml")
	h.Set("Content-Disposition", `attachment; filename="`+pc.GetName()+`.yaml"`)
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(secret.Data[v1alpha1.KubeconfigKey]) // Whoever asked may be gone.
	return nil
}
