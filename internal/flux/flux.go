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

// Package flux is the work behind a FluxBootstrap: it installs Flux on a target
// as a Helm release, recognises a Flux that is there already, gives it Git
// credentials and a tree to reconcile, judges how that goes, and takes all but
// Flux itself away again. What it decides is pure; what it does is one small
// idempotent call each.
package flux

import "github.com/kubeopera/provider-kubeopera/apis/v1alpha1"

const (
	// ReleaseName is the name of the Helm release that Flux is installed as.
	ReleaseName = "flux"

	// FieldManager owns the fields that we apply on a target.
	FieldManager = "kubeopera"

	// labelDigest is on the Helm release: the digest of the chart and values
	// that it was made from. It also marks a release as ours.
	labelDigest = "kubeopera.io/flux-digest"
)

// Labels of everything that is made on the target for the cluster id.
func Labels(id string) map[string]string {
	return map[string]string{
		v1alpha1.LabelAppManagedBy: v1alpha1.AppManagedBy,
		v1alpha1.LabelHostCluster:  id,
	}
}
