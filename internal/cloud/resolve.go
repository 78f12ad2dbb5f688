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

package cloud

import (
	"context"
	"fmt"
	"regexp"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/aws/assume"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

const (
	// ClusterProviderConfigKind is one of the kinds that a managed resource may refer to.
	ClusterProviderConfigKind = "ClusterProviderConfig"
	// ProviderConfigKind is the other one.
	ProviderConfigKind = "ProviderConfig"

	// maxCredential bounds a credential: the largest known one, a service
	// account's key, has 2.4 KiB.
	maxCredential = 64 << 10
)

var (
	roleARN = regexp.MustCompile(`^arn:aws[a-z-]*:iam::[0-9]{12}:role/[\w+=,.@/-]{1,576}$`)
	// Kubeconfigs take no longer one, either.
	externalID  = regexp.MustCompile(`^[\w+=,.@:/-]{2,1000}$`)
	sessionName = regexp.MustCompile(`^[\w+=,.@-]{2,64}$`)
)

// A Resolver reads the credentials that ProviderConfigs name.
type Resolver struct {
	// Reader of ProviderConfigs and Secrets.
	Reader client.Reader
	// Namespace of the provider, where the key is that opens sealed credentials.
	Namespace string
	// ClusterWide allows ClusterProviderConfigs, which may name Secrets of any namespace.
	ClusterWide bool
}

// Config returns the ProviderConfig or ClusterProviderConfig that a managed
// resource in a namespace refers to. Its errors are faults: Waiting if it is
// not there, Refused if there cannot be one.
func (r Resolver) Config(ctx context.Context, ref *xpv2.ProviderConfigReference, namespace string) (*v1alpha1.ProviderConfigSpec, error) {
	if ref == nil || ref.Name == "" {
		return nil, fault.New(fault.Refused, "no ProviderConfig is named: set spec.providerConfigRef")
	}
	switch ref.Kind {
	case ProviderConfigKind:
		pc := &v1alpha1.ProviderConfig{}
		err := r.Reader.Get(ctx, types.NamespacedName{Namespace: namespace, Name: ref.Name}, pc)
		return &pc.Spec, gone(err, "ProviderConfig %s/%s", namespace, ref.Name)
	case ClusterProviderConfigKind:
		if !r.ClusterWide {
			return nil, fault.Newf(fault.Refused, "ClusterProviderConfig %s is not read: name a ProviderConfig, or allow cluster-wide reads", ref.Name)
		}
		pc := &v1alpha1.ClusterProviderConfig{}
		err := r.Reader.Get(ctx, types.NamespacedName{Name: ref.Name}, pc)
		return &pc.Spec, gone(err, "ClusterProviderConfig %s", ref.Name)
	default:
		return nil, fault.Newf(fault.Refused, "spec.providerConfigRef.kind must be %s or %s", ProviderConfigKind, ClusterProviderConfigKind)
	}
}

func gone(err error, format string, args ...any) error {
	if kerrors.IsNotFound(err) {
		return fault.Newf(fault.Waiting, format+" is not there yet", args...)
	}
	return errors.Wrapf(err, "cannot get "+format, args...)
}

// Resolve reads and checks the credentials of a ProviderConfig in a namespace,
// or of a ClusterProviderConfig, whose namespace is "". It calls no cloud. Its
// errors are faults: Waiting if a Secret or its key is not there, Refused if
// what is there cannot be used. They hold no part of the credentials.
func (r Resolver) Resolve(ctx context.Context, spec v1alpha1.ProviderConfigSpec, namespace string) (*Credentials, error) {
	c := &Credentials{Type: spec.Type, Source: spec.Credentials.Source}
	if err := c.settings(spec); err != nil {
		return nil, err
	}

	switch c.Source {
	case v1alpha1.CredentialsNone:
		c.From = "no credentials"
		if c.Role != nil {
			return nil, fault.New(fault.Refused, "credentials.source None cannot assume a role: set it to Secret, Sealed or InjectedIdentity")
		}
		return c, nil
	case v1alpha1.CredentialsInjectedIdentity:
		c.From = "the provider's own identity"
		return c, nil
	case v1alpha1.CredentialsSecret, v1alpha1.CredentialsSealed:
	default:
		return nil, fault.Newf(fault.Refused, "credentials.source %q is unknown: set it to Secret, Sealed, InjectedIdentity or None", c.Source)
	}

	data, err := r.read(ctx, c, spec.Credentials.SecretRef, namespace)
	if err != nil {
		return nil, err
	}
	if c.AWS() {
		c.key, err = parseAccessKey(data)
	} else {
		c.account, err = parseServiceAccount(data)
	}
	if err != nil {
		return nil, fault.Newf(fault.Refused, "%s %s", c.From, err)
	}
	return c, nil
}

// settings takes over what a ProviderConfig says besides the credentials.
func (c *Credentials) settings(spec v1alpha1.ProviderConfigSpec) error {
	switch spec.Type {
	case v1alpha1.CredentialAWSAccessKey:
		return nil
	case v1alpha1.CredentialGCPServiceAccount:
		if spec.GCP == nil || spec.GCP.Project == "" {
			return fault.New(fault.Refused, "gcp.project is missing: type GCPServiceAccount needs it")
		}
		c.Project = spec.GCP.Project
		return nil
	case v1alpha1.CredentialAWSAssumeRole:
	default:
		return fault.Newf(fault.Refused, "type %q is unknown: set it to AWSAccessKey, AWSAssumeRole or GCPServiceAccount", spec.Type)
	}

	if spec.AWS == nil || spec.AWS.RoleARN == nil {
		return fault.New(fault.Refused, "aws.roleARN is missing: type AWSAssumeRole needs it")
	}
	c.Role = &assume.Role{ARN: *spec.AWS.RoleARN, Session: assume.Session}
	if spec.AWS.ExternalID != nil {
		c.Role.ExternalID = *spec.AWS.ExternalID
		if !externalID.MatchString(c.Role.ExternalID) {
			return fault.New(fault.Refused, "aws.externalID is malformed: 2 to 1000 letters, digits and +=,.@:/-_")
		}
	}
	if spec.AWS.SessionName != nil {
		c.Role.Session = *spec.AWS.SessionName
	}
	if !roleARN.MatchString(c.Role.ARN) {
		return fault.New(fault.Refused, "aws.roleARN is malformed: it reads like arn:aws:iam::123456789012:role/name")
	}
	if !sessionName.MatchString(c.Role.Session) {
		return fault.New(fault.Refused, "aws.sessionName is malformed: 2 to 64 letters, digits and +=,.@-_")
	}
	return nil
}

// read returns the credential that a Secret holds, opened if it is sealed.
func (r Resolver) read(ctx context.Context, c *Credentials, ref *v1alpha1.SecretKeySelector, namespace string) ([]byte, error) {
	switch {
	case ref == nil || ref.Name == "" || ref.Key == "":
		return nil, fault.Newf(fault.Refused, "credentials.secretRef is missing: source %s needs the name and key of a Secret", c.Source)
	case namespace == "" && ref.Namespace == "":
		return nil, fault.New(fault.Refused, "credentials.secretRef.namespace is missing: a ClusterProviderConfig has none of its own")
	case namespace != "" && ref.Namespace != "" && ref.Namespace != namespace:
		return nil, fault.New(fault.Refused, "credentials.secretRef.namespace is another one: a ProviderConfig reads its own namespace only")
	case namespace == "":
		namespace = ref.Namespace
	}

	key := types.NamespacedName{Namespace: namespace, Name: ref.Name}
	c.From = fmt.Sprintf("Secret %s key %s", key, ref.Key)
	s := &corev1.Secret{}
	if err := r.Reader.Get(ctx, key, s); err != nil {
		if kerrors.IsNotFound(err) {
			return nil, fault.Newf(fault.Waiting, "Secret %s is not there yet: it needs key %s with the cloud credentials", key, ref.Key)
		}
		return nil, errors.Wrapf(err, "cannot get Secret %s", key)
	}
	data, ok := s.Data[ref.Key]
	switch {
	case !ok:
		return nil, fault.Newf(fault.Waiting, "Secret %s has no key %s yet: put the cloud credentials there", key, ref.Key)
	case len(data) == 0:
		return nil, fault.Newf(fault.Refused, "%s is empty", c.From)
	case len(data) > maxCredential:
		return nil, fault.Newf(fault.Refused, "%s is larger than 64 KiB: it holds no credential", c.From)
	case c.Source == v1alpha1.CredentialsSealed:
		return r.open(ctx, c, data)
	}
	return data, nil
}
