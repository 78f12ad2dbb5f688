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
	"cmp"
	"io"
	"mime"
	"net/http"
	"strings"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/json"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/web/reply"
)

const (
	// maxBody bounds a request's body in bytes. The largest one that the CRD takes has some 20 KiB.
	maxBody = 64 << 10

	// annotationRequestedBy says on whose request a ProvisionedCluster was
	// made: for the API server it was this program.
	annotationRequestedBy = "kubeopera.io/requested-by"
)

// A Request asks for a cluster. Its fields are those of
// ProvisionedCluster.spec.forProvider; what they may be is up to the CRD.
type Request struct {
	// ID of the cluster, the name of its ProvisionedCluster.
	ID string `json:"id"`
	// Namespace of the ProvisionedCluster.
	Namespace string `json:"namespace,omitempty"`
	// Provider is aws or gcp, what the topology exists on by default.
	Provider string `json:"provider,omitempty"`
	Region   string `json:"region"`

	v1alpha1.Sizing `json:",inline"`

	// NodeCount hides that of Sizing, of which nobody can tell whether it was given.
	NodeCount *int32 `json:"nodeCount"`

	// CredentialRef names a ProviderConfig of the same namespace.
	CredentialRef string `json:"credentialRef"`
	// WriteConnectionSecretToRef names the Secret for the kubeconfig.
	WriteConnectionSecretToRef *xpv2.LocalSecretReference `json:"writeConnectionSecretToRef,omitempty"`
}

// read the body of a request.
func read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if t := r.Header.Get("Content-Type"); t != "" {
		if media, _, err := mime.ParseMediaType(t); err != nil || media != "application/json" {
			return nil, reply.Errorf(http.StatusUnsupportedMediaType, reply.BadMedia, "the body must be application/json")
		}
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, reply.Errorf(http.StatusRequestEntityTooLarge, reply.TooLarge, "the body must not be larger than 64 KiB")
	}
	if err != nil {
		return nil, reply.Errorf(http.StatusBadRequest, reply.Invalid, "the body cannot be read").Because(err)
	}
	return data, nil
}

// parse a body. It names what it does not know, and takes nothing twice.
func parse(data []byte) (Request, error) {
	var req Request
	strict, err := json.UnmarshalStrict(data, &req)
	if err != nil {
		return Request{}, reply.Errorf(http.StatusBadRequest, reply.Invalid, "the body is not the JSON of a provision: %.512s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if len(strict) > 0 {
		said := make([]string, 0, len(strict))
		for _, e := range strict {
			said = append(said, e.Error())
		}
		return Request{}, reply.Errorf(http.StatusBadRequest, reply.Invalid, "the body has fields that are not known or not unique: %.512s", strings.Join(said, ", "))
	}
	if err := req.complete(); err != nil {
		return Request{}, err
	}
	return req, nil
}

// complete tells whether nothing is missing that has no default.
func (q *Request) complete() error {
	var causes []reply.Cause
	need := func(field string, is bool) {
		if !is {
			causes = append(causes, reply.Cause{Field: field, Message: "is required"})
		}
	}
	need("id", q.ID != "")
	need("topology", q.Topology != "")
	need("region", q.Region != "")
	need("nodeCount", q.NodeCount != nil)
	need("instanceType", q.InstanceType != "")
	need("kubernetesVersion", q.KubernetesVersion != "")
	need("credentialRef", q.CredentialRef != "")
	if problem := badName(q.ID); q.ID != "" && problem != "" {
		causes = append(causes, reply.Cause{Field: "id", Message: problem})
	}
	if q.CredentialRef != "" && len(validation.IsDNS1123Subdomain(q.CredentialRef)) > 0 {
		causes = append(causes, reply.Cause{Field: "credentialRef", Message: "is not the name of a ProviderConfig"})
	}
	if q.Namespace != "" && len(validation.IsDNS1123Label(q.Namespace)) > 0 {
		causes = append(causes, reply.Cause{Field: "namespace", Message: "is not the name of a namespace"})
	}
	if ref := q.WriteConnectionSecretToRef; ref != nil && len(validation.IsDNS1123Subdomain(ref.Name)) > 0 {
		causes = append(causes, reply.Cause{Field: "writeConnectionSecretToRef.name", Message: "is not the name of a Secret"})
	}
	if len(causes) == 0 {
		return nil
	}
	return invalid(causes)
}

// invalid is the answer to a spec that cannot be.
func invalid(causes []reply.Cause) *reply.Error {
	said := make([]string, 0, len(causes))
	for _, c := range causes {
		said = append(said, strings.TrimSpace(c.Field+" "+c.Message))
	}
	e := reply.Errorf(http.StatusUnprocessableEntity, InvalidSpec, "%s", strings.Join(said, "; "))
	e.Causes = causes
	return e
}

// object is the ProvisionedCluster that a request asks for.
func (q *Request) object(namespace, user string) *v1alpha1.ProvisionedCluster {
	pc := &v1alpha1.ProvisionedCluster{}
	pc.Name = q.ID
	pc.Namespace = cmp.Or(q.Namespace, namespace)
	pc.Annotations = map[string]string{annotationRequestedBy: user}
	pc.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionAll}
	pc.Spec.ProviderConfigReference = &xpv2.ProviderConfigReference{Kind: v1alpha1.ProviderConfigKind, Name: q.CredentialRef}
	pc.Spec.WriteConnectionSecretToReference = &xpv2.LocalSecretReference{Name: v1alpha1.ProvisionedSecretName(q.ID)}
	if ref := q.WriteConnectionSecretToRef; ref != nil {
		pc.Spec.WriteConnectionSecretToReference.Name = ref.Name
	}
	pc.Spec.ForProvider.Sizing = *q.DeepCopy()
	pc.Spec.ForProvider.NodeCount = ptr.Deref(q.NodeCount, 0)
	pc.Spec.ForProvider.Region = q.Region
	pc.Spec.ForProvider.Provider = cmp.Or(q.Provider, cloud(q.Topology))
	return pc
}

// cloud is the provider that a topology exists on.
func cloud(t v1alpha1.Topology) string {
	if t == v1alpha1.TopologyGKE {
		return "gcp"
	}
	return "aws"
}
