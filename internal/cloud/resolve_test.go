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
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
)

const (
	ns   = "team-a"
	home = "kubeopera-system"
)

var key = cloudtest.DefaultKey

// newClient returns a client of a control plane that holds some objects.
func newClient(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}

func secret(namespace, name string, data map[string]string) *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string][]byte{}}
	for k, v := range data {
		s.Data[k] = []byte(v)
	}
	return s
}

// spec of a ProviderConfig that reads the key creds of the Secret cloud.
func spec(t v1alpha1.CredentialType, source v1alpha1.CredentialsSource, change ...func(*v1alpha1.ProviderConfigSpec)) v1alpha1.ProviderConfigSpec {
	s := v1alpha1.ProviderConfigSpec{Type: t, Credentials: v1alpha1.Credentials{Source: source, SecretRef: &v1alpha1.SecretKeySelector{Name: "cloud", Key: "creds"}}}
	switch t { //nolint:exhaustive // Access keys need no settings.
	case v1alpha1.CredentialAWSAssumeRole:
		s.AWS = &v1alpha1.AWSSettings{RoleARN: new("arn:aws:iam::123456789012:role/deploy/runner"), ExternalID: new("tenant-7")}
	case v1alpha1.CredentialGCPServiceAccount:
		s.GCP = &v1alpha1.GCPSettings{Project: "my-project"}
	}
	for _, f := range change {
		f(&s)
	}
	return s
}

