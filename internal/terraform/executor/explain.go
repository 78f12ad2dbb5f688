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

package executor

import (
	"bytes"
	stderrors "errors"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// Commands that add the rights to run Jobs: for a provider of its own
// manifests, and for one that Crossplane has installed, which has another
// identity.
const (
	Bundle          = "kubectl apply -k cluster/install/provisioning"
	PackagedBundle  = "kubectl apply -k cluster/install/crossplane"
	providerCommand = "kubectl apply -k cluster/install/provider"
)

// explain gives an error of the API server a class: what is missing, and which
// command adds it.
func (s store) explain(err error, namespace, what string) error {
	switch {
	case err == nil:
		return nil
	case kerrors.IsForbidden(err) && kerrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return fault.Newf(fault.Waiting, "namespace %s is being deleted: cannot %s", namespace, what)
	case kerrors.IsForbidden(err):
		return fault.Wrap(err, fault.Denied, "may not "+what+" in namespace "+namespace+": run "+s.bundle)
	case kerrors.IsNotFound(err) && missesNamespace(err):
		return fault.Newf(fault.Refused, "namespace %s is not there: run %s", namespace, s.bundle)
	default:
		return errors.Wrap(err, "cannot "+what)
	}
}

// missesNamespace tells whether it is the namespace that was not found.
func missesNamespace(err error) bool {
	status, ok := stderrors.AsType[*kerrors.StatusError](err)
	return ok && status.ErrStatus.Details != nil && status.ErrStatus.Details.Kind == "namespaces"
}

// maxHolders bounds the ended hosts that a run is told of. A lock is left by
// one of the last.
const maxHolders = 16

// Ended merges hosts that have ended with those that were known before; the
// last ones count.
func Ended(before, now []string) []string {
	all := slices.Clone(before)
	for _, h := range now {
		if h != "" && !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	return all[max(0, len(all)-maxHolders):]
}

// Same tells whether files are the same.
func Same(a, b map[string][]byte) bool {
	return maps.EqualFunc(a, b, bytes.Equal)
}
