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
	"strings"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// known are the kinds that we handle again and again: what a cluster would say
// about them in its discovery is known beforehand. That document takes 300 KiB
// of memory for each cluster, and two requests.
var known = knownKinds()

func knownKinds() *meta.DefaultRESTMapper {
	m := meta.NewDefaultRESTMapper(nil)
	add := func(scope meta.RESTScope, group, version string, kinds ...string) {
		for _, k := range kinds {
			m.Add(schema.GroupVersionKind{Group: group, Version: version, Kind: k}, scope)
		}
	}
	add(meta.RESTScopeNamespace, "", "v1", "ConfigMap", "PersistentVolumeClaim", "Pod", "Secret", "Service", "ServiceAccount")
	add(meta.RESTScopeRoot, "", "v1", "Namespace", "Node")
	add(meta.RESTScopeNamespace, "apps", "v1", "DaemonSet", "Deployment", "StatefulSet")
	add(meta.RESTScopeNamespace, "batch", "v1", "CronJob", "Job")
	add(meta.RESTScopeRoot, "authentication.k8s.io", "v1", "SelfSubjectReview", "TokenReview")
	add(meta.RESTScopeRoot, "authorization.k8s.io", "v1", "SelfSubjectAccessReview", "SubjectAccessReview")
	add(meta.RESTScopeNamespace, "rbac.authorization.k8s.io", "v1", "Role", "RoleBinding")
	add(meta.RESTScopeRoot, "rbac.authorization.k8s.io", "v1", "ClusterRole", "ClusterRoleBinding")
	add(meta.RESTScopeRoot, "apiextensions.k8s.io", "v1", "CustomResourceDefinition")
	add(meta.RESTScopeNamespace, "source.toolkit.fluxcd.io", "v1", "Bucket", "GitRepository", "HelmChart", "HelmRepository", "OCIRepository")
	add(meta.RESTScopeNamespace, "kustomize.toolkit.fluxcd.io", "v1", "Kustomization")
	add(meta.RESTScopeNamespace, "helm.toolkit.fluxcd.io", "v2", "HelmRelease")
	add(meta.RESTScopeNamespace, "bitnami.com", "v1alpha1", "SealedSecret")
	return m
}

// mapper asks the cluster only about the kinds that are not known.
type mapper struct {
	meta.RESTMapper
}

// RESTMapping returns the resource of a kind.
func (m mapper) RESTMapping(gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	if found, err := known.RESTMapping(gk, versions...); err == nil {
		return found, nil
	}
	return m.RESTMapper.RESTMapping(gk, versions...)
}

// newClient makes a client that knows the known kinds.
func newClient(cfg *rest.Config, s *runtime.Scheme) (client.Client, error) {
	hc, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, errors.Wrap(err, "cannot make HTTP client")
	}
	dynamic, err := apiutil.NewDynamicRESTMapper(cfg, hc)
	if err != nil {
		return nil, errors.Wrap(err, "cannot make REST mapper")
	}
	c, err := client.New(cfg, client.Options{HTTPClient: hc, Scheme: s, Mapper: mapper{dynamic}})
	return c, errors.Wrap(err, "cannot make client")
}

// noMatch turns the answer to a known kind that a cluster does not have into
// the error that its discovery would have led to. An object that is not there
// is another matter: it is the API server that says so, and not its router.
func noMatch(c client.Client, obj runtime.Object, err error) error {
	if !kerrors.IsNotFound(err) || !kerrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse) {
		return err
	}
	gvk, gerr := c.GroupVersionKindFor(obj)
	if gerr != nil {
		return err
	}
	gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	return &meta.NoKindMatchError{GroupKind: gvk.GroupKind(), SearchedVersions: []string{gvk.Version}}
}
