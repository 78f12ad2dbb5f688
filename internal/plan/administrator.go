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
	"fmt"
	"strings"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
)

// administratorVerdict tells whether the first administrator was created.
func (p *planner) administratorVerdict() verdict {
	ad := p.seen.Administrator
	if ad == nil {
		return p.absent(v1alpha1.AdministratorKind)
	}

	v := p.ready(v1alpha1.AdministratorKind, ad).or("Creating administrator " + string(ad.Spec.ForProvider.Email))
	if note := p.ignored(); v.done && note != "" {
		v.message = strings.TrimSpace(v.message + " " + note)
	}

	return v
}

// ignored says that another administrator is asked for than the one that was
// created, which changes nothing; empty if that is not so.
func (p *planner) ignored() string {
	ad, s := p.seen.Administrator, p.hc.Spec
	if ad == nil || s.AdminEmail == nil || s.AdminUsername == nil ||
		*s.AdminEmail == ad.Spec.ForProvider.Email && *s.AdminUsername == ad.Spec.ForProvider.Username {
		return ""
	}

	return fmt.Sprintf("The spec asks for %s (%s) now, which is ignored: the first administrator is created once; add others in KubeOpera.",
		*s.AdminUsername, *s.AdminEmail)
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
