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

package token

import (
	"context"
	"strings"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

// implied is the reference that Crossplane fills in where none is given.
var implied = xpv2.ProviderConfigReference{Kind: cloud.ClusterProviderConfigKind, Name: "default"}

// credentials resolves the credentials of those whose kubeconfig is in a Secret.
func (s *Source) credentials(ctx context.Context, secret types.NamespacedName, command string) (*cloud.Credentials, error) {
	refs, err := s.references(ctx, secret)
	if err != nil {
		return nil, err
	}
	named := []xpv2.ProviderConfigReference{}
	for _, r := range refs {
		ok, err := s.isNamed(ctx, r)
		if err != nil {
			return nil, err
		}
		if ok {
			named = append(named, r)
		}
	}
	if len(named) == 0 {
		return nil, unnamed(command)
	}
	for _, r := range named[1:] {
		if r != named[0] {
			return nil, fault.Newf(fault.Refused, "Secret %s is used with the ProviderConfigs %s and %s: give each ClusterAccess its own Secret", secret, named[0].Name, r.Name)
		}
	}

	spec, err := s.resolver.Config(ctx, &named[0], secret.Namespace)
	if err != nil {
		return nil, err
	}
	namespace := secret.Namespace
	if named[0].Kind == cloud.ClusterProviderConfigKind {
		namespace = ""
	}
	creds, err := s.resolver.Resolve(ctx, *spec, namespace)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot use %s %s", named[0].Kind, named[0].Name)
	}
	return creds, nil
}

// unnamed says what to do where no credentials are named.
func unnamed(command string) error {
	return fault.Newf(fault.Refused, "kubeconfig asks for %s: name the ProviderConfig with the cloud credentials in spec.providerConfigRef", command)
}

// isNamed tells whether a reference was meant. The implied one is, if there is
// such an object and it may be read.
func (s *Source) isNamed(ctx context.Context, ref xpv2.ProviderConfigReference) (bool, error) {
	if ref != implied {
		return true, nil
	}
	if !s.resolver.ClusterWide {
		return false, nil
	}
	_, err := s.resolver.Config(ctx, &ref, "")
	if fault.Is(err, fault.Waiting) {
		return false, nil
	}
	return err == nil, err
}

// references returns the ProviderConfigs of the ClusterAccesses that a Secret
// belongs to: the one that stored it, those that it was supplied to, and those
// that take what a ProvisionedCluster publishes in it.
func (s *Source) references(ctx context.Context, secret types.NamespacedName) ([]xpv2.ProviderConfigReference, error) {
	if id, ok := storedFor(secret.Name); ok {
		ca := &v1alpha1.ClusterAccess{}
		err := s.resolver.Reader.Get(ctx, types.NamespacedName{Namespace: secret.Namespace, Name: id}, ca)
		if err == nil {
			return s.of(ctx, *ca)
		}
		if !kerrors.IsNotFound(err) {
			return nil, errors.Wrapf(err, "cannot get ClusterAccess %s", id)
		}
	}

	provisioned, err := s.provisioned(ctx, secret)
	if err != nil {
		return nil, err
	}
	l := &v1alpha1.ClusterAccessList{}
	if err := s.resolver.Reader.List(ctx, l, client.InNamespace(secret.Namespace)); err != nil {
		return nil, errors.Wrap(err, "cannot list ClusterAccesses")
	}
	var out []xpv2.ProviderConfigReference
	for _, ca := range l.Items {
		p := ca.Spec.ForProvider
		supplied := p.KubeconfigSecretRef != nil && p.KubeconfigSecretRef.Name == secret.Name
		published := p.ProvisionedClusterRef != nil && p.ProvisionedClusterRef.Name == provisioned
		if !supplied && !published {
			continue
		}
		refs, err := s.of(ctx, ca)
		if err != nil {
			return nil, err
		}
		out = append(out, refs...)
	}
	return out, nil
}

// storedFor returns the id of the cluster whose stored kubeconfig a Secret is.
func storedFor(name string) (string, bool) {
	prefix, suffix, _ := strings.Cut(v1alpha1.KubeconfigSecretName("\n"), "\n")
	id, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(id, suffix)
}

// provisioned returns the name of the ProvisionedCluster that publishes its
// kubeconfig in a Secret, or a name that nothing has.
func (s *Source) provisioned(ctx context.Context, secret types.NamespacedName) (string, error) {
	const none = ""
	found := &corev1.Secret{}
	if err := s.resolver.Reader.Get(ctx, secret, found); err != nil {
		return none, errors.Wrapf(client.IgnoreNotFound(err), "cannot get Secret %s", secret)
	}
	if c := metav1.GetControllerOf(found); c != nil && c.Kind == v1alpha1.ProvisionedClusterKind {
		return c.Name, nil
	}
	return none, nil
}

// of returns what a ClusterAccess refers to. One that takes the kubeconfig of a
// ProvisionedCluster may leave it to that: it is the same account.
func (s *Source) of(ctx context.Context, ca v1alpha1.ClusterAccess) ([]xpv2.ProviderConfigReference, error) {
	ref := ca.GetProviderConfigReference()
	if ref != nil && *ref != implied {
		return []xpv2.ProviderConfigReference{*ref}, nil
	}
	if p := ca.Spec.ForProvider.ProvisionedClusterRef; p != nil {
		pc := &v1alpha1.ProvisionedCluster{}
		err := s.resolver.Reader.Get(ctx, types.NamespacedName{Namespace: ca.GetNamespace(), Name: p.Name}, pc)
		if err == nil && pc.GetProviderConfigReference() != nil {
			return []xpv2.ProviderConfigReference{*pc.GetProviderConfigReference()}, nil
		}
		if client.IgnoreNotFound(err) != nil {
			return nil, errors.Wrapf(err, "cannot get ProvisionedCluster %s", p.Name)
		}
	}
	if ref == nil {
		return nil, nil
	}
	return []xpv2.ProviderConfigReference{*ref}, nil
}
