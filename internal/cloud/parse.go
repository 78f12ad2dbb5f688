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
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/url"
	"os"
	"regexp"
	"strings"
	"unicode"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// googleTokenURI is where Google gives out tokens for service accounts' keys.
const googleTokenURI = "https://oauth2.googleapis.com/token"

// accessKeyID is the form of an access key's id.
var accessKeyID = regexp.MustCompile(`^[A-Z0-9]{16,128}$`)

// parseAccessKey reads an access key in the form of AWS's shared credentials
// file. The errors say what to do and hold nothing of the input.
func parseAccessKey(data []byte) (accessKey, error) {
	profile, err := defaultProfile(data)
	if err != nil {
		return accessKey{}, err
	}
	k := accessKey{ID: profile["aws_access_key_id"], Secret: profile["aws_secret_access_key"]}
	switch {
	case k.ID == "":
		return accessKey{}, errors.New("has no aws_access_key_id below [default]")
	case k.Secret == "":
		return accessKey{}, errors.New("has no aws_secret_access_key below [default]")
	case profile["aws_session_token"] != "":
		return accessKey{}, errors.New("has an aws_session_token, which ends during a run: give a long-term key, or use AWSAssumeRole")
	case !accessKeyID.MatchString(k.ID):
		return accessKey{}, errors.New("has a malformed aws_access_key_id: 16 or more capital letters and digits, no quotes")
	case strings.HasPrefix(k.ID, "ASIA"):
		return accessKey{}, errors.New("has a temporary access key, which ends during a run: give a long-term key, or use AWSAssumeRole")
	case len(k.Secret) < 16 || strings.ContainsFunc(k.Secret, func(r rune) bool { return unicode.IsSpace(r) || r == '"' || r == '\'' || r > unicode.MaxASCII }):
		return accessKey{}, errors.New("has a malformed aws_secret_access_key: no blanks, no quotes")
	}
	return k, nil
}

// defaultProfile reads the profile [default] of a shared credentials file.
func defaultProfile(data []byte) (map[string]string, error) {
	text := strings.TrimSpace(string(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	if strings.HasPrefix(text, "{") {
		return nil, errors.New("is JSON: AWS credentials read [default], aws_access_key_id = …, aws_secret_access_key = …")
	}
	var out, current map[string]string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if name, ok := strings.CutPrefix(line, "["); ok {
			current = nil
			if strings.TrimSpace(strings.TrimSuffix(name, "]")) == "default" {
				if out != nil {
					return nil, errors.New("has the profile [default] twice")
				}
				out = map[string]string{}
				current = out
			}
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, errors.New("has a line that is neither a [profile] nor name = value")
		}
		if current != nil {
			current[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(value)
		}
	}
	if out == nil {
		return nil, errors.New("has no profile [default]: put [default] above aws_access_key_id and aws_secret_access_key")
	}
	return out, nil
}

// serviceAccount is what is read of a service account's key.
type serviceAccount struct {
	Type         string `json:"type"`
	ClientEmail  string `json:"client_email"`
	PrivateKey   string `json:"private_key"`
	PrivateKeyID string `json:"private_key_id"`
	TokenURI     string `json:"token_uri"`
}

// parseServiceAccount checks a service account's key in JSON. Other kinds of
// Google's credentials are refused: they name commands to run, files to read
// and addresses to call.
func parseServiceAccount(data []byte) ([]byte, error) {
	k := serviceAccount{}
	if err := json.Unmarshal(data, &k); err != nil {
		return nil, errors.New("is not JSON: put the service account's key file there")
	}
	switch {
	case k.Type != "service_account":
		return nil, errors.New("is no service account's key: its type must be service_account")
	case k.ClientEmail == "":
		return nil, errors.New("has no client_email: put the whole key file there")
	case k.PrivateKey == "":
		return nil, errors.New("has no private_key: put the whole key file there")
	case !isPrivateKey(k.PrivateKey):
		return nil, errors.New("has a malformed private_key: put the key file there as it was downloaded")
	case k.TokenURI != "" && k.TokenURI != googleTokenURI && !isEmulator(k.TokenURI):
		return nil, errors.New("has another token_uri than Google's: put the key file there as it was downloaded")
	}
	return data, nil
}

func isPrivateKey(text string) bool {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return false
	}
	if _, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		return true
	}
	_, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	return err == nil
}

// isEmulator tells whether an address is on the emulator that the whole process
// was told to use instead of Google Cloud.
func isEmulator(address string) bool {
	emulator, err := url.Parse(os.Getenv("STORAGE_EMULATOR_HOST"))
	if err != nil || emulator.Host == "" {
		return false
	}
	u, err := url.Parse(address)
	return err == nil && u.Host == emulator.Host
}
