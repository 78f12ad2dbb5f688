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

package ekstoken

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	authenticator "sigs.k8s.io/aws-iam-authenticator/pkg/token"

	"github.com/kubeopera/provider-kubeopera/internal/cloud/aws/assume"
	"github.com/kubeopera/provider-kubeopera/internal/cloud/cloudtest"
)

const (
	region  = "eu-central-1"
	roleARN = "arn:aws:iam::333333333333:role/admins/eks"
)

// stsAt lets every name of STS lead to a local server for the test. It keeps
// the default transport's place, which the verifier uses.
func stsAt(t *testing.T, h http.Handler) {
	t.Helper()
	s := httptest.NewTLSServer(h)
	t.Cleanup(s.Close)
	transport := s.Client().Transport.(*http.Transport).Clone()
	transport.TLSClientConfig.InsecureSkipVerify = true
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
	}
	before := http.DefaultTransport
	http.DefaultTransport = transport
	t.Cleanup(func() { http.DefaultTransport = before })
}

func config(url string, k cloudtest.Key) aws.Config {
	return aws.Config{Region: region, BaseEndpoint: aws.String(url), Credentials: credentials.NewStaticCredentialsProvider(k.ID, k.Secret, "")}
}

// TestVerifier shows a token to the code that EKS itself verifies tokens with.
func TestVerifier(t *testing.T) {
	s := cloudtest.Start(t, cloudtest.Options{Roles: []cloudtest.Role{{ARN: roleARN, ExternalID: "tenant-7"}}})
	stsAt(t, s.Handler())
	wrong := cloudtest.DefaultKey
	wrong.Secret = "another"
	withRole := config(s.URL, cloudtest.DefaultKey)
	withRole.Credentials = assume.Credentials(withRole, assume.Role{ARN: roleARN, ExternalID: "tenant-7"})

	cases := map[string]struct {
		reason  string
		cfg     aws.Config
		cluster string
		want    string
	}{
		"User":         {reason: "EKS knows the user by the token.", cfg: config(s.URL, cloudtest.DefaultKey), cluster: "prod", want: cloudtest.DefaultKey.ARN()},
		"Role":         {reason: "EKS knows the role by the token.", cfg: withRole, cluster: "prod", want: "arn:aws:sts::333333333333:assumed-role/eks/kubeopera"},
		"OtherCluster": {reason: "A token is good for one cluster.", cfg: config(s.URL, cloudtest.DefaultKey), cluster: "dev"},
		"WrongSecret":  {reason: "STS verifies the signature.", cfg: config(s.URL, wrong), cluster: "prod"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := time.Now()
			tok, err := Presign(t.Context(), tc.cfg, tc.cluster)
			if err != nil {
				t.Fatalf("%s\nPresign(): %v", tc.reason, err)
			}
			if left := tok.Expires.Sub(before).Round(time.Minute); left != 14*time.Minute {
				t.Errorf("%s\nPresign(): want 14 minutes, got %s", tc.reason, left)
			}
			id, err := authenticator.NewVerifier("prod", "aws", region).Verify(tok.Value)
			if tc.want == "" {
				if err == nil {
					t.Errorf("%s\nVerify(): want an error, got %v", tc.reason, id)
				}
				return
			}
			if err != nil || id.ARN != tc.want {
				t.Errorf("%s\nVerify(): want %s, got %v, %v", tc.reason, tc.want, id, err)
			}
		})
	}
}

func TestSessionThatEnds(t *testing.T) {
	end := time.Now().Add(3 * time.Minute).Truncate(time.Second)
	cfg := aws.Config{Region: region, Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "ASIA", SecretAccessKey: "x", SessionToken: "y", CanExpire: true, Expires: end}, nil
	})}
	tok, err := Presign(t.Context(), cfg, "prod")
	if err != nil || !tok.Expires.Equal(end) {
		t.Errorf("A token must not outlive its session: want %s, got %s, %v", end, tok.Expires, err)
	}
}
