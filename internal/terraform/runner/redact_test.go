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

package runner

import (
	"encoding/base64"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRedact(t *testing.T) {
	const key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCY"
	const pem = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n"
	r := newRedactor([]string{key, pem, "short"})
	cases := map[string]struct{ reason, text, want string }{
		"Value":     {"A secret goes.", "key " + key + "!", "key [redacted]!"},
		"URL":       {"In a URL, too.", "x=" + url.QueryEscape(key), "x=[redacted]"},
		"Base64":    {"In base64, too.", base64.StdEncoding.EncodeToString([]byte(key)), "[redacted]"},
		"JSON":      {"In JSON a key has no line ends.", `"` + strings.ReplaceAll(strings.TrimSpace(pem), "\n", `\n`) + `"`, `"[redacted]"`},
		"Line":      {"A line of a key is a secret, too.", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "[redacted]"},
		"Short":     {"What is too short to be a secret stays.", "a short text", "a short text"},
		"AccessKey": {"Keys of others have a shape.", "user AKIAIOSFODNN7EXAMPLE", "user [redacted]"},
		"Kubeadm":   {"A join token has a shape.", "--token abcdef.0123456789abcdef --x", "--token [redacted] --x"},
		"EKS":       {"A token has a shape.", "k8s-aws-v1.aHR0cHM6Ly9zdHM", "[redacted]"},
		"Signature": {"So has a signed URL.", "https://sts/?X-Amz-Signature=ab12&a=b", "https://sts/?[redacted]&a=b"},
		"OtherKey":  {"Any private key goes.", "-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- after", "[redacted] after"},
		"Plain":     {"All else stays.", "aws_vpc.main: Creating... [id=vpc-0123456789abcdef0]", "aws_vpc.main: Creating... [id=vpc-0123456789abcdef0]"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, r.Redact(tc.text)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSecretsIn(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	env := map[string]string{
		"AWS_CONFIG_FILE":                write("config", "[profile kubeopera]\nrole_arn = arn:aws:iam::1:role/x\n"),
		"AWS_SHARED_CREDENTIALS_FILE":    write("credentials", "[base]\naws_access_key_id = AKIA1\nAWS_SECRET_ACCESS_KEY=a=b\n"),
		"GOOGLE_APPLICATION_CREDENTIALS": write("gcp.json", `{"type":"service_account","private_key":"pk","private_key_id":"id"}`),
	}
	got := SecretsIn(func(name string) string { return env[name] })
	if diff := cmp.Diff([]string{"AKIA1", "a=b", "pk", "id"}, got); diff != "" {
		t.Errorf("SecretsIn(): -want, +got:\n%s", diff)
	}
}
