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
	"cmp"
	"context"
	"net/http"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
	"github.com/kubeopera/provider-kubeopera/internal/web/auth"
	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

// maxItems is how many jobs a list has at most, and unless the query says less.
const maxItems = 500

// A List of jobs.
type List struct {
	Items []Job `json:"items"`
	// Continue is what ?continue= goes on with, if there are more.
	Continue string `json:"continue,omitempty"`
}

// get a job, with the pod of its run as it is right now.
func (a *API) get(w http.ResponseWriter, r *http.Request, who auth.Identity) error {
	pc, err := a.find(r, who, "get", "")
	if err != nil {
		return err
	}
	return reply.JSON(w, http.StatusOK, jobOf(pc, a.pod(r.Context(), pc), a.Namespace))
}

// list the jobs of a namespace.
func (a *API) list(w http.ResponseWriter, r *http.Request, who auth.Identity) error {
	ns, err := a.namespaceOf(r)
	if err != nil {
		return err
	}
	limit, err := number(r, "limit", maxItems, maxItems)
	if err != nil {
		return err
	}
	if err := a.may(r, who, "list", "", client.ObjectKey{Namespace: ns}); err != nil {
		return err
	}
	l := &v1alpha1.ProvisionedClusterList{}
	err = a.Kube.List(r.Context(), l, client.InNamespace(ns), client.Limit(limit), client.Continue(r.URL.Query().Get("continue")))
	switch {
	case kerrors.IsResourceExpired(err), kerrors.IsBadRequest(err):
		return reply.Errorf(http.StatusBadRequest, reply.Invalid, "continue is too old or not from an earlier answer: begin anew").Because(err)
	case err != nil:
		return explain(err, "list "+resource, ns)
	}
	out := List{Items: make([]Job, 0, len(l.Items)), Continue: l.Continue}
	for i := range l.Items {
		out.Items = append(out.Items, jobOf(&l.Items[i], nil, a.Namespace))
	}
	return reply.JSON(w, http.StatusOK, out)
}

// find the ProvisionedCluster that a request is about, for one who has a right on it.
func (a *API) find(r *http.Request, who auth.Identity, verb, subresource string) (*v1alpha1.ProvisionedCluster, error) {
	key, err := a.keyOf(r)
	if err != nil {
		return nil, err
	}
	if err := a.may(r, who, verb, subresource, key); err != nil {
		return nil, err
	}
	return a.read(r.Context(), key)
}

// read a ProvisionedCluster from the API server.
func (a *API) read(ctx context.Context, key client.ObjectKey) (*v1alpha1.ProvisionedCluster, error) {
	pc := &v1alpha1.ProvisionedCluster{}
	err := a.Kube.Get(ctx, key, pc)
	if kerrors.IsNotFound(err) {
		return nil, reply.Errorf(http.StatusNotFound, reply.NotFound, "there is no provision %s in namespace %s", key.Name, key.Namespace)
	}
	return pc, explain(err, "get "+resource, key.Namespace)
}

// pod of the present or last run; nil if there is none, or nobody says. What
// the provider has said is good enough without it.
func (a *API) pod(ctx context.Context, pc *v1alpha1.ProvisionedCluster) *corev1.Pod {
	at := pc.Status.AtProvider
	if at.RunID == "" || at.Place == nil || at.Place.Mode == v1alpha1.ExecutionLocal {
		return nil
	}
	l := &corev1.PodList{}
	of := client.MatchingLabels{v1alpha1.LabelHostCluster: pc.GetName(), run.LabelNamespace: pc.GetNamespace(), run.LabelRun: at.RunID}
	if err := a.Kube.List(ctx, l, client.InNamespace(at.Place.Namespace), of); err != nil || len(l.Items) == 0 {
		return nil
	}
	return &l.Items[0]
}

// jobsIn is the namespace of a ProvisionedCluster's Jobs.
func (a *API) jobsIn(pc *v1alpha1.ProvisionedCluster) string {
	if p := pc.Status.AtProvider.Place; p != nil {
		return cmp.Or(p.Namespace, a.JobNamespace)
	}
	return a.JobNamespace
}

// number that the query says, from 1.
func number(r *http.Request, name string, otherwise, most int64) (int64, error) {
	s := r.URL.Query().Get(name)
	if s == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || n > most {
		return 0, reply.Errorf(http.StatusBadRequest, reply.Invalid, "%s must be a number from 1 to %d", name, most)
	}
	return n, nil
}
