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
	"fmt"
	"path/filepath"
	"strings"

	"github.com/kubeopera/provider-kubeopera/internal/terraform/run"
)

// Profiles of the files: the keys that a role is assumed with, and the place of
// the identity that a pod is given, which only the pod itself knows.
const (
	baseProfile = "base"
	injected    = "source_profile = injected\n"
)

// Files are the credentials for a Terraform run, by the names that package run
// gives them. A role is named, not assumed: every SDK renews the session by
// itself, however long a run takes.
func (c *Credentials) Files() map[string][]byte {
	switch {
	case !c.AWS() && len(c.account) > 0:
		return map[string][]byte{run.GCPCredentialsFile: c.account}
	case !c.AWS() || c.None():
		return map[string][]byte{}
	case c.Role == nil && c.Injected():
		return map[string][]byte{}
	case c.Role == nil:
		return map[string][]byte{
			run.AWSConfigFile:      []byte("[profile " + run.AWSProfile + "]\n"),
			run.AWSCredentialsFile: c.key.profile(run.AWSProfile),
		}
	}

	config := &strings.Builder{}
	fmt.Fprintf(config, "[profile %s]\nrole_arn = %s\nrole_session_name = %s\n", run.AWSProfile, c.Role.ARN, c.Role.Session)
	if c.Role.ExternalID != "" {
		fmt.Fprintf(config, "external_id = %s\n", c.Role.ExternalID)
	}
	if c.Injected() {
		config.WriteString(injected)
		return map[string][]byte{run.AWSConfigFile: []byte(config.String())}
	}
	fmt.Fprintf(config, "source_profile = %s\n", baseProfile)
	return map[string][]byte{
		run.AWSConfigFile:      []byte(config.String()),
		run.AWSCredentialsFile: c.key.profile(baseProfile),
	}
}

// profile is a key in the form of a shared credentials file.
func (k accessKey) profile(name string) []byte {
	return fmt.Appendf(nil, "[%s]\naws_access_key_id = %s\naws_secret_access_key = %s\n", name, k.ID, k.Secret)
}

// Env is the environment that goes with Files once they are in a directory. It
// holds no secret.
func (c *Credentials) Env(dir, region string) map[string]string {
	if !c.AWS() {
		env := map[string]string{"GOOGLE_PROJECT": c.Project}
		if len(c.account) > 0 {
			env["GOOGLE_APPLICATION_CREDENTIALS"] = filepath.Join(dir, run.GCPCredentialsFile)
		}
		return env
	}

	env := map[string]string{"AWS_REGION": region, "AWS_SDK_LOAD_CONFIG": "1"}
	files := c.Files()
	if _, ok := files[run.AWSConfigFile]; ok {
		env["AWS_CONFIG_FILE"] = filepath.Join(dir, run.AWSConfigFile)
		env["AWS_PROFILE"] = run.AWSProfile
	}
	if _, ok := files[run.AWSCredentialsFile]; ok {
		env["AWS_SHARED_CREDENTIALS_FILE"] = filepath.Join(dir, run.AWSCredentialsFile)
	}
	if !c.Injected() {
		// The machine's own identity is never used in place of a missing key.
		env["AWS_EC2_METADATA_DISABLED"] = "true"
	}
	return env
}

// InjectedEnv are the names of variables that lead SDKs to the identity that
// the cloud gives to a pod. Whoever starts a run as a child process with an
// injected identity passes them on; a Job's pod has its own.
func InjectedEnv() []string {
	return []string{
		"AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_SESSION_NAME",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_AUTHORIZATION_TOKEN", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
		"GOOGLE_APPLICATION_CREDENTIALS", "GCE_METADATA_HOST",
	}
}

// FillInjected completes an AWS configuration where its pod's identity is
// known: the pod says with its environment how it gets one (web identity, a
// container's, or else the instance's). Other configurations stay as they are.
func FillInjected(config []byte, getenv func(string) string) []byte {
	text := string(config)
	source := "credential_source = Ec2InstanceMetadata\n"
	after := ""
	switch {
	case getenv("AWS_WEB_IDENTITY_TOKEN_FILE") != "":
		source = "source_profile = " + baseProfile + "\n"
		after = fmt.Sprintf("\n[profile %s]\nrole_arn = %s\nweb_identity_token_file = %s\n", baseProfile, getenv("AWS_ROLE_ARN"), getenv("AWS_WEB_IDENTITY_TOKEN_FILE"))
	case getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI") != "" || getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") != "":
		source = "credential_source = EcsContainer\n"
	}
	if !strings.Contains(text, injected) {
		return config
	}
	return []byte(strings.Replace(text, injected, source, 1) + after)
}
