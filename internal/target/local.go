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
	"k8s.io/client-go/rest"
)

// Local returns the cluster that a configuration of our own leads to, such as
// the one that the provider runs on. Its credentials may be files that change,
// so client-go makes the transport.
func Local(cfg *rest.Config, o Options) (*Cluster, error) {
	o = o.withDefaults()
	out := rest.CopyConfig(cfg)
	out.Timeout = o.Timeout
	out.UserAgent = o.UserAgent
	out.WarningHandlerWithContext = rest.NoWarnings{}
	c, err := newClient(out, NewScheme())
	if err != nil {
		return nil, err
	}
	return &Cluster{Client: bound(c, o.Timeout), Config: out}, nil
}
