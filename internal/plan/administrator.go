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

package plan

import (
	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// administratorVerdict tells whether the first administrator was created.
func (p *planner) administratorVerdict() verdict {
	ad := p.seen.Administrator
	if ad == nil {
		return p.absent(v1alpha1.AdministratorKind)
	}

	return p.ready(v1alpha1.AdministratorKind, ad).or("Creating administrator " + string(ad.Spec.ForProvider.Email))
}

// administrator comes once the platform is installed. It is created once, so
// one that is there stays as it is, whatever the spec says later.
func (p *planner) administrator() *v1alpha1.Administrator {
	seen := p.seen.Administrator

	switch {
	case p.foreign[v1alpha1.AdministratorKind].message != "":
		return nil
	case seen == nil && (p.deleting() || !p.wantsAdministrator() || !p.isDone(v1alpha1.TypePlatformInstalled)):
		return nil
	}

	ad := &v1alpha1.Administrator{
		TypeMeta:   p.typeMeta(v1alpha1.AdministratorKind),
		ObjectMeta: p.objectMeta(),
	}

	if seen != nil {
		ad.Spec.ForProvider = seen.Spec.ForProvider

		return ad
	}

	ad.Spec.ForProvider = v1alpha1.AdministratorParameters{
		KubeconfigSecretRef: p.kubeconfig(),
		Email:               *p.hc.Spec.AdminEmail,
		Username:            *p.hc.Spec.AdminUsername,
	}

	return ad
}

func (p *planner) wantsAdministrator() bool {
	return p.managed() && p.hc.Spec.AdminEmail != nil && p.hc.Spec.AdminUsername != nil
}
