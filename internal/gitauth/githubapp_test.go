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

package gitauth_test

import (
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubeopera/provider-kubeopera/internal/fault"
	"github.com/kubeopera/provider-kubeopera/internal/gitauth"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/git"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/gittest"
)

// app is a Git server that takes the tokens of a stand-in for GitHub's API, and
// the Secret with the App's credentials.
func app(t *testing.T) (*gittest.GitHub, string, *corev1.Secret) {
	t.Helper()

	hub := gittest.ServeGitHub(t)
	srv := gittest.Serve(t, "main", map[string]string{"README.md": "theirs"})
	url := srv.StartTLS(t)
	srv.Auth("x-access-token", hub.Token)

	s := &corev1.Secret{Data: hub.Credentials()}
	s.Name = "git"
	s.Data["ca.crt"] = append(s.Data["ca.crt"], srv.Credentials()["ca.crt"]...)

	return hub, url, s
}

// push as a GitOpsEnvironment does.
func push(t *testing.T, apps *gitauth.Apps, s *corev1.Secret, url, content string) error {
	t.Helper()

	c, err := gitauth.FromSecret(s, url)
	if err != nil {
		return err
	}

	if c, err = apps.Resolve(t.Context(), c); err != nil {
		return err
	}

	r, err := git.New(git.Options{URL: url, Branch: "main", Path: "clusters/one", Credentials: c.Data, AuthorName: "a", AuthorEmail: "a@localhost"})
	if err != nil {
		return err
	}

	_, err = r.Write(t.Context(), func(*git.Snapshot) (*git.Change, error) {
		return &git.Change{Put: map[string][]byte{"a": []byte(content)}, Message: content}, nil
	})

	return err
}

func TestGitHubApp(t *testing.T) {
	hub, url, s := app(t)
	apps := gitauth.NewApps()

	for _, content := range []string{"first", "second"} {
		if err := push(t, apps, s, url, content); err != nil {
			t.Fatal(err)
		}
	}

	if n := hub.Tokens.Load(); n != 1 {
		t.Errorf("%d tokens were asked for instead of one", n)
	}

	// An App can also be named by who has installed it.
	delete(s.Data, "githubAppInstallationID")
	s.Data["githubAppInstallationOwner"] = []byte(gittest.Owner)

	if err := push(t, apps, s, url, "third"); err != nil {
		t.Fatal(err)
	}
}

func TestGitHubAppFails(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(hub *gittest.GitHub, s *corev1.Secret)
		class  fault.Class
		prefix string
	}{
		"OtherKey": {
			reason: "The key of another App.",
			change: func(_ *gittest.GitHub, s *corev1.Secret) {
				s.Data["githubAppPrivateKey"] = gittest.ServeGitHub(t).Credentials()["githubAppPrivateKey"]
			},
			class: fault.Denied, prefix: "GitHub App refused: check githubAppID and githubAppPrivateKey",
		},
		"NotInstalled": {
			reason: "An installation that there is not.",
			change: func(_ *gittest.GitHub, s *corev1.Secret) { s.Data["githubAppInstallationID"] = []byte("1") },
			class:  fault.Denied, prefix: "GitHub App not installed there",
		},
		"Suspended": {
			reason: "The owner has suspended it.",
			change: func(hub *gittest.GitHub, _ *corev1.Secret) { hub.Status.Store(http.StatusForbidden) },
			class:  fault.Denied, prefix: "GitHub App lacks rights, or is suspended",
		},
		"Down": {
			reason: "It may pass.",
			change: func(hub *gittest.GitHub, _ *corev1.Secret) { hub.Status.Store(http.StatusBadGateway) },
			class:  fault.Unreachable, prefix: "GitHub fails with status 502",
		},
		"Unreachable": {
			reason: "Nobody listens.",
			change: func(_ *gittest.GitHub, s *corev1.Secret) { s.Data["githubAppBaseURL"] = []byte("https://127.0.0.1:1") },
			class:  fault.Unreachable, prefix: "GitHub does not answer the GitHub App",
		},
		"UnknownCA": {
			reason: "An own GitHub with a private CA.",
			change: func(_ *gittest.GitHub, s *corev1.Secret) { delete(s.Data, "ca.crt") },
			class:  fault.Refused, prefix: "certificate of GitHub not trusted: put its CA into ca.crt",
		},
		"NoClientCertificate": {
			reason: "An own GitHub that asks for one.",
			change: func(hub *gittest.GitHub, _ *corev1.Secret) { hub.WantsCertificate.Store(true) },
			class:  fault.Denied, prefix: "client certificate missing or refused by GitHub: check tls.crt and tls.key of the Git credentials",
		},
		"NotAKey": {
			reason: "The public half, or a key of another kind.",
			change: func(_ *gittest.GitHub, s *corev1.Secret) { s.Data["githubAppPrivateKey"] = []byte("s3cret") },
			class:  fault.Refused, prefix: "Git credentials in Secret git: githubAppPrivateKey is not an RSA private key",
		},
		"PlainHTTP": {
			reason: "Anybody on the way could read the token.",
			change: func(_ *gittest.GitHub, s *corev1.Secret) {
				s.Data["githubAppBaseURL"] = []byte("http://github.example.com/api/v3")
			},
			class: fault.Refused, prefix: "Git credentials in Secret git: githubAppBaseURL must begin with https://",
		},
		"NotANumber": {
			reason: "The App's name instead of its ID.",
			change: func(_ *gittest.GitHub, s *corev1.Secret) { s.Data["githubAppID"] = []byte("my-app") },
			class:  fault.Refused, prefix: "Git credentials in Secret git: githubAppID and githubAppInstallationID are numbers",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			hub, url, s := app(t)
			tc.change(hub, s)

			err := push(t, gitauth.NewApps(), s, url, "a")
			if err == nil || fault.ClassOf(err) != tc.class || !strings.HasPrefix(err.Error(), tc.prefix) {
				t.Errorf("%s Got %s: %v", tc.reason, fault.ClassOf(err), err)
			}

			if err != nil && strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error holds a secret: %v", err)
			}
		})
	}
}