// account is a service account's key, with some fields changed.
func account(t *testing.T, change map[string]string) string {
	t.Helper()
	k := map[string]string{}
	if err := json.Unmarshal(cloudtest.New(cloudtest.Options{}).GCPKey("https://oauth2.googleapis.com", "my-project"), &k); err != nil {
		t.Fatal(err)
	}
	maps.Copy(k, change)
	data, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestResolve(t *testing.T) {
	const (
		access = v1alpha1.CredentialAWSAccessKey
		role   = v1alpha1.CredentialAWSAssumeRole
		gcp    = v1alpha1.CredentialGCPServiceAccount

		fromSecret = v1alpha1.CredentialsSecret
		sealed     = v1alpha1.CredentialsSealed
		injected   = v1alpha1.CredentialsInjectedIdentity
		none       = v1alpha1.CredentialsNone
	)
	at := "Secret team-a/cloud key creds"
	ini := func(id, secret string, more ...string) string {
		return "[default]\naws_access_key_id = " + id + "\naws_secret_access_key = " + secret + "\n" + strings.Join(more, "\n")
	}

	idClient := newClient(t)
	recipient, err := EnsureSealing(t.Context(), idClient, idClient, home)
	if err != nil {
		t.Fatal(err)
	}
	identity := &corev1.Secret{}
	if err := idClient.Get(t.Context(), client.ObjectKey{Namespace: home, Name: SealingIdentityName}, identity); err != nil {
		t.Fatal(err)
	}
	identity.ResourceVersion = ""
	other := newClient(t)
	stranger, err := EnsureSealing(t.Context(), other, other, home)
	if err != nil {
		t.Fatal(err)
	}
	seal := func(to, plain string) string {
		data, err := Seal(to, []byte(plain))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}

	with := func(value string) []client.Object {
		return []client.Object{secret(ns, "cloud", map[string]string{"creds": value}), identity.DeepCopy()}
	}
	noRef := func(s *v1alpha1.ProviderConfigSpec) { s.Credentials.SecretRef = nil }
	inNamespace := func(n string) func(*v1alpha1.ProviderConfigSpec) {
		return func(s *v1alpha1.ProviderConfigSpec) { s.Credentials.SecretRef.Namespace = n }
	}
	aws := func(a v1alpha1.AWSSettings) func(*v1alpha1.ProviderConfigSpec) {
		return func(s *v1alpha1.ProviderConfigSpec) { s.AWS = &a }
	}
	const arn = "arn:aws:iam::123456789012:role/x"

	cases := map[string]struct {
		reason  string
		spec    v1alpha1.ProviderConfigSpec
		objects []client.Object
		cluster bool
		class   fault.Class
		msg     string
	}{
		"AccessKey":            {reason: "The usual form works.", spec: spec(access, fromSecret), objects: with(key.File())},
		"AccessKeyComments":    {reason: "Comments, other profiles, CRLF and a BOM do no harm.", spec: spec(access, fromSecret), objects: with("\xef\xbb\xbf# mine\r\n[other]\r\naws_access_key_id = X\r\n[ default ]\r\nAWS_ACCESS_KEY_ID=" + key.ID + "\r\naws_secret_access_key=" + key.Secret + "\r\n")},
		"Role":                 {reason: "A role works with a key.", spec: spec(role, fromSecret), objects: with(key.File())},
		"RoleInjected":         {reason: "A role works with the pod's identity.", spec: spec(role, injected)},
		"AccessKeyInjected":    {reason: "The pod's identity works alone.", spec: spec(access, injected)},
		"GCPInjected":          {reason: "It does on Google Cloud, too.", spec: spec(gcp, injected)},
		"GCP":                  {reason: "A key file as it was downloaded works.", spec: spec(gcp, fromSecret), objects: with(account(t, map[string]string{"token_uri": googleTokenURI}))},
		"None":                 {reason: "None needs nothing.", spec: spec(access, none)},
		"Sealed":               {reason: "A sealed key is opened.", spec: spec(access, sealed), objects: with(seal(recipient, key.File()))},
		"ClusterWide":          {reason: "A ClusterProviderConfig names the namespace.", spec: spec(access, fromSecret, inNamespace(ns)), objects: with(key.File()), cluster: true},
		"UnknownType":          {reason: "A type of a later version.", spec: spec("Azure", fromSecret), class: fault.Refused, msg: `type "Azure" is unknown: set it to AWSAccessKey, AWSAssumeRole or GCPServiceAccount`},
		"UnknownSource":        {reason: "A source of a later version.", spec: spec(access, "Vault"), class: fault.Refused, msg: `credentials.source "Vault" is unknown: set it to Secret, Sealed, InjectedIdentity or None`},
		"NoSecretRef":          {reason: "A Secret has to be named.", spec: spec(access, fromSecret, noRef), class: fault.Refused, msg: "credentials.secretRef is missing: source Secret needs the name and key of a Secret"},
		"NoNamespace":          {reason: "A ClusterProviderConfig has no namespace.", spec: spec(access, fromSecret), cluster: true, class: fault.Refused, msg: "credentials.secretRef.namespace is missing: a ClusterProviderConfig has none of its own"},
		"OtherNamespace":       {reason: "A ProviderConfig reads no other namespace.", spec: spec(access, fromSecret, inNamespace("kube-system")), class: fault.Refused, msg: "credentials.secretRef.namespace is another one: a ProviderConfig reads its own namespace only"},
		"NoSecret":             {reason: "A Secret may arrive later.", spec: spec(access, fromSecret), class: fault.Waiting, msg: "Secret team-a/cloud is not there yet: it needs key creds with the cloud credentials"},
		"NoKey":                {reason: "A key may arrive later.", spec: spec(access, fromSecret), objects: []client.Object{secret(ns, "cloud", map[string]string{"credentials": "x"})}, class: fault.Waiting, msg: "Secret team-a/cloud has no key creds yet: put the cloud credentials there"},
		"Empty":                {reason: "An empty value.", spec: spec(access, fromSecret), objects: with(""), class: fault.Refused, msg: at + " is empty"},
		"Huge":                 {reason: "Something else.", spec: spec(access, fromSecret), objects: with(strings.Repeat("x", maxCredential+1)), class: fault.Refused, msg: at + " is larger than 64 KiB: it holds no credential"},
		"AWSJSON":              {reason: "A key file of another cloud.", spec: spec(access, fromSecret), objects: with(account(t, nil)), class: fault.Refused, msg: at + " is JSON: AWS credentials read [default], aws_access_key_id = …, aws_secret_access_key = …"},
		"AWSNoProfile":         {reason: "Lines without a profile.", spec: spec(access, fromSecret), objects: with("aws_access_key_id = " + key.ID), class: fault.Refused, msg: at + " has no profile [default]: put [default] above aws_access_key_id and aws_secret_access_key"},
		"AWSOtherProfile":      {reason: "Another profile only.", spec: spec(access, fromSecret), objects: with(strings.Replace(key.File(), "default", "prod", 1)), class: fault.Refused, msg: at + " has no profile [default]: put [default] above aws_access_key_id and aws_secret_access_key"},
		"AWSTwice":             {reason: "Two keys: which one?", spec: spec(access, fromSecret), objects: with(key.File() + key.File()), class: fault.Refused, msg: at + " has the profile [default] twice"},
		"AWSGarbage":           {reason: "Not this format.", spec: spec(access, fromSecret), objects: with("[default]\nAKIA and so on"), class: fault.Refused, msg: at + " has a line that is neither a [profile] nor name = value"},
		"AWSNoID":              {reason: "Half a key.", spec: spec(access, fromSecret), objects: with("[default]\naws_secret_access_key = " + key.Secret), class: fault.Refused, msg: at + " has no aws_access_key_id below [default]"},
		"AWSNoSecret":          {reason: "The other half.", spec: spec(access, fromSecret), objects: with("[default]\naws_access_key_id = " + key.ID), class: fault.Refused, msg: at + " has no aws_secret_access_key below [default]"},
		"AWSQuotedID":          {reason: "Quotes belong to shells.", spec: spec(access, fromSecret), objects: with(ini(`"`+key.ID+`"`, key.Secret)), class: fault.Refused, msg: at + " has a malformed aws_access_key_id: 16 or more capital letters and digits, no quotes"},
		"AWSQuotedSecret":      {reason: "Quotes belong to shells.", spec: spec(access, fromSecret), objects: with(ini(key.ID, `"`+key.Secret+`"`)), class: fault.Refused, msg: at + " has a malformed aws_secret_access_key: no blanks, no quotes"},
		"AWSShortSecret":       {reason: "A secret that was cut.", spec: spec(access, fromSecret), objects: with(ini(key.ID, "cut")), class: fault.Refused, msg: at + " has a malformed aws_secret_access_key: no blanks, no quotes"},
		"AWSSession":           {reason: "A session ends while Terraform runs.", spec: spec(access, fromSecret), objects: with(ini(key.ID, key.Secret, "aws_session_token = abc")), class: fault.Refused, msg: at + " has an aws_session_token, which ends during a run: give a long-term key, or use AWSAssumeRole"},
		"AWSTemporary":         {reason: "A session's key without its token.", spec: spec(access, fromSecret), objects: with(ini("ASIA0123456789ABCDEF", key.Secret)), class: fault.Refused, msg: at + " has a temporary access key, which ends during a run: give a long-term key, or use AWSAssumeRole"},
		"RoleMissing":          {reason: "AssumeRole needs a role.", spec: spec(role, fromSecret, aws(v1alpha1.AWSSettings{})), class: fault.Refused, msg: "aws.roleARN is missing: type AWSAssumeRole needs it"},
		"RoleMalformed":        {reason: "A role's ARN.", spec: spec(role, fromSecret, aws(v1alpha1.AWSSettings{RoleARN: new("arn:aws:iam::1:role/x\nsource_profile = y")})), class: fault.Refused, msg: "aws.roleARN is malformed: it reads like arn:aws:iam::123456789012:role/name"},
		"ExternalIDMalformed":  {reason: "Nothing may break out of the file.", spec: spec(role, fromSecret, aws(v1alpha1.AWSSettings{RoleARN: new(arn), ExternalID: new("a\nb = c")})), class: fault.Refused, msg: "aws.externalID is malformed: 2 to 1000 letters, digits and +=,.@:/-_"},
		"SessionMalformed":     {reason: "Nothing may break out of the file.", spec: spec(role, fromSecret, aws(v1alpha1.AWSSettings{RoleARN: new(arn), SessionName: new("a b")})), class: fault.Refused, msg: "aws.sessionName is malformed: 2 to 64 letters, digits and +=,.@-_"},
		"RoleNone":             {reason: "Nothing assumes no role.", spec: spec(role, none), class: fault.Refused, msg: "credentials.source None cannot assume a role: set it to Secret, Sealed or InjectedIdentity"},
		"GCPNoProject":         {reason: "A project has to be named.", spec: spec(gcp, fromSecret, func(s *v1alpha1.ProviderConfigSpec) { s.GCP = nil }), class: fault.Refused, msg: "gcp.project is missing: type GCPServiceAccount needs it"},
		"GCPNotJSON":           {reason: "A key of another cloud.", spec: spec(gcp, fromSecret), objects: with(key.File()), class: fault.Refused, msg: at + " is not JSON: put the service account's key file there"},
		"GCPUser":              {reason: "A user's own login.", spec: spec(gcp, fromSecret), objects: with(account(t, map[string]string{"type": "authorized_user"})), class: fault.Refused, msg: at + " is no service account's key: its type must be service_account"},
		"GCPExternal":          {reason: "External accounts run commands.", spec: spec(gcp, fromSecret), objects: with(`{"type":"external_account","credential_source":{"executable":{"command":"/bin/sh"}}}`), class: fault.Refused, msg: at + " is no service account's key: its type must be service_account"},
		"GCPNoEmail":           {reason: "Half a file.", spec: spec(gcp, fromSecret), objects: with(account(t, map[string]string{"client_email": ""})), class: fault.Refused, msg: at + " has no client_email: put the whole key file there"},
		"GCPNoKey":             {reason: "The other half.", spec: spec(gcp, fromSecret), objects: with(account(t, map[string]string{"private_key": ""})), class: fault.Refused, msg: at + " has no private_key: put the whole key file there"},
		"GCPBadKey":            {reason: "A key that lost its line breaks.", spec: spec(gcp, fromSecret), objects: with(account(t, map[string]string{"private_key": "-----BEGIN PRIVATE KEY----- MII"})), class: fault.Refused, msg: at + " has a malformed private_key: put the key file there as it was downloaded"},
		"GCPElsewhere":         {reason: "The provider calls no address of a stranger.", spec: spec(gcp, fromSecret), objects: with(account(t, map[string]string{"token_uri": "http://169.254.169.254/token"})), class: fault.Refused, msg: at + " has another token_uri than Google's: put the key file there as it was downloaded"},
		"SealedByNobody":       {reason: "There is no key yet.", spec: spec(access, sealed), objects: with(seal(recipient, key.File()))[:1], class: fault.Waiting, msg: "Secret kubeopera-system/kubeopera-sealing-identity with the sealing key is not there yet"},
		"SealedForOther":       {reason: "Another control plane's.", spec: spec(access, sealed), objects: with(seal(stranger, key.File())), class: fault.Refused, msg: at + " is sealed for another key: seal it again for " + recipient},
		"NotSealed":            {reason: "Plain text is no sealed text.", spec: spec(access, sealed), objects: with(key.File()), class: fault.Refused, msg: at + " is not sealed with age: seal it for " + recipient},
		"SealedCut":            {reason: "A sealed text that was cut.", spec: spec(access, sealed), objects: with(seal(recipient, key.File())[:300]), class: fault.Refused, msg: at + " is damaged: seal it again for " + recipient},
		"SealedEmpty":          {reason: "Nothing, sealed.", spec: spec(access, sealed), objects: with(seal(recipient, "")), class: fault.Refused, msg: at + " is empty"},
		"SealedMalformed":      {reason: "What is sealed is checked, too.", spec: spec(access, sealed), objects: with(seal(recipient, "[default]")), class: fault.Refused, msg: at + " has no aws_access_key_id below [default]"},
		"SealedBrokenIdentity": {reason: "The error quotes nothing of the key.", spec: spec(access, sealed), objects: []client.Object{with(seal(recipient, key.File()))[0], secret(home, SealingIdentityName, map[string]string{SealingIdentityKey: "AGE-SECRET-KEY-1BROKEN"})}, class: fault.Refused, msg: "Secret kubeopera-system/kubeopera-sealing-identity key identity is no age identity: restore it from a backup"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			namespace := ns
			if tc.cluster {
				namespace = ""
			}
			r := Resolver{Reader: newClient(t, tc.objects...), Namespace: home}
			c, err := r.Resolve(t.Context(), tc.spec, namespace)
			if tc.msg == "" {
				if err != nil {
					t.Fatalf("%s\nResolve(): %v", tc.reason, err)
				}
				if tc.spec.Credentials.Source == fromSecret && tc.spec.Type != gcp && c.key.Secret != key.Secret {
					t.Errorf("%s\nResolve(): the key is not the one in the Secret", tc.reason)
				}
				for _, s := range c.Secrets() {
					if strings.Contains(fmt.Sprintf("%v %+v %#v %s", c, c, c, c), s) {
						t.Errorf("%s\nprinting credentials must show no secret", tc.reason)
					}
				}
				return
			}
			if err == nil {
				t.Fatalf("%s\nResolve(): want an error, got none", tc.reason)
			}
			if diff := cmp.Diff(tc.msg, err.Error()); diff != "" {
				t.Errorf("%s\nResolve(): -want message, +got message:\n%s", tc.reason, diff)
			}
			if !fault.Is(err, tc.class) {
				t.Errorf("%s\nResolve(): want class %s, got %s", tc.reason, tc.class, fault.ClassOf(err))
			}
		})
	}
}

