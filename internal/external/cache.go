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

package external

import (
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	rtclient "sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/customresourcesgate"
)

// CacheOptions of a manager that watches some namespaces, or all if none is
// named. What no controller looks at is left out of the cache: it is most of
// what objects take up.
func CacheOptions(namespaces ...string) cache.Options {
	o := cache.Options{
		DefaultTransform: cache.TransformStripManagedFields(),
		ByObject: map[rtclient.Object]cache.ByObject{
			&corev1.Secret{}: {Transform: slimSecret},
			&apiextensionsv1.CustomResourceDefinition{}: {Transform: customresourcesgate.TransformStripCRDSchema},
		},
	}
	for _, n := range namespaces {
		if o.DefaultNamespaces == nil {
			o.DefaultNamespaces = map[string]cache.Config{}
		}
		o.DefaultNamespaces[n] = cache.Config{}
	}
	return o
}

// slimSecret leaves out of a Secret what it holds a second time: the copy that
// kubectl apply keeps. Those that we write from the cache are ours alone.
func slimSecret(in any) (any, error) {
	o, err := meta.Accessor(in)
	if err != nil {
		return in, nil //nolint:nilerr // Not an object, such as one that was deleted while nobody looked.
	}

	o.SetManagedFields(nil)

	if a := o.GetAnnotations(); a[corev1.LastAppliedConfigAnnotation] != "" {
		delete(a, corev1.LastAppliedConfigAnnotation)
		o.SetAnnotations(a)
	}

	return in, nil
}
