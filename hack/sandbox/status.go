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

package sandbox

import (
	"context"
	"fmt"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// Ready tells whether a HostCluster, as it is now, is Ready.
func Ready(hc *v1alpha1.HostCluster) bool {
	return hc.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue && hc.Status.ObservedGeneration == hc.GetGeneration()
}

// Stuck lists the conditions of a HostCluster and its children that are not True, with their reasons.
func (s *Sandbox) Stuck(ctx context.Context, key client.ObjectKey) []string {
	var out []string
	for _, kind := range []string{
		v1alpha1.HostClusterKind, v1alpha1.ProvisionedClusterKind, v1alpha1.ClusterAccessKind, v1alpha1.FluxBootstrapKind,
		v1alpha1.GitOpsEnvironmentKind, v1alpha1.AdministratorKind,
	} {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(v1alpha1.Kind(kind))
		err := s.Management.Client.Get(ctx, key, u)
		if kerrors.IsNotFound(err) {
			out = append(out, kind+": not there yet")
			continue
		}
		var conditions []xpv2.Condition
		if err == nil {
			err = fieldpath.Pave(u.Object).GetValueInto("status.conditions", &conditions)
		}
		if err != nil && !fieldpath.IsNotFound(err) {
			out = append(out, kind+": "+err.Error())
			continue
		}
		out = append(out, stuck(kind, conditions)...)
	}
	return out
}

// stuck describes the conditions of one object that are not True.
func stuck(kind string, conditions []xpv2.Condition) []string {
	if len(conditions) == 0 {
		return []string{kind + ": no condition yet"}
	}
	var out []string
	for _, c := range conditions {
		if c.Status != corev1.ConditionTrue {
			out = append(out, fmt.Sprintf("%s: %s=%s %s: %s", kind, c.Type, c.Status, c.Reason, c.Message))
		}
	}
	return out
}
