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
	"testing"

	"github.com/google/go-cmp/cmp"
	rcommon "helm.sh/helm/v4/pkg/release/common"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

func crd(name, version string, spec ...string) *apiextensionsv1.CustomResourceDefinition {
	props := map[string]apiextensionsv1.JSONSchemaProps{}
	for _, p := range spec {
		props[p] = apiextensionsv1.JSONSchemaProps{}
	}
	c := &apiextensionsv1.CustomResourceDefinition{}
	c.Name = name
	c.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{
		Name:   version,
		Served: true,
		Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
			Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": {Properties: props}},
		}},
	}}
	return c
}

func TestDetect(t *testing.T) {
	current := CRDs{GitRepository: crd(crdGitRepository, "v1"), Kustomization: crd(crdKustomization, "v1", "deletionPolicy")}
	theirs := func(args ...string) []Component {
		return []Component{
			{Name: "kustomize-controller", Namespace: "gitops", Version: "v2.6.0", Args: args},
			{Name: "source-controller", Namespace: "gitops", Version: "v2.6.0"},
		}
	}
	ours := theirs()
	for i := range ours {
		ours[i].Release = "flux-system/flux"
	}
	kept := crd(crdGitRepository, "v1")
	kept.Annotations = map[string]string{"meta.helm.sh/release-name": "flux", "meta.helm.sh/release-namespace": "flux-system"}

	cases := map[string]struct {
		reason     string
		components []Component
		crds       CRDs
		release    Release
		needs      []v1alpha1.Component
		exists     bool
		want       string
	}{
		"None":       {reason: "A fresh cluster."},
		"Ours":       {reason: "Our release.", components: ours, crds: current, release: Release{Revision: 1, Digest: "d"}},
		"OursLost":   {reason: "Our release's record is gone; its controllers come back into it.", components: ours, crds: CRDs{GitRepository: kept}},
		"OursKept":   {reason: "Our release was uninstalled and has left its CRDs.", crds: CRDs{GitRepository: kept}},
		"Compatible": {reason: "It does all that we need.", components: theirs(), crds: current, exists: true},
		"TheirRelease": {
			reason: "Somebody else's Helm release of the same name.", components: ours, crds: current, exists: true,
			release: Release{Revision: 3, Status: rcommon.StatusDeployed},
		},
		"Leftover": {
			reason: "Its controllers cannot be found.", crds: current, exists: true,
			want: "Existing Flux cannot be used: the CRD gitrepositories.source.toolkit.fluxcd.io is there, but no controller labelled app.kubernetes.io/part-of=flux; delete the CRDs of Flux if nobody needs them",
		},
		"NoHelmController": {
			reason: "The tree needs it.", components: theirs(), crds: current, needs: []v1alpha1.Component{"helm-controller"}, exists: true,
			want: "Existing Flux v2.6.0 in gitops cannot be used: it has no helm-controller",
		},
		"Old": {
			reason: "It could not leave workloads alone.", components: theirs(), exists: true,
			crds: CRDs{GitRepository: crd(crdGitRepository, "v1"), Kustomization: crd(crdKustomization, "v1")},
			want: "Existing Flux v2.6.0 in gitops cannot be used: its Kustomization has no deletionPolicy, which came with v2.5",
		},
		"VeryOld": {
			reason: "It serves other versions only.", components: theirs(), exists: true,
			crds: CRDs{GitRepository: crd(crdGitRepository, "v1beta2"), Kustomization: crd(crdKustomization, "v1beta2")},
			want: "Existing Flux v2.6.0 in gitops cannot be used: it does not serve GitRepository v1; it does not serve Kustomization v1",
		},
		"OneNamespace": {
			reason: "It does not see ours.", components: theirs("--watch-all-namespaces=false"), crds: current, exists: true,
			want: "Existing Flux v2.6.0 in gitops cannot be used: kustomize-controller watches its own namespace only",
		},
		"Sharded": {
			reason: "Its selector matches what has no shard.", components: theirs("--watch-label-selector=!sharding.fluxcd.io/key"), crds: current, exists: true,
		},
		"OtherShard": {
			reason: "It does not see ours.", components: theirs("--watch-label-selector=shard=1"), crds: current, exists: true,
			want: "Existing Flux v2.6.0 in gitops cannot be used: kustomize-controller watches only objects labelled shard=1",
		},
		"Shards": {
			reason: "One of them is not for ours, and the other is.", crds: current, exists: true,
			components: append(theirs("--watch-label-selector=!sharding.fluxcd.io/key"), theirs("--watch-label-selector=sharding.fluxcd.io/key=1")...),
		},
		"OthersMatterNot": {
			reason: "A controller that we have no work for.", crds: current, exists: true,
			components: append(theirs(), Component{Name: "image-automation-controller", Namespace: "gitops", Args: []string{"--watch-all-namespaces=false"}}),
		},
		"Lockdown": {
			reason: "It may not apply the tree.", components: theirs("--default-service-account=default"), crds: current, exists: true,
			want: "Existing Flux v2.6.0 in gitops cannot be used: kustomize-controller works with the rights of the ServiceAccount default",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := Detect(tc.components, tc.crds, tc.release, Needs{Namespace: "flux-system", Components: tc.needs, Labels: Labels("x")})
			if (e != nil) != tc.exists {
				t.Fatalf("\n%s\nexisting: %+v", tc.reason, e)
			}
			got := ""
			if err := e.Err(); err != nil {
				got = err.Error()
				if !fault.Is(err, fault.Refused) {
					t.Errorf("\n%s\nclass: %s", tc.reason, fault.ClassOf(err))
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
