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
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Helm makes a request for each object of the chart, several times; client-go's
// default of 5 a second would be most of the time that an installation takes.
const (
	helmQPS   = 50
	helmBurst = 100
)

// restGetter is how Helm gets its clients: all of them from one rest.Config.
type restGetter struct {
	config    *rest.Config
	namespace string
	discovery discovery.CachedDiscoveryInterface
}

func newGetter(cfg *rest.Config, namespace string) *restGetter {
	c := rest.CopyConfig(cfg)
	c.QPS, c.Burst, c.RateLimiter = helmQPS, helmBurst, nil
	return &restGetter{config: c, namespace: namespace}
}

// ToRESTConfig implements genericclioptions.RESTClientGetter.
func (g *restGetter) ToRESTConfig() (*rest.Config, error) {
	return rest.CopyConfig(g.config), nil
}

// ToDiscoveryClient implements genericclioptions.RESTClientGetter.
func (g *restGetter) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	if g.discovery == nil {
		d, err := discovery.NewDiscoveryClientForConfig(g.config)
		if err != nil {
			return nil, errors.Wrap(err, "cannot make a discovery client")
		}
		g.discovery = memory.NewMemCacheClient(d)
	}
	return g.discovery, nil
}

// ToRESTMapper implements genericclioptions.RESTClientGetter.
func (g *restGetter) ToRESTMapper() (meta.RESTMapper, error) {
	d, err := g.ToDiscoveryClient()
	if err != nil {
		return nil, err
	}
	return restmapper.NewDeferredDiscoveryRESTMapper(d), nil
}

// ToRawKubeConfigLoader implements genericclioptions.RESTClientGetter. Helm asks
// it for the namespace only.
func (g *restGetter) ToRawKubeConfigLoader() clientcmd.ClientConfig {
	return clientcmd.NewDefaultClientConfig(*clientcmdapi.NewConfig(), &clientcmd.ConfigOverrides{
		Context: clientcmdapi.Context{Namespace: g.namespace},
	})
}
