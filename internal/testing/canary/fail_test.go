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

package canary

import (
	"bytes"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/fluxcd/pkg/ssh"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeopera/provider-kubeopera/apis/v1alpha1"
	"github.com/kubeopera/provider-kubeopera/internal/gitops/gittest"
	kt "github.com/kubeopera/provider-kubeopera/internal/testing"
)

// What is wrong below carries these.
const (
	badToken    = "token-canary-59217"
	badPassword = "password-canary-71345"
)

// fail makes everything go wrong that people and servers do wrong, waits until
// it is said, and returns the secrets that took part.
func (b *bed) fail() []secret {
	b.Helper()
	tokens, passwords := []string{}, []string{}
	for name, c := range b.badKubeconfigs() {
		b.supply("kubeconfig-"+name, map[string][]byte{v1alpha1.KubeconfigKey: []byte(c.text)})
		if kt.Find(c.text, badToken) != "" {
			tokens = append(tokens, team+"/kubeconfig-"+name)
		}
		if kt.Find(c.text, badPassword) != "" {
			passwords = append(passwords, team+"/kubeconfig-"+name)
		}
		b.failAccess(name, c.reason)
	}
	b.failBehind("kubeconfig-echo")

	secrets := b.failGit()
	for i := range secrets {
		if secrets[i].value == badPassword {
			secrets[i].at = append(secrets[i].at, passwords...)
		}
	}
	return append(secrets, secret{"a wrong token", badToken, tokens})
}

type badKubeconfig struct {
	reason xpv2.ConditionReason
	text   string
}

func (b *bed) badKubeconfigs() map[string]badKubeconfig {
	b.Helper()
	echo := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Warning", "299 - \"got "+r.Header.Get("Authorization")+"\"")
		http.Error(w, "cannot read "+r.Header.Get("Authorization"), http.StatusInternalServerError)
	}))
	b.Cleanup(echo.Close)
	redirect := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://"+r.Host+"/?"+r.Header.Get("Authorization"), http.StatusFound)
	}))
	b.Cleanup(redirect.Close)
	cert, _ := gittest.Certificate(b)
	ca := "certificate-authority-data: " + base64.StdEncoding.EncodeToString(cert)
	api := "server: " + b.cp.Config.Host
	skip := ", insecure-skip-tls-verify: true"
	token := "token: " + badToken

	return map[string]badKubeconfig{
		"unauthorized": {v1alpha1.ReasonDenied, write(api+skip, token)},
		"tls":          {v1alpha1.ReasonDenied, write(api+", "+ca, token)},
		"untrusted":    {v1alpha1.ReasonDenied, write(api, token)},
		"echo":         {v1alpha1.ReasonUnreachable, write("server: "+echo.URL+skip, token)},
		"redirect":     {v1alpha1.ReasonDenied, write("server: "+redirect.URL+skip, token)},
		"closed":       {v1alpha1.ReasonUnreachable, write("server: 'https://127.0.0.1:1'", token)},
		"dns":          {v1alpha1.ReasonUnreachable, write("server: 'https://api.invalid'", token)},
		"proxy":        {v1alpha1.ReasonUnreachable, write("server: 'https://api.invalid', proxy-url: 'http://u:"+badPassword+"@127.0.0.1:1'", token)},
		"exec":         {v1alpha1.ReasonRefused, write(api, "exec: {command: aws, args: ["+badToken+"], env: [{name: a, value: "+badPassword+"}]}")},
		"authprovider": {v1alpha1.ReasonRefused, write(api, "auth-provider: {name: gcp, config: {access-token: "+badToken+"}}")},
		"password":     {v1alpha1.ReasonRefused, write(api, "username: u, password: "+badPassword)},
		"url":          {v1alpha1.ReasonRefused, write("server: 'https://u:"+badPassword+"@a'", token)},
		"query":        {v1alpha1.ReasonRefused, write("server: 'https://a/?token="+badToken+"'", token)},
		"file":         {v1alpha1.ReasonRefused, write(api, "tokenFile: /etc/passwd, token: "+badToken)},
		"spaces":       {v1alpha1.ReasonRefused, write(api, "token: 'a "+badToken+"'")},
		"yaml":         {v1alpha1.ReasonRefused, write(api, "token: "+badToken+": "+badPassword)},
		"type":         {v1alpha1.ReasonRefused, write(api, "token: {a: "+badToken+"}")},
		"key":          {v1alpha1.ReasonRefused, write(api, "client-certificate-data: "+base64.StdEncoding.EncodeToString(cert)+", client-key-data: "+base64.StdEncoding.EncodeToString([]byte(badPassword)))},
		"text":         {v1alpha1.ReasonRefused, badToken},
	}
}

func write(cluster, user string) string {
	return fmt.Sprintf("kind: Config\ncontexts: [{name: a, context: {cluster: a, user: a}}]\nclusters: [{name: a, cluster: {%s}}]\nusers: [{name: a, user: {%s}}]\n", cluster, user)
}

// failAccess looks at a kubeconfig, alone and for a HostCluster.
func (b *bed) failAccess(name string, want xpv2.ConditionReason) {
	b.Helper()
	hc := b.hostCluster("bad-"+name, func(hc *v1alpha1.HostCluster) {
		secret := "kubeconfig-" + name
		hc.Spec.ConnectKubeconfigSecretRef = &secret
	})
	b.create(hc)
	ca := &v1alpha1.ClusterAccess{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: hc.GetName()}}
	b.reason(ca, want)
	if v1alpha1.IsTerminal(want) {
		b.phase(hc, v1alpha1.PhaseFailed)
	}
}

