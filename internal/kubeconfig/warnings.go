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

package kubeconfig

import (
	"fmt"
	"time"
)

// NearExpiry is how long before its end a credential is warned of. A month is
// what certificate tools (cert-manager, kubeadm's own renewal) keep in hand.
const NearExpiry = 30 * 24 * time.Hour

// Warnings returns what does not stop the kubeconfig from being used, but will
// hurt. The same kubeconfig has the same warnings until a credential nears its
// end, so they can be kept in a status.
func (k *Kubeconfig) Warnings(now time.Time) []string {
	var w []string
	if k.Loopback() {
		w = append(w, fmt.Sprintf("server %s is a loopback address: it leads to wherever the client runs, not to the cluster", k.Server.Host))
	}
	switch {
	case k.Plain():
		w = append(w, "server uses plain http: no credentials are sent, and the server's identity is not checked")
	case k.config.Insecure:
		w = append(w, "insecure-skip-tls-verify is set: the server's identity is not checked")
	}
	if e := k.Expires; e != nil {
		at := e.At.UTC().Format(time.RFC3339)
		switch {
		case !now.Before(e.At):
			w = append(w, fmt.Sprintf("%s expired at %s: replace the kubeconfig", e.Of, at))
		case now.Add(NearExpiry).After(e.At):
			w = append(w, fmt.Sprintf("%s expires at %s: replace the kubeconfig before", e.Of, at))
		}
	}
	return w
}

// Expired says whether a credential of the kubeconfig has ended.
func (k *Kubeconfig) Expired(now time.Time) bool {
	return k.Expires != nil && !now.Before(k.Expires.At)
}
