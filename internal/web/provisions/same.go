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

package provisions

import (
	"encoding/json"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// differences are the fields, in a request's words, in which one
// ProvisionedCluster asks for something else than another.
func differences(a, b *v1alpha1.ProvisionedCluster) []string {
	x, y := fields(a), fields(b)
	var names []string
	for name := range x {
		if !equality.Semantic.DeepEqual(x[name], y[name]) {
			names = append(names, name)
		}
	}
	for name := range y {
		if _, ok := x[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// fields that a ProvisionedCluster has, with what the defaults are.
func fields(pc *v1alpha1.ProvisionedCluster) map[string]any {
	p := pc.Spec.ForProvider.DeepCopy()
	if p.CapacityType == "" {
		p.CapacityType = v1alpha1.CapacityOnDemand
	}
	if p.Topology == v1alpha1.TopologyVanilla && p.ControlPlaneCount == nil {
		p.ControlPlaneCount = new(int32(1))
	}
	slices.Sort(p.APIServerAllowedCIDRs)
	if n := p.ExistingNetwork; n != nil {
		slices.Sort(n.SubnetIDs)
	}
	all := map[string]any{}
	data, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil { // What came from JSON can be written as JSON.
		return map[string]any{"spec": err.Error()}
	}
	if ref := pc.Spec.ProviderConfigReference; ref != nil {
		all["credentialRef"] = ref.Kind + "/" + ref.Name
	}
	if ref := pc.Spec.WriteConnectionSecretToReference; ref != nil {
		all["writeConnectionSecretToRef"] = ref.Name
	}
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	return all
}