// failBehind lets the others work through a kubeconfig whose server gives its
// token away.
func (b *bed) failBehind(kubeconfig string) {
	b.Helper()
	ref := v1alpha1.SecretReference{Name: kubeconfig}
	meta := metav1.ObjectMeta{Namespace: team, Name: "behind"}

	fb := &v1alpha1.FluxBootstrap{ObjectMeta: meta}
	fb.Spec.ForProvider.KubeconfigSecretRef = ref
	b.create(fb)
	b.reason(fb, v1alpha1.ReasonUnreachable)

	ad := &v1alpha1.Administrator{ObjectMeta: meta}
	ad.Spec.ForProvider = v1alpha1.AdministratorParameters{KubeconfigSecretRef: ref, Email: "a@example.com", Username: "a"}
	b.create(ad)
	b.reason(ad, v1alpha1.ReasonUnreachable)

	ge := b.environment("behind", b.url, "git")
	ge.Spec.ForProvider.KubeconfigSecretRef = ref
	b.create(ge)
	b.reason(ge, v1alpha1.ReasonUnreachable)
}

// environment on the stored kubeconfig that is good.
func (b *bed) environment(name, repository, credentials string) *v1alpha1.GitOpsEnvironment {
	ge := &v1alpha1.GitOpsEnvironment{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: name}}
	ge.Spec.ForProvider = v1alpha1.GitOpsEnvironmentParameters{
		KubeconfigSecretRef: v1alpha1.SecretReference{Name: "input"},
		ClusterName:         name,
		Domain:              "a.example.com",
		Profile:             v1alpha1.ProfileMinimal,
		Git: v1alpha1.GitTree{
			Path: v1alpha1.GitPath("clusters/" + name),
			Git:  v1alpha1.Git{URL: v1alpha1.GitURL(repository), Branch: "main", CredentialsSecretRef: v1alpha1.SecretReference{Name: credentials}},
		},
	}
	return ge
}

// failGit writes to repositories that do not let us, and to one over ssh that does.
func (b *bed) failGit() []secret {
	b.Helper()
	basic := func(password string) map[string][]byte {
		c := b.git.Credentials()
		c["password"] = []byte(password)
		return c
	}
	echo := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		http.Error(w, "cannot take "+password+" of "+r.Header.Get("Authorization"), http.StatusForbidden)
	}))
	echo.StartTLS()
	b.Cleanup(echo.Close)
	echoed := basic(badPassword)
	echoed["ca.crt"] = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: echo.Certificate().Raw})
	bearer := map[string][]byte{"bearerToken": []byte(badPassword), "ca.crt": b.git.Credentials()["ca.crt"]}
	overSSH, known, identity := b.serveSSH()

	cases := map[string]struct {
		url    string
		data   map[string][]byte
		reason xpv2.ConditionReason
	}{
		"wrong":     {b.url, basic(badPassword), v1alpha1.ReasonDenied},
		"untrusted": {b.url, map[string][]byte{"username": []byte("u"), "password": []byte(badPassword)}, ""},
		"echo":      {echo.URL + "/a.git", echoed, ""},
		"plain":     {"http://127.0.0.1:1/a.git", basic(badPassword), v1alpha1.ReasonRefused},
		"bearer":    {b.url, bearer, ""},
		"nokey":     {overSSH, map[string][]byte{"identity": []byte(badPassword), "known_hosts": known}, v1alpha1.ReasonRefused},
		"pemkey":    {overSSH, map[string][]byte{"identity": []byte("-----BEGIN " + badPassword + "-----\nAAAA\n-----END " + badPassword + "-----"), "known_hosts": known}, v1alpha1.ReasonRefused},
		"nohost":    {overSSH, map[string][]byte{"identity": identity, "known_hosts": []byte("127.0.0.1 " + strings.Fields(string(known))[1] + " AAAAC3NzaC1lZDI1NTE5AAAAIJd0SHRe8WkBIVBTsIBGpb0dkY6o9cV4wPlRbP0n2vXq")}, ""},
		"ssh":       {overSSH, map[string][]byte{"identity": identity, "known_hosts": known}, xpv2.ReasonAvailable},
	}
	pw, id := secret{name: "a wrong password", value: badPassword}, secret{name: "the SSH key", value: strings.Split(string(identity), "\n")[1]}
	for name, tc := range cases {
		secretName := "git-" + name
		b.supply(secretName, tc.data)
		if strings.Contains(string(tc.data["password"])+string(tc.data["bearerToken"])+string(tc.data["identity"]), badPassword) {
			pw.at = append(pw.at, team+"/"+secretName)
		}
		if bytes.Equal(tc.data["identity"], identity) {
			id.at = append(id.at, team+"/"+secretName)
		}
		ge := b.environment(name, tc.url, secretName)
		b.create(ge)
		if tc.reason == "" {
			b.notReady(ge)
			continue
		}
		b.reason(ge, tc.reason)
	}
	return []secret{pw, id}
}

// serveSSH serves a repository of its own over ssh.
func (b *bed) serveSSH() (address string, known, identity []byte) {
	b.Helper()
	s := gittest.Serve(b, "main", map[string]string{"README.md": "theirs"})
	b.dirs = append(b.dirs, s.Dir)
	s.KeyDir(b.TempDir())
	s.Auth(gittest.Username, gittest.Password)
	b.must(s.ListenSSH())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.StartSSH() // It ends when the test does.
	}()
	b.Cleanup(func() {
		_ = s.StopSSH()
		<-done
	})
	key, err := ssh.NewEd25519Generator().Generate()
	b.must(err)
	u, err := url.Parse(s.SSHAddress())
	b.must(err)
	known, err = ssh.ScanHostKey(u.Host, 5*time.Second, nil, false)
	b.must(err)
	return s.SSHAddress() + "/" + gittest.Repository, known, key.PrivateKey
}
