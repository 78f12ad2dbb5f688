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
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
)

// hidden stands where a secret was.
const hidden = "[redacted]"

// minSecret is the shortest value that is looked for: shorter ones would hide
// half of the log.
const minSecret = 6

// secretShapes are what a secret of others looks like: nodes and clouds put
// theirs into the oddest messages.
var secretShapes = regexp.MustCompile(strings.Join([]string{
	`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`, // AWS access key id
	`k8s-aws-v1\.[\w-]+`,            // EKS token
	`\bya29\.[\w.-]+`,               // Google access token
	`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`,
	`\b[a-z0-9]{6}\.[a-z0-9]{16}\b`,                              // kubeadm token
	`(?i)X-Amz-(?:Signature|Security-Token|Credential)=[^&\s"]+`, // presigned URL
	`(?i)(?:certificate-key[= ]+)[0-9a-f]{64}`,                   // kubeadm certificate key
	`(?i)\bBearer [\w.~+/=-]{8,}`,                                // token
}, "|"))

// A redactor hides secrets.
type redactor struct{ values *strings.Replacer }

// newRedactor hides values, and whatever looks like a secret.
func newRedactor(values []string) *redactor {
	var forms []string
	for _, v := range values {
		forms = append(forms, formsOf(v)...)
	}
	// The longest first: one value may be part of another.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(forms))
	for _, f := range slices.Compact(forms) {
		pairs = append(pairs, f, hidden)
	}
	return &redactor{values: strings.NewReplacer(pairs...)}
}

// formsOf returns a value as messages show it: as it is, in JSON, in a URL, in
// base64, and line by line.
func formsOf(v string) []string {
	v = strings.TrimSpace(v)
	if len(v) < minSecret {
		return nil
	}
	forms := []string{v, url.QueryEscape(v), base64.StdEncoding.EncodeToString([]byte(v))}
	if quoted, err := json.Marshal(v); err == nil {
		forms = append(forms, string(quoted[1:len(quoted)-1]))
	}
	for line := range strings.Lines(v) {
		if line = strings.TrimSpace(line); len(line) >= 2*minSecret && !strings.HasPrefix(line, "-----") {
			forms = append(forms, line)
		}
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// Redact returns a text without secrets.
func (r *redactor) Redact(s string) string {
	return secretShapes.ReplaceAllString(r.values.Replace(s), hidden)
}

// SecretsIn returns the secret values of the credentials' files that the
// environment names, each in the SDKs' own words. A file that is not there has none.
func SecretsIn(getenv func(string) string) []string {
	var out []string
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"} {
		if v := getenv(name); v != "" {
			out = append(out, v)
		}
	}
	for _, name := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		if data, err := os.ReadFile(getenv(name)); err == nil {
			out = append(out, iniSecrets(data)...)
		}
	}
	if data, err := os.ReadFile(getenv("GOOGLE_APPLICATION_CREDENTIALS")); err == nil {
		out = append(out, jsonSecrets(data)...)
	}
	return out
}

// iniSecrets returns the keys of an AWS configuration or credentials file.
func iniSecrets(data []byte) []string {
	var out []string
	s := bufio.NewScanner(bytes.NewReader(data))
	for s.Scan() {
		name, value, ok := strings.Cut(s.Text(), "=")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "aws_access_key_id", "aws_secret_access_key", "aws_session_token":
			if ok {
				out = append(out, strings.TrimSpace(value))
			}
		}
	}
	return out
}

// jsonSecrets returns the keys of a Google credentials file.
func jsonSecrets(data []byte) []string {
	var key struct {
		PrivateKey   string `json:"private_key"`
		PrivateKeyID string `json:"private_key_id"`
		ClientSecret string `json:"client_secret"`
		RefreshToken string `json:"refresh_token"`
	}
	if json.Unmarshal(data, &key) != nil {
		return nil
	}
	var out []string
	for _, v := range []string{key.PrivateKey, key.PrivateKeyID, key.ClientSecret, key.RefreshToken} {
		if v != "" {
			out = append(out, v)
		}
	}
	return out
}
