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
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/bitnami-labs/sealed-secrets/pkg/apis/sealedsecrets/v1alpha1"
	"github.com/bitnami-labs/sealed-secrets/pkg/crypto"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// present is when the tests take place.
var present = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// controllerKey makes a key as the controller does.
func controllerKey(t *testing.T, notBefore time.Time, validFor time.Duration) (corev1.Secret, *rsa.PrivateKey) {
	t.Helper()

	key, _, err := crypto.GeneratePrivateKeyAndCert(2048, time.Hour, "")
	if err != nil {
		t.Fatal(err)
	}

	c, err := crypto.SignKeyWithNotBefore(rand.Reader, key, notBefore, validFor, "")
	if err != nil {
		t.Fatal(err)
	}

	return secretOf(c), key
}

func secretOf(c *x509.Certificate) corev1.Secret {
	return corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{KeyLabel: ActiveKey}},
		Data:       map[string][]byte{corev1.TLSCertKey: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})},
	}
}

func secret() Input {
	return Input{
		Namespace: "kubeopera-system",
		Name:      "kubeopera-platform",
		Type:      corev1.SecretTypeOpaque,
		Data:      map[string][]byte{"session-key": []byte("a very secret value")},
	}
}

func sealer() Sealer {
	return Sealer{Key: []byte("0123456789abcdef0123456789abcdef"), Labels: map[string]string{"app.kubernetes.io/managed-by": "kubeopera"}}
}

func TestRoundTrip(t *testing.T) {
	s, private := controllerKey(t, present.Add(-time.Hour), 10*time.Hour)
	keys := Keys([]corev1.Secret{s})

	b, err := sealer().Seal(secret(), keys[0])
	if err != nil {
		t.Fatal(err)
	}

	if strings.Contains(string(b), "very secret") {
		t.Error("the manifest holds the plain text")
	}

	sealed := &v1alpha1.SealedSecret{}
	if err := yaml.UnmarshalStrict(b, sealed); err != nil {
		t.Fatal(err)
	}

	got, err := sealed.Unseal(scheme.Codecs, map[string]*rsa.PrivateKey{"key": private})
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(secret().Data, got.Data); diff != "" {
		t.Error(diff)
	}

	if got.Name != secret().Name || got.Namespace != secret().Namespace || got.Labels["app.kubernetes.io/managed-by"] != "kubeopera" || got.Type != corev1.SecretTypeOpaque {
		t.Errorf("another Secret comes out: %v", got.ObjectMeta)
	}

	// It opens nowhere else.
	sealed.Name = "other"
	if _, err := sealed.Unseal(scheme.Codecs, map[string]*rsa.PrivateKey{"key": private}); err == nil {
		t.Error("it opens under another name")
	}
}

func TestKeys(t *testing.T) {
	older, _ := controllerKey(t, present.Add(-48*time.Hour), 1000*time.Hour)
	newer, _ := controllerKey(t, present.Add(-24*time.Hour), 1000*time.Hour)
	expired, _ := controllerKey(t, present.Add(-12*time.Hour), time.Hour)
	compromised, _ := controllerKey(t, present.Add(-time.Hour), 1000*time.Hour)
	compromised.Labels[KeyLabel] = "compromised"

	keys := Keys([]corev1.Secret{older, {}, expired, newer, compromised})
	if len(keys) != 3 {
		t.Fatalf("%d keys", len(keys))
	}

	got, ok := Newest(keys, present)
	if want := Keys([]corev1.Secret{newer})[0].Fingerprint; !ok || got.Fingerprint != want {
		t.Error("secrets are sealed with the newest active key that has not expired")
	}

	if _, ok := Newest(Keys([]corev1.Secret{expired}), present); ok {
		t.Error("an expired key is not for new secrets")
	}
}

func TestPlan(t *testing.T) {
	first, _ := controllerKey(t, present.Add(-48*time.Hour), 1000*time.Hour)
	second, _ := controllerKey(t, present.Add(-24*time.Hour), 1000*time.Hour)
	one, two := Keys([]corev1.Secret{first}), Keys([]corev1.Secret{second})
	both := Keys([]corev1.Secret{first, second})

	earlier, err := sealer().Seal(secret(), one[0])
	if err != nil {
		t.Fatal(err)
	}

	changed := secret()
	changed.Data = map[string][]byte{"session-key": []byte("another")}

	more := secret()
	more.Data = map[string][]byte{"session-key": []byte("a very secret value"), "second": []byte("x")}

	cases := map[string]struct {
		reason  string
		in      Input
		earlier []byte
		ring    Keyring
		want    Verdict
	}{
		"Unchanged":   {reason: "Nothing to do.", in: secret(), earlier: earlier, ring: Keyring{Known: true, Keys: one}, want: Sealed},
		"Rotated":     {reason: "The old key is still there.", in: secret(), earlier: earlier, ring: Keyring{Known: true, Keys: both}, want: Sealed},
		"KeyGone":     {reason: "Nobody could open it.", in: secret(), earlier: earlier, ring: Keyring{Known: true, Keys: two}, want: Sealable},
		"Unreachable": {reason: "A cluster that does not answer has not lost its keys.", in: secret(), earlier: earlier, want: Sealed},
		"NoKeyLeft":   {reason: "Keep it until there is a key.", in: secret(), earlier: earlier, ring: Keyring{Known: true}, want: Stale},
		"Changed":     {reason: "Another input.", in: changed, earlier: earlier, ring: Keyring{Known: true, Keys: one}, want: Sealable},
		"More":        {reason: "One more value.", in: more, earlier: earlier, ring: Keyring{Known: true, Keys: one}, want: Sealable},
		"ChangedDown": {reason: "Another input, but no key at hand.", in: changed, earlier: earlier, want: Stale},
		"Edited":      {reason: "Somebody changed the ciphertext.", in: secret(), earlier: []byte(strings.Replace(string(earlier), "session-key: A", "session-key: B", 1)), ring: Keyring{Known: true, Keys: one}, want: Sealable},
		"Broken":      {reason: "Somebody broke it.", in: secret(), earlier: []byte("{"), ring: Keyring{Known: true, Keys: one}, want: Sealable},
		"New":         {reason: "The first time.", in: secret(), ring: Keyring{Known: true, Keys: one}, want: Sealable},
		"NewNoKey":    {reason: "The controller has no key yet.", in: secret(), ring: Keyring{Known: true}, want: Missing},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := sealer().Plan(tc.in, tc.earlier, tc.ring, present)
			if got.Verdict != tc.want {
				t.Errorf("%s Verdict %d instead of %d.", tc.reason, got.Verdict, tc.want)
			}

			if tc.want == Sealed && (!cmp.Equal(got.Manifest, earlier) || got.Fingerprint != one[0].Fingerprint) {
				t.Error("what is reused must stay the same")
			}
		})
	}

	other := sealer()
	other.Key = []byte("another key")

	if other.Plan(secret(), earlier, Keyring{Known: true, Keys: one}, present).Verdict != Sealable {
		t.Error("a seal that was made with another key is not trusted")
	}
}
