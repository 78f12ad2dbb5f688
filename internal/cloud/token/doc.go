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

// Package token makes cloud tokens for kubeconfigs that ask for a helper, in
// this process and on behalf of the ClusterAccess whose kubeconfig it is: with
// the credentials that its ProviderConfig names, and never with the provider's
// own, unless the ProviderConfig says so. A supplied kubeconfig could otherwise
// send a token of somebody else to its author's own server.
package token
