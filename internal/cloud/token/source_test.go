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
	"sync"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"golang.org/x/oauth2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/cloud"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/kubeconfig"
)

const ns = "team-a"

var (
	eks = kubeconfig.Helper{Command: kubeconfig.EKSTokenHelper, Cluster: "prod", Region: "eu-central-1"}
	gke = kubeconfig.Helper{Command: kubeconfig.GKETokenHelper}
)

func meta(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: ns, Name: name} }

func secret(name string, data string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: meta(name), Data: map[string][]byte{"creds": []byte(data)}}
}

func providerConfig(name string, t v1alpha1.CredentialType, source v1alpha1.CredentialsSource) *v1alpha1.ProviderConfig {
	pc := &v1alpha1.ProviderConfig{ObjectMeta: meta(name)}
	pc.Spec.Type, pc.Spec.Credentials.Source = t, source
	pc.Spec.Credentials.SecretRef = &v1alpha1.SecretKeySelector{Name: name, Key: "creds"}
	if t == v1alpha1.CredentialGCPServiceAccount {
		pc.Spec.GCP = &v1alpha1.GCPSettings{Project: "my-project"}
	}
	return pc
}

func named(name string) *xpv2.ProviderConfigReference {
	return &xpv2.ProviderConfigReference{Kind: "ProviderConfig", Name: name}
}

func access(name string, ref *xpv2.ProviderConfigReference, p v1alpha1.ClusterAccessParameters) *v1alpha1.ClusterAccess {
	ca := &v1alpha1.ClusterAccess{ObjectMeta: meta(name)}
	ca.Spec.ProviderConfigReference = ref
	ca.Spec.ForProvider = p
	return ca
}

func supplied(name string) v1alpha1.ClusterAccessParameters {
	return v1alpha1.ClusterAccessParameters{KubeconfigSecretRef: &v1alpha1.SecretReference{Name: name}}
}

func newSource(t *testing.T, wide bool, objects ...client.Object) (*Source, client.Client) {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
	return New(cloud.Resolver{Reader: c, Namespace: "kubeopera-system", ClusterWide: wide}), c
}

