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

package target

import (
	"context"
	"encoding/json"
	"net/http"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Version asks a cluster's API server for its version, such as v1.36.4.
func (c *Cluster) Version(ctx context.Context) (string, error) {
	cfg := rest.CopyConfig(c.Config)
	cfg.GroupVersion = &schema.GroupVersion{}
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	rc, err := rest.UnversionedRESTClientFor(cfg)
	if err != nil {
		return "", errors.Wrap(err, "cannot make client")
	}
	res := rc.Get().AbsPath("/version").Do(ctx)
	// Not from Raw, which loses what the API server says.
	if err := res.Error(); err != nil {
		return "", err
	}
	body, err := res.Raw()
	if err != nil {
		return "", err
	}
	v := version.Info{}
	if err := json.Unmarshal(body, &v); err != nil || v.GitVersion == "" {
		// A login page, or some other web server.
		return "", kerrors.NewGenericServerResponse(http.StatusBadGateway, "GET", schema.GroupResource{}, "", "it does not answer as a Kubernetes API server does", 0, true)
	}
	return v.GitVersion, nil
}
