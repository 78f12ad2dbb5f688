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

// Package provisions is the provisioning API: a façade over
// ProvisionedClusters. It keeps no state of its own; whatever it answers is
// read anew from the API server.
package provisions

import (
	"context"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/web/auth"
	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

// Path of all provisions.
const Path = "/api/v1/provisions"

const (
	// requestTimeout bounds a request, but for logs.
	requestTimeout = 25 * time.Second

	// resource is how roles name ProvisionedClusters.
	resource = "provisionedclusters"

	// maxName is the longest name of a ProvisionedCluster.
	maxName = 53
)

// Options of the API.
type Options struct {
	// Kube reads and writes without a cache, as this program, after the check
	// of what the one who asks may do.
	Kube client.Client
	// Pods are for logs.
	Pods kubernetes.Interface
	// Tokens and Access tell who asks, and what they may.
	Tokens *auth.Tokens
	Access *auth.Access
	// Namespace of requests that name none.
	Namespace string
	// JobNamespace is where Jobs run as long as a ProvisionedCluster does not tell.
	JobNamespace string
	// MaxStreams bounds the logs that are read at the same time, MaxStreamsEach those of one user.
	MaxStreams, MaxStreamsEach int
	// Stopping ends the logs that are followed, when this program is to end.
	Stopping context.Context //nolint:containedctx // It is the program's, not a request's.
}

// API is the handlers of the provisioning API.
type API struct {
	Options

	streams *streams
}

// New returns the API.
func New(o Options) *API {
	return &API{Options: o, streams: newStreams(o.MaxStreams, o.MaxStreamsEach)}
}

// A handler answers a request of somebody who is known.
type handler func(w http.ResponseWriter, r *http.Request, who auth.Identity) error

// Register the routes.
func (a *API) Register(mux *http.ServeMux) {
	const one = Path + "/{id}"
	routes := map[string]map[string]http.Handler{
		Path:                {http.MethodPost: a.known(a.create, requestTimeout), http.MethodGet: a.known(a.list, requestTimeout)},
		one:                 {http.MethodGet: a.known(a.get, requestTimeout), http.MethodDelete: a.known(a.destroy, requestTimeout)},
		one + "/logs":       {http.MethodGet: a.known(a.logs, maxStream)},
		one + "/kubeconfig": {http.MethodGet: a.known(a.kubeconfig, requestTimeout)},
	}
	for path, methods := range routes {
		for method, h := range methods {
			mux.Handle(method+" "+path, h)
		}
		mux.Handle(path, reply.Only(methods))
	}
}

// known lets those through who have a token that the API server knows.
func (a *API) known(h handler, timeout time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		r = r.WithContext(ctx)
		// No answer is anybody else's, or true for long.
		w.Header().Set("Cache-Control", "no-store")
		who, err := a.Tokens.Identify(r)
		if err == nil {
			reply.Note(r, who.Username, r.PathValue("id"))
			err = h(w, r, who)
		}
		if err != nil {
			reply.NoteError(r, err)
			reply.Fail(w, err)
		}
	})
}

// may checks a right on ProvisionedClusters.
func (a *API) may(r *http.Request, who auth.Identity, verb, subresource string, key client.ObjectKey) error {
	return a.Access.Check(r.Context(), who, auth.Right{
		Verb: verb, Group: v1alpha1.Group, Version: v1alpha1.Version, Resource: resource, Subresource: subresource, Namespace: key.Namespace, Name: key.Name,
	})
}

// keyOf the ProvisionedCluster that a request is about.
func (a *API) keyOf(r *http.Request) (client.ObjectKey, error) {
	ns, err := a.namespaceOf(r)
	if err != nil {
		return client.ObjectKey{}, err
	}
	id := r.PathValue("id")
	if problem := badName(id); problem != "" {
		return client.ObjectKey{}, reply.Errorf(http.StatusBadRequest, reply.Invalid, "the id is not one of a cluster: %s", problem)
	}
	return client.ObjectKey{Namespace: ns, Name: id}, nil
}

// namespaceOf a request: its query says.
func (a *API) namespaceOf(r *http.Request) (string, error) {
	ns := r.URL.Query().Get("namespace")
	if ns == "" {
		return a.Namespace, nil
	}
	if len(validation.IsDNS1123Label(ns)) > 0 {
		return "", reply.Errorf(http.StatusBadRequest, reply.Invalid, "namespace is not the name of a namespace")
	}
	return ns, nil
}

// badName says what is wrong with an id; "" if nothing is.
func badName(id string) string {
	if len(id) > maxName {
		return "it has more than 53 characters"
	}
	if problems := validation.IsDNS1123Subdomain(id); len(problems) > 0 {
		return problems[0]
	}
	return ""
}
