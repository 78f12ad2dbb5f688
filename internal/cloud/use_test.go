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
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

const (
	region  = "eu-central-1"
	testARN = "arn:aws:iam::123456789012:role/deploy/runner"
)

func resolve(t *testing.T, s v1alpha1.ProviderConfigSpec, value string) *Credentials {
	t.Helper()
	var objects []client.Object
	if value != "" {
		objects = append(objects, secret(ns, "cloud", map[string]string{"creds": value}))
	}
	c, err := Resolver{Reader: newClient(t, objects...), Namespace: home}.Resolve(t.Context(), s, ns)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFiles hands the files to an SDK as a run does, and asks who it is.
func TestFiles(t *testing.T) {
	s := cloudtest.Start(t, cloudtest.Options{Roles: []cloudtest.Role{{ARN: testARN, ExternalID: "tenant-7"}}})
	cases := map[string]struct {
		reason string
		spec   v1alpha1.ProviderConfigSpec
		want   string
	}{
		"AccessKey": {reason: "The profile has the key.", spec: spec(v1alpha1.CredentialAWSAccessKey, v1alpha1.CredentialsSecret), want: key.ARN()},
		"Role":      {reason: "The profile names the role.", spec: spec(v1alpha1.CredentialAWSAssumeRole, v1alpha1.CredentialsSecret), want: "arn:aws:sts::123456789012:assumed-role/runner/kubeopera"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := resolve(t, tc.spec, key.File())
			dir := t.TempDir()
			for f, data := range c.Files() {
				if err := os.WriteFile(filepath.Join(dir, f), FillInjected(data, os.Getenv), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s.SetEnv(t)
			for k, v := range c.Env(dir, region) {
				t.Setenv(k, v)
			}
			cfg, err := config.LoadDefaultConfig(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got, err := cfg.Credentials.Retrieve(t.Context()); err != nil || (c.Role != nil) != got.CanExpire {
				t.Errorf("%s\nA role's session must be renewable, got %v, %v", tc.reason, got.CanExpire, err)
			}
			who, err := sts.NewFromConfig(cfg).GetCallerIdentity(t.Context(), nil)
			if err != nil || *who.Arn != tc.want {
				t.Fatalf("%s\nGetCallerIdentity(): want %s, got %v, %v", tc.reason, tc.want, who, err)
			}
			// The same in this process.
			cfg, err = c.AWSConfig(t.Context(), region)
			if err != nil {
				t.Fatal(err)
			}
			who, err = sts.NewFromConfig(cfg).GetCallerIdentity(t.Context(), nil)
			if err != nil || *who.Arn != tc.want {
				t.Errorf("%s\nAWSConfig(): want %s, got %v, %v", tc.reason, tc.want, who, err)
			}
			for k, v := range c.Env(dir, region) {
				if strings.Contains(v, key.Secret) {
					t.Errorf("%s\n%s holds the secret", tc.reason, k)
				}
			}
		})
	}
}

func TestFillInjected(t *testing.T) {
	role := resolve(t, spec(v1alpha1.CredentialAWSAssumeRole, v1alpha1.CredentialsInjectedIdentity), "")
	head := "[profile kubeopera]\nrole_arn = " + testARN + "\nrole_session_name = kubeopera\nexternal_id = tenant-7\n"
	cases := map[string]struct {
		reason string
		config []byte
		env    map[string]string
		want   string
	}{
		"WebIdentity": {reason: "IRSA gives a token's file.", config: role.Files()[run.AWSConfigFile], env: map[string]string{"AWS_ROLE_ARN": "arn:pod", "AWS_WEB_IDENTITY_TOKEN_FILE": "/token"}, want: head + "source_profile = base\n\n[profile base]\nrole_arn = arn:pod\nweb_identity_token_file = /token\n"},
		"Container":   {reason: "Pod Identity gives an address.", config: role.Files()[run.AWSConfigFile], env: map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.170.23/v1"}, want: head + "credential_source = EcsContainer\n"},
		"Instance":    {reason: "Else it is the instance's.", config: role.Files()[run.AWSConfigFile], want: head + "credential_source = Ec2InstanceMetadata\n"},
		"Other":       {reason: "Others stay as they are.", config: []byte("[profile kubeopera]\n"), want: "[profile kubeopera]\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := FillInjected(tc.config, func(k string) string { return tc.env[k] })
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("%s\nFillInjected(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	if alone := resolve(t, spec(v1alpha1.CredentialAWSAccessKey, v1alpha1.CredentialsInjectedIdentity), ""); len(alone.Files()) != 0 || alone.Env("/x", region)["AWS_PROFILE"] != "" {
		t.Error("An identity without a role is the SDK's own default")
	}
}

func TestCheck(t *testing.T) {
	s := cloudtest.Start(t, cloudtest.Options{Roles: []cloudtest.Role{{ARN: testARN, ExternalID: "tenant-7"}}})
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	wrong := key
	wrong.Secret = "another-secret-access-key"
	nobody := cloudtest.Key{ID: "AKIANOBODY0000000000", Secret: key.Secret}
	badKey := cloudtest.New(cloudtest.Options{}).GCPKey(s.URL, "my-project")
	access, role, gcp := v1alpha1.CredentialAWSAccessKey, v1alpha1.CredentialAWSAssumeRole, v1alpha1.CredentialGCPServiceAccount
	otherID := func(p *v1alpha1.ProviderConfigSpec) { p.AWS.ExternalID = new("tenant-8") }
	from := " (Secret team-a/cloud key creds)"

	cases := map[string]struct {
		reason string
		spec   v1alpha1.ProviderConfigSpec
		value  string
		down   bool
		class  fault.Class
		msg    string
	}{
		"AccessKey":   {reason: "AWS knows the key.", spec: spec(access, v1alpha1.CredentialsSecret), value: key.File()},
		"Role":        {reason: "AWS lets the role be assumed.", spec: spec(role, v1alpha1.CredentialsSecret), value: key.File()},
		"GCP":         {reason: "Google Cloud gives a token.", spec: spec(gcp, v1alpha1.CredentialsSecret), value: string(s.GCPKey("my-project"))},
		"None":        {reason: "There is nothing to ask.", spec: spec(access, v1alpha1.CredentialsNone), down: true},
		"UnknownKey":  {reason: "A key that was deleted.", spec: spec(access, v1alpha1.CredentialsSecret), value: nobody.File(), class: fault.Denied, msg: "AWS refuses the access key: InvalidClientTokenId The security token included in the request is invalid." + from},
		"WrongSecret": {reason: "A secret of another key.", spec: spec(access, v1alpha1.CredentialsSecret), value: wrong.File(), class: fault.Denied, msg: "AWS refuses the access key: SignatureDoesNotMatch The request signature we calculated does not match the signature you provided." + from},
		"ExternalID":  {reason: "The role asks for another external ID.", spec: spec(role, v1alpha1.CredentialsSecret, otherID), value: key.File(), class: fault.Denied, msg: "AWS lets nobody assume the role with these credentials: AccessDenied User: arn:aws:iam::111111111111:user/kubeopera is not authorized to perform: sts:AssumeRole on resource: " + testARN + from},
		"GCPWrong":    {reason: "A key that was deleted.", spec: spec(gcp, v1alpha1.CredentialsSecret), value: string(badKey), class: fault.Denied, msg: "Google Cloud refuses the key: invalid_grant Invalid JWT Signature." + from},
		"Down":        {reason: "Nobody answers.", spec: spec(access, v1alpha1.CredentialsSecret), value: key.File(), down: true, class: fault.Unreachable, msg: "AWS does not answer: connect: connection refused"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s.SetEnv(t)
			if tc.down {
				t.Setenv("AWS_ENDPOINT_URL_STS", down.URL)
			}
			err := resolve(t, tc.spec, tc.value).Check(t.Context(), region)
			if tc.msg == "" {
				if err != nil {
					t.Errorf("%s\nCheck(): %v", tc.reason, err)
				}
				return
			}
			if err == nil || !fault.Is(err, tc.class) {
				t.Fatalf("%s\nCheck(): want class %s, got %v", tc.reason, tc.class, err)
			}
			if tc.down {
				if !strings.HasPrefix(err.Error(), "AWS does not answer: ") {
					t.Errorf("%s\nCheck(): got %v", tc.reason, err)
				}
				return
			}
			if diff := cmp.Diff(tc.msg, err.Error()); diff != "" {
				t.Errorf("%s\nCheck(): -want message, +got message:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDigest(t *testing.T) {
	a := resolve(t, spec(v1alpha1.CredentialAWSAccessKey, v1alpha1.CredentialsSecret), key.File())
	b := resolve(t, spec(v1alpha1.CredentialAWSAccessKey, v1alpha1.CredentialsSecret), cloudtest.OtherKey.File())
	r := resolve(t, spec(v1alpha1.CredentialAWSAssumeRole, v1alpha1.CredentialsSecret), key.File())
	if a.Digest() == b.Digest() || a.Digest() == r.Digest() {
		t.Error("Other credentials must have another digest")
	}
	if a.Digest() != resolve(t, spec(v1alpha1.CredentialAWSAccessKey, v1alpha1.CredentialsSecret), key.File()).Digest() {
		t.Error("The same credentials must have the same digest")
	}
}

// TestSilentGoogle fails if a server that does not answer is waited for without end.
func TestSilentGoogle(t *testing.T) {
	release := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(func() { close(release); silent.Close() })
	t.Setenv("STORAGE_EMULATOR_HOST", silent.URL)
	s := spec(v1alpha1.CredentialGCPServiceAccount, v1alpha1.CredentialsSecret)
	s.GCP = &v1alpha1.GCPSettings{Project: "my-project"}
	c := resolve(t, s, string(cloudtest.New(cloudtest.Options{}).GCPKey(silent.URL, "my-project")))

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err := make(chan error, 1)
	go func() { err <- c.Check(ctx, region) }()
	select {
	case err := <-err:
		if !fault.Is(err, fault.Unreachable) {
			t.Errorf("want class %s, got %v", fault.Unreachable, err)
		}
	case <-time.After(5 * time.Second):
		t.Error("the check does not end")
	}
}