func TestConfig(t *testing.T) {
	pc := &v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "aws"}, Spec: v1alpha1.ProviderConfigSpec{Label: "mine"}}
	cpc := &v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "default"}, Spec: v1alpha1.ProviderConfigSpec{Label: "all"}}
	c := newClient(t, pc, cpc)

	cases := map[string]struct {
		reason string
		ref    *xpv2.ProviderConfigReference
		wide   bool
		label  string
		class  fault.Class
	}{
		"Nobody":     {reason: "A reference is needed.", class: fault.Refused},
		"Found":      {reason: "A ProviderConfig of the namespace.", ref: &xpv2.ProviderConfigReference{Kind: "ProviderConfig", Name: "aws"}, label: "mine"},
		"Missing":    {reason: "It may come later.", ref: &xpv2.ProviderConfigReference{Kind: "ProviderConfig", Name: "gcp"}, class: fault.Waiting},
		"OtherKind":  {reason: "There are two kinds.", ref: &xpv2.ProviderConfigReference{Kind: "Config", Name: "aws"}, class: fault.Refused},
		"NotAllowed": {reason: "Cluster-wide reads are off by default.", ref: &xpv2.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "default"}, class: fault.Refused},
		"Wide":       {reason: "They can be allowed.", ref: &xpv2.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "default"}, wide: true, label: "all"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Resolver{Reader: c, Namespace: home, ClusterWide: tc.wide}.Config(t.Context(), tc.ref, ns)
			if tc.class != "" {
				if !fault.Is(err, tc.class) {
					t.Errorf("%s\nConfig(): want class %s, got %v", tc.reason, tc.class, err)
				}
				return
			}
			if err != nil || got.Label != tc.label {
				t.Errorf("%s\nConfig(): want %s, got %v, %v", tc.reason, tc.label, got, err)
			}
		})
	}
}

func TestEnsureSealing(t *testing.T) {
	ctx := t.Context()
	c := newClient(t)
	first, err := EnsureSealing(ctx, c, c, home)
	if err != nil {
		t.Fatal(err)
	}
	s := &corev1.Secret{}
	if err := c.Get(ctx, client.ObjectKey{Namespace: home, Name: SealingRecipientName}, s); err != nil {
		t.Fatal(err)
	}
	version := s.ResourceVersion
	second, err := EnsureSealing(ctx, c, c, home)
	if err != nil || first != second || string(s.Data[SealingRecipientKey]) != first {
		t.Errorf("The key must stay: %s, %s, %v", first, second, err)
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(s), s); err != nil || s.ResourceVersion != version {
		t.Errorf("A second call must write nothing: %v", err)
	}

	s.Data[SealingRecipientKey] = []byte("age1somebody")
	if err := c.Update(ctx, s); err != nil {
		t.Fatal(err)
	}
	if _, err := EnsureSealing(ctx, c, c, home); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(s), s); err != nil || string(s.Data[SealingRecipientKey]) != first {
		t.Errorf("The recipient must belong to the key again: %v, %v", s.Data, err)
	}
}