func TestOnBehalf(t *testing.T) {
	s := cloudtest.Start(t)
	s.SetEnv(t)
	// The provider itself has an identity, which nobody must get by accident.
	t.Setenv("AWS_ACCESS_KEY_ID", cloudtest.OtherKey.ID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", cloudtest.OtherKey.Secret)

	implicit := &xpv2.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "default"}
	key := secret("aws", cloudtest.DefaultKey.File())
	aws := providerConfig("aws", v1alpha1.CredentialAWSAccessKey, v1alpha1.CredentialsSecret)
	gcp := providerConfig("gcp", v1alpha1.CredentialGCPServiceAccount, v1alpha1.CredentialsSecret)
	gcpKey := secret("gcp", string(s.GCPKey("my-project")))
	cluster := &v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "default"}, Spec: aws.Spec}
	cluster.Spec.Credentials.SecretRef = &v1alpha1.SecretKeySelector{Namespace: ns, Name: "aws", Key: "creds"}
	provisioned := &v1alpha1.ProvisionedCluster{ObjectMeta: meta("prod")}
	provisioned.Spec.ProviderConfigReference = named("aws")
	published := secret("hostcluster-prod-provisioned", "")
	published.OwnerReferences = []metav1.OwnerReference{{Kind: v1alpha1.ProvisionedClusterKind, Name: "prod", Controller: new(true)}}
	fromProvisioned := v1alpha1.ClusterAccessParameters{ProvisionedClusterRef: &v1alpha1.ObjectReference{Name: "prod"}}
	const unnamed = "kubeconfig asks for /eks-token-helper: name the ProviderConfig with the cloud credentials in spec.providerConfigRef"

	cases := map[string]struct {
		reason  string
		objects []client.Object
		secret  string
		helper  kubeconfig.Helper
		wide    bool
		class   fault.Class
		msg     string
	}{
		"Stored":          {reason: "The ClusterAccess that stored it.", objects: []client.Object{access("prod", named("aws"), supplied("mine")), aws, key}, secret: "hostcluster-prod-kubeconfig", helper: eks},
		"Supplied":        {reason: "The ClusterAccess that it was supplied to.", objects: []client.Object{access("prod", named("aws"), supplied("mine")), aws, key}, secret: "mine", helper: eks},
		"Published":       {reason: "The ProvisionedCluster's own account.", objects: []client.Object{access("prod", implicit, fromProvisioned), provisioned, published, aws, key}, secret: published.Name, helper: eks},
		"StoredPublished": {reason: "The same once it is stored.", objects: []client.Object{access("prod", implicit, fromProvisioned), provisioned, aws, key}, secret: "hostcluster-prod-kubeconfig", helper: eks},
		"GKE":             {reason: "Google Cloud works alike.", objects: []client.Object{access("prod", named("gcp"), supplied("mine")), gcp, gcpKey}, secret: "mine", helper: gke},
		"Default":         {reason: "A default that is there may be meant.", objects: []client.Object{access("prod", implicit, supplied("mine")), cluster, key}, secret: "mine", helper: eks, wide: true},
		"Nobody":          {reason: "A Secret that nobody uses.", objects: []client.Object{aws, key}, secret: "mine", helper: eks, class: fault.Refused, msg: unnamed},
		"Unnamed":         {reason: "The provider's own identity is for nobody.", objects: []client.Object{access("prod", nil, supplied("mine")), aws, key}, secret: "mine", helper: eks, class: fault.Refused, msg: unnamed},
		"DefaultOff":      {reason: "A default that Crossplane filled in names nothing.", objects: []client.Object{access("prod", implicit, supplied("mine")), cluster, key}, secret: "mine", helper: eks, class: fault.Refused, msg: unnamed},
		"DefaultMissing":  {reason: "Nor does one that is not there.", objects: []client.Object{access("prod", implicit, supplied("mine")), key}, secret: "mine", helper: eks, wide: true, class: fault.Refused, msg: unnamed},
		"Missing":         {reason: "A ProviderConfig may come later.", objects: []client.Object{access("prod", named("aws"), supplied("mine"))}, secret: "mine", helper: eks, class: fault.Waiting, msg: "ProviderConfig team-a/aws is not there yet"},
		"NoKey":           {reason: "So may its Secret.", objects: []client.Object{access("prod", named("aws"), supplied("mine")), aws}, secret: "mine", helper: eks, class: fault.Waiting, msg: "cannot use ProviderConfig aws: Secret team-a/aws is not there yet: it needs key creds with the cloud credentials"},
		"OtherCloud":      {reason: "Clouds do not mix.", objects: []client.Object{access("prod", named("gcp"), supplied("mine")), gcp, gcpKey}, secret: "mine", helper: eks, class: fault.Refused, msg: "kubeconfig asks for /eks-token-helper, but its ProviderConfig is of type GCPServiceAccount"},
		"NoCredentials":   {reason: "None is none.", objects: []client.Object{access("prod", named("no"), supplied("mine")), providerConfig("no", v1alpha1.CredentialAWSAccessKey, v1alpha1.CredentialsNone)}, secret: "mine", helper: eks, class: fault.Refused, msg: "kubeconfig asks for /eks-token-helper, but its ProviderConfig has no credentials: its source is None"},
		"TwoAccounts":     {reason: "One Secret is one identity.", objects: []client.Object{access("a", named("aws"), supplied("mine")), access("b", named("gcp"), supplied("mine")), aws, key}, secret: "mine", helper: eks, class: fault.Refused, msg: "Secret team-a/mine is used with the ProviderConfigs aws and gcp: give each ClusterAccess its own Secret"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			src, _ := newSource(t, tc.wide, tc.objects...)
			ts, err := src.TokenSource(t.Context(), types.NamespacedName{Namespace: ns, Name: tc.secret}, tc.helper)
			if tc.msg != "" {
				if err == nil || err.Error() != tc.msg || !fault.Is(err, tc.class) {
					t.Errorf("%s\nTokenSource(): want %s %q, got %v", tc.reason, tc.class, tc.msg, err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s\nTokenSource(): %v", tc.reason, err)
			}
			tok, err := ts.Token()
			if err != nil {
				t.Fatalf("%s\nToken(): %v", tc.reason, err)
			}
			if tc.helper == eks && !strings.HasPrefix(tok.AccessToken, "k8s-aws-v1.") || tc.helper == gke && !strings.HasPrefix(tok.AccessToken, "ya29.") {
				t.Errorf("%s\nToken(): got another kind of token", tc.reason)
			}
		})
	}
}

