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

package kubeconfig

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"unicode/utf8"

	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// file is a kubeconfig as it is written. The base64 fields stay strings, so
// that only those of the context in use are decoded, and a mistake can be
// named. A test holds its fields against client-go's: one that client-go adds
// must be looked at here.
type file struct {
	APIVersion     string    `json:"apiVersion"`
	Kind           string    `json:"kind"`
	Clusters       []cluster `json:"clusters"`
	Users          []user    `json:"users"`
	Contexts       []ctx     `json:"contexts"`
	CurrentContext string    `json:"current-context"`
}

type ctx struct {
	Name    string         `json:"name"`
	Context contextDetails `json:"context"`
}

type contextDetails struct {
	Cluster string `json:"cluster"`
	User    string `json:"user"`
}

type cluster struct {
	Name    string         `json:"name"`
	Cluster clusterDetails `json:"cluster"`
}

type clusterDetails struct {
	Server                   string `json:"server"`
	TLSServerName            string `json:"tls-server-name"`
	InsecureSkipTLSVerify    bool   `json:"insecure-skip-tls-verify"`
	CertificateAuthority     string `json:"certificate-authority"`
	CertificateAuthorityData string `json:"certificate-authority-data"`
	ProxyURL                 string `json:"proxy-url"`
	DisableCompression       bool   `json:"disable-compression"`
}

type user struct {
	Name string      `json:"name"`
	User userDetails `json:"user"`
}

type userDetails struct {
	ClientCertificate     string              `json:"client-certificate"`
	ClientCertificateData string              `json:"client-certificate-data"`
	ClientKey             string              `json:"client-key"`
	ClientKeyData         string              `json:"client-key-data"`
	Token                 string              `json:"token"`
	TokenFile             string              `json:"tokenFile"`
	Impersonate           string              `json:"as"`
	ImpersonateUID        string              `json:"as-uid"`
	ImpersonateGroups     []string            `json:"as-groups"`
	ImpersonateUserExtra  map[string][]string `json:"as-user-extra"`
	Username              string              `json:"username"`
	Password              string              `json:"password"`
	AuthProvider          *authProvider       `json:"auth-provider"`
	Exec                  *execPlugin         `json:"exec"`
}

type authProvider struct {
	Name string `json:"name"`
}

type execPlugin struct {
	APIVersion      string    `json:"apiVersion"`
	InteractiveMode string    `json:"interactiveMode"`
	Command         string    `json:"command"`
	Args            []string  `json:"args"`
	Env             []execEnv `json:"env"`
}

type execEnv struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// line finds the line number in a YAML error; the rest of such an error may
// quote the input and is never shown.
var line = regexp.MustCompile(`line \d+`)

// read decodes the text of a kubeconfig, without looking at what it means.
func read(data []byte) (*file, error) {
	if err := checkText(data); err != nil {
		return nil, err
	}

	asJSON, err := yaml.YAMLToJSON(data)
	if err != nil {
		return nil, errors.Errorf("not a kubeconfig: %s is not valid YAML", orText(line.FindString(err.Error()), "the text"))
	}
	if !bytes.HasPrefix(asJSON, []byte("{")) {
		return nil, notAnObject(data)
	}

	f := &file{}
	// Case-sensitive, as client-go is: another spelling of a field is another field.
	if err := kjson.UnmarshalCaseSensitivePreserveInts(asJSON, f); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			return nil, errors.Errorf("not a kubeconfig: the field %s has the wrong type", short(wrong.Field))
		}
		return nil, errors.New("not a kubeconfig: a field has the wrong type")
	}

	if f.Kind != "" && f.Kind != "Config" {
		return nil, errors.Errorf("not a kubeconfig: its kind is %s instead of Config", quote(f.Kind))
	}
	if f.APIVersion != "" && f.APIVersion != "v1" {
		return nil, errors.Errorf("not a kubeconfig: its apiVersion is %s instead of v1", quote(f.APIVersion))
	}
	return f, nil
}

func checkText(data []byte) error {
	switch {
	case len(data) > MaxSize:
		return errors.Errorf("kubeconfig is too large: %d bytes, and %d are allowed; keep one context with: kubectl config view --minify --flatten", len(data), MaxSize)
	case len(bytes.TrimSpace(data)) == 0:
		return errors.New("kubeconfig is empty: store its text under the key kubeconfig of the Secret")
	case !utf8.Valid(data) || bytes.ContainsRune(data, 0):
		return errors.New("not a kubeconfig: it is not UTF-8 text; save the file as UTF-8 and store it again")
	default:
		return nil
	}
}

// notAnObject says what a text is that is YAML, but no YAML object.
func notAnObject(data []byte) error {
	joined := bytes.Join(bytes.Fields(data), nil)
	plain, err := base64.StdEncoding.DecodeString(string(joined))
	if err == nil && bytes.Contains(plain, []byte("clusters")) {
		return errors.New("kubeconfig is base64-encoded twice: store its plain text under stringData, or encode it once under data")
	}
	return errors.New("not a kubeconfig: it is not a YAML object with clusters, users and contexts")
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
