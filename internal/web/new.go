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

package web

import (
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/web/auth"
	"github.com/kubeopera/provider-kubeopera/internal/web/provisions"
)

// Options of kubeopera-api.
type Options struct {
	// Namespace of requests that name none.
	Namespace string
	// JobNamespace is where Jobs run as long as a ProvisionedCluster does not tell.
	JobNamespace string
	// Audiences that tokens have to be meant for; the API server's own if there are none.
	Audiences []string
	// MaxStreams bounds the logs that are read at the same time, MaxStreamsEach those of one user.
	MaxStreams, MaxStreamsEach int
}

// New returns the handler of kubeopera-api, which works on the API server of
// the configuration. Logs that are followed end with the context. Its clients
// have no cache: rights to watch are not needed, and what was just written is seen.
func New(ctx context.Context, cfg *rest.Config, o Options, log logging.Logger) (http.Handler, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return nil, errors.Wrap(err, "cannot know the kinds")
	}
	c, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a client of the API server")
	}
	kube, err := client.New(cfg, client.Options{Scheme: scheme, HTTPClient: c})
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a client of the API server")
	}
	typed, err := kubernetes.NewForConfigAndClient(cfg, c)
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a client of the API server")
	}
	api := provisions.New(provisions.Options{
		Kube:           kube,
		Pods:           typed,
		Tokens:         auth.NewTokens(typed.AuthenticationV1().TokenReviews(), o.Audiences, clock.RealClock{}),
		Access:         auth.NewAccess(typed.AuthorizationV1().SubjectAccessReviews()),
		Namespace:      o.Namespace,
		JobNamespace:   o.JobNamespace,
		MaxStreams:     o.MaxStreams,
		MaxStreamsEach: o.MaxStreamsEach,
		Stopping:       ctx,
	})
	return handler(api, readiness(typed.Discovery().RESTClient(), clock.RealClock{}), log), nil
}