// TestCache counts the tokens that are made.
func TestCache(t *testing.T) {
	src, c := newSource(t, false, access("prod", named("aws"), supplied("mine")),
		providerConfig("aws", v1alpha1.CredentialAWSAccessKey, v1alpha1.CredentialsSecret), secret("aws", cloudtest.DefaultKey.File()))
	clock := clocktesting.NewFakePassiveClock(time.Unix(1_000_000, 0))
	src.clock = clock
	var mu sync.Mutex
	made := 0
	var broken error
	src.make = func(context.Context, *cloud.Credentials, kubeconfig.Helper) (maker, error) {
		return func(context.Context) (*oauth2.Token, error) {
			mu.Lock()
			defer mu.Unlock()
			made++
			return &oauth2.Token{AccessToken: "t", Expiry: clock.Now().Add(14 * time.Minute)}, broken
		}, nil
	}
	ts, err := src.TokenSource(t.Context(), types.NamespacedName{Namespace: ns, Name: "mine"}, eks)
	if err != nil {
		t.Fatal(err)
	}
	expect := func(reason string, want int, ok bool) {
		t.Helper()
		if _, err := ts.Token(); (err == nil) != ok {
			t.Errorf("%s\nToken(): %v", reason, err)
		}
		if made != want {
			t.Errorf("%s\nwant %d tokens made, got %d", reason, want, made)
		}
	}

	wg := sync.WaitGroup{}
	for range 50 {
		wg.Go(func() {
			if _, err := ts.Token(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	expect("Many who ask at once get one token.", 1, true)
	clock.SetTime(clock.Now().Add(9 * time.Minute))
	expect("A token is kept.", 1, true)
	clock.SetTime(clock.Now().Add(90 * time.Second))
	expect("It is replaced early.", 2, true)

	broken = errors.New("no network")
	clock.SetTime(clock.Now().Add(11 * time.Minute))
	expect("While none can be made the old one is used.", 3, true)
	expect("The next try is not at once.", 3, true)
	clock.SetTime(clock.Now().Add(4 * time.Minute))
	expect("An old one is not used for ever.", 4, false)
	expect("A failure is not repeated at once.", 4, false)
	broken = nil
	clock.SetTime(clock.Now().Add(pause))
	expect("It is tried again.", 5, true)

	if err := c.Update(t.Context(), secret("aws", cloudtest.OtherKey.File())); err != nil {
		t.Fatal(err)
	}
	clock.SetTime(clock.Now().Add(resolveEvery))
	expect("Another key is another identity.", 6, true)
	if err := c.Delete(t.Context(), providerConfig("aws", v1alpha1.CredentialAWSAccessKey, v1alpha1.CredentialsSecret)); err != nil {
		t.Fatal(err)
	}
	clock.SetTime(clock.Now().Add(resolveEvery))
	expect("What is taken away is not used any more.", 6, false)
}

// TestRole assumes the role that a kubeconfig names with the ProviderConfig's key.
func TestRole(t *testing.T) {
	const arn = "arn:aws:iam::333333333333:role/admin"
	s := cloudtest.Start(t, cloudtest.Options{Roles: []cloudtest.Role{{ARN: arn, ExternalID: "tenant-7"}}})
	s.SetEnv(t)
	src, _ := newSource(t, false, access("prod", named("aws"), supplied("mine")),
		providerConfig("aws", v1alpha1.CredentialAWSAccessKey, v1alpha1.CredentialsSecret), secret("aws", cloudtest.DefaultKey.File()))
	get := func(externalID string) error {
		h := eks
		h.RoleARN, h.ExternalID = arn, externalID
		ts, err := src.TokenSource(t.Context(), types.NamespacedName{Namespace: ns, Name: "mine"}, h)
		if err != nil {
			t.Fatal(err)
		}
		_, err = ts.Token()
		return err
	}
	if err := get("tenant-7"); err != nil {
		t.Error(err)
	}
	if err := get("tenant-8"); !fault.Is(err, fault.Denied) {
		t.Errorf("Token(): want Denied, got %v", err)
	}
	if err := get("tenant-8"); err != nil && strings.Contains(err.Error(), cloudtest.DefaultKey.Secret) {
		t.Error("an error must hold no secret")
	}
}
