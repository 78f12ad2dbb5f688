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

package seal

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/bitnami-labs/sealed-secrets/pkg/apis/sealedsecrets/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Annotations of our SealedSecrets. Ciphertext is random, so these tell
// whether it has to be made anew: the seal is a keyed hash over the input, the
// key's fingerprint and the ciphertext. It says nothing to those who do not
// have the key, and cannot be forged by them.
const (
	annotationKey  = "kubeopera.io/sealing-key"
	annotationSeal = "kubeopera.io/seal"
)

// An Input is a Secret to seal. It opens only under its own name, in its own namespace.
type Input struct {
	Namespace, Name string

	Type corev1.SecretType
	Data map[string][]byte
}

// A Sealer seals for one cluster.
type Sealer struct {
	// Key of the keyed hash. It stays on the management side.
	Key []byte

	// Labels of the Secrets that come out on the cluster.
	Labels map[string]string
}

// Seal with a key. The result is YAML.
func (s Sealer) Seal(in Input, k Key) ([]byte, error) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: in.Namespace, Name: in.Name}, Type: in.Type, Data: in.Data}

	sealed, err := v1alpha1.NewSealedSecret(scheme.Codecs, k.public, secret)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot seal %s", in.Name)
	}

	return s.manifest(in, k.Fingerprint, sealed.Spec.EncryptedData)
}

// Reuse a SealedSecret that was made earlier, if it is from this very input:
// it returns the manifest with the same ciphertext, and the fingerprint of the key.
func (s Sealer) Reuse(in Input, earlier []byte) (manifest []byte, fingerprint string, ok bool) {
	old := &sealedSecret{}
	if err := yaml.Unmarshal(earlier, old); err != nil {
		return nil, "", false
	}

	fingerprint = old.Metadata.Annotations[annotationKey]
	encrypted := old.Spec.EncryptedData

	if !hmac.Equal([]byte(old.Metadata.Annotations[annotationSeal]), []byte(s.seal(in, fingerprint, encrypted))) {
		return nil, "", false
	}

	manifest, err := s.manifest(in, fingerprint, encrypted)

	return manifest, fingerprint, err == nil
}

// seal is the keyed hash of everything that ciphertext depends on, and of itself.
func (s Sealer) seal(in Input, fingerprint string, encrypted map[string]string) string {
	h := hmac.New(sha256.New, s.Key)
	write := func(b []byte) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b))))
		h.Write(b)
	}

	for _, x := range []string{in.Namespace, in.Name, string(in.Type), fingerprint} {
		write([]byte(x))
	}

	for _, k := range slices.Sorted(maps.Keys(in.Data)) {
		write([]byte(k))
		write(in.Data[k])
		write([]byte(encrypted[k]))
	}

	// What is encrypted beside the input would be somebody else's.
	write(binary.BigEndian.AppendUint64(nil, uint64(len(encrypted))))

	return hex.EncodeToString(h.Sum(nil))
}

// sealedSecret is a SealedSecret without what only a cluster adds, so that its YAML is clean.
type sealedSecret struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
	Spec       spec     `json:"spec"`
}

type metadata struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type spec struct {
	EncryptedData map[string]string `json:"encryptedData"`
	Template      template          `json:"template"`
}

type template struct {
	Metadata metadata          `json:"metadata"`
	Type     corev1.SecretType `json:"type,omitempty"`
}

func (s Sealer) manifest(in Input, fingerprint string, encrypted map[string]string) ([]byte, error) {
	b, err := yaml.Marshal(sealedSecret{
		APIVersion: v1alpha1.SchemeGroupVersion.String(),
		Kind:       "SealedSecret",
		Metadata: metadata{
			Name:      in.Name,
			Namespace: in.Namespace,
			Annotations: map[string]string{
				annotationKey:  fingerprint,
				annotationSeal: s.seal(in, fingerprint, encrypted),
			},
		},
		Spec: spec{
			EncryptedData: encrypted,
			Template: template{
				Metadata: metadata{Name: in.Name, Namespace: in.Namespace, Labels: s.Labels},
				Type:     in.Type,
			},
		},
	})

	return b, errors.Wrapf(err, "cannot write the sealed %s", in.Name)
}
