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
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	clientcmdv1 "k8s.io/client-go/tools/clientcmd/api/v1"
)

// secret is in every refused input that has room for one. No message may hold it.
const secret = "s3cr3t-canary"

func TestParseRefuses(t *testing.T) {
	cert, key := pair(t, now.AddDate(1, 0, 0))
	_, otherKey := pair(t, now.AddDate(1, 0, 0))
	b64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	good := with(server, "token: "+secret)
	exec := func(lines string) string {
		return with(server, "exec:\n  apiVersion: client.authentication.k8s.io/v1\n  interactiveMode: Never\n  "+strings.ReplaceAll(lines, "\n", "\n  "))
	}

	explained := documented(t)

	cases := map[string]struct {
		reason string
		in     string
		want   string
	}{
		"Empty":               {"An empty Secret is the commonest mistake", " \n", "kubeconfig is empty: store its text under the key kubeconfig of the Secret"},
		"TooLarge":            {"Nothing larger than the limit is even decoded", good + strings.Repeat("#", MaxSize), "kubeconfig is too large: 524530 bytes, and 524288 are allowed; keep one context with: kubectl config view --minify --flatten"},
		"UTF16":               {"PowerShell writes UTF-16", string(utf16Bytes(good)), "not a kubeconfig: it is not UTF-8 text; save the file as UTF-8 and store it again"},
		"Binary":              {"A NUL is in no text", "a: b\x00", "not a kubeconfig: it is not UTF-8 text; save the file as UTF-8 and store it again"},
		"NotYAML":             {"The YAML error is not shown, its line is", "users:\n- token: " + secret + ": x\n  y", "not a kubeconfig: line 2 is not valid YAML"},
		"Scalar":              {"A path instead of the content", "~/.kube/config", "not a kubeconfig: it is not a YAML object with clusters, users and contexts"},
		"List":                {"A list is no kubeconfig", "- a\n- b", "not a kubeconfig: it is not a YAML object with clusters, users and contexts"},
		"TwiceEncoded":        {"base64 under stringData", b64(good), "kubeconfig is base64-encoded twice: store its plain text under stringData, or encode it once under data"},
		"WrongKind":           {"The manifest of the Secret instead of its content", "apiVersion: v1\nkind: Secret\nstringData: {kubeconfig: " + secret + "}", `not a kubeconfig: its kind is "Secret" instead of Config`},
		"WrongVersion":        {"Nobody knows another version", "apiVersion: v2\nkind: Config", `not a kubeconfig: its apiVersion is "v2" instead of v1`},
		"WrongType":           {"The field is named, its value is not", strings.Replace(good, "token: "+secret, "token: {a: "+secret+"}", 1), "not a kubeconfig: the field users.user.token has the wrong type"},
		"NoContext":           {"Nothing to use", "kind: Config", "kubeconfig has no context: it needs one that names a cluster and a user"},
		"SeveralContexts":     {"We do not guess", strings.Replace(strings.Replace(good, "current-context: main\n", "", 1), "contexts:\n", "contexts:\n- {name: b, context: {cluster: prod, user: admin}}\n", 1), "kubeconfig has 2 contexts and no current-context: choose one with: kubectl config use-context"},
		"CurrentMissing":      {"As kubectl refuses it", strings.Replace(good, "current-context: main", "current-context: gone", 1), `current-context names no context: there is none called "gone"`},
		"ContextTwice":        {"Which one is meant is not known", strings.Replace(good, "contexts:\n", "contexts:\n- {name: main, context: {cluster: b, user: b}}\n", 1), `kubeconfig has 2 contexts of one name: "main"`},
		"ContextNoCluster":    {"A context has to name a cluster", strings.Replace(good, "cluster: prod, ", "", 1), `context names no cluster: add one to the context "main"`},
		"ContextNoUser":       {"A context has to name a user", strings.Replace(good, ", user: admin", "", 1), `context names no user: add one to the context "main"`},
		"ClusterMissing":      {"A context may name what is not there", strings.Replace(good, "cluster: prod", "cluster: gone", 1), `kubeconfig lacks the cluster "gone" that the context "main" names`},
		"UserMissing":         {"A context may name what is not there", strings.Replace(good, "user: admin", "user: gone", 1), `kubeconfig lacks the user "gone" that the context "main" names`},
		"UserTwice":           {"Whose token is meant is not known", good + "- name: admin\n  user: {token: x}\n", `kubeconfig has 2 users of one name: "admin"`},
		"NoServer":            {"A cluster has to have an address", with("insecure-skip-tls-verify: true", "token: "+secret), `server is missing: the cluster "prod" needs the URL of its API server`},
		"ServerNoScheme":      {"Without a scheme nobody knows whether TLS is meant", with("server: api.example.com:6443", "token: "+secret), `server does not start with https://: write it like https://host:6443 (cluster "prod")`},
		"ServerOtherScheme":   {"Only http and https lead to an API server", with("server: file:///etc/shadow", "token: "+secret), `server does not start with https://: write it like https://host:6443 (cluster "prod")`},
		"ServerNoURL":         {"The parser's error would quote the URL", with("server: https://a:"+secret+"%zz@b", "token: x"), `server is not a URL: it looks like https://host:6443 (cluster "prod")`},
		"ServerNoHost":        {"A port alone is no address", with("server: https://:6443", "token: "+secret), `server names no host: write it like https://host:6443 (cluster "prod")`},
		"ServerPort":          {"Ports end at 65535", with("server: https://a:66443", "token: "+secret), `server has an impossible port: write it like https://host:6443 (cluster "prod")`},
		"ServerPassword":      {"A URL is shown in status and logs", with("server: https://admin:"+secret+"@a", "token: x"), `server holds a user or password: put credentials into the user instead (cluster "prod")`},
		"ServerQuery":         {"A query may hold a token, too", with("server: https://a/?token="+secret, "token: x"), `server has a query or fragment: keep only https://host:port/path (cluster "prod")`},
		"ServerTooLong":       {"It has to fit into a status", with("server: https://a/"+strings.Repeat("b", 2048), "token: x"), `server is too long: 2058 characters, and 2048 are allowed (cluster "prod")`},
		"CAFile":              {"No file is read", with(server+"\ncertificate-authority: /etc/ca.crt", "token: "+secret), `certificate-authority is a file path, and no file is read: put the certificate inline (cluster "prod"; kubectl config view --flatten does it)`},
		"CAAndInsecure":       {"One of them is a mistake", with(server+"\ninsecure-skip-tls-verify: true\ncertificate-authority-data: "+cert, "token: "+secret), `both a CA and insecure-skip-tls-verify are set: remove one of them (cluster "prod")`},
		"CANotBase64":         {"PEM where base64 belongs", with(server+"\ncertificate-authority-data: '----'", "token: "+secret), "certificate-authority-data is not base64: encode the PEM text once"},
		"CANotPEM":            {"Base64 of something else", with(server+"\ncertificate-authority-data: "+b64("hello"), "token: "+secret), `certificate-authority-data holds no PEM certificate (cluster "prod")`},
		"ProxyScheme":         {"Others are not supported by client-go either", with(server+"\nproxy-url: ftp://p:"+secret+"@a", "token: x"), `proxy-url has the scheme "ftp": http, https and socks5 are supported`},
		"ProxyNoURL":          {"A proxy's password is not shown", with(server+"\nproxy-url: 'p:"+secret+"@a:3128'", "token: x"), "proxy-url is not a URL: it looks like http://host:3128"},
		"NoCredentials":       {"Anonymous is never enough", with(server, "as: ''"), `user "admin" has no credentials: add a token or a client certificate`},
		"Password":            {"Kubernetes knows no basic authentication", with(server, "username: admin\npassword: "+secret), `username and password are refused: Kubernetes removed them; use a token or a client certificate (user "admin")`},
		"CertificateFile":     {"No file is read", with(server, "client-certificate: /a.crt\nclient-key: /a.key"), `client-certificate is a file path, and no file is read: put its content inline (user "admin"; kubectl config view --flatten does it)`},
		"KeyFile":             {"No file is read, even beside inline data", with(server, "client-key: /a.key\ntoken: "+secret), `client-key is a file path, and no file is read: put its content inline (user "admin"; kubectl config view --flatten does it)`},
		"TokenFile":           {"No file is read", with(server, "tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token"), `tokenFile is a file path, and no file is read: put its content inline (user "admin"; kubectl config view --flatten does it)`},
		"AuthProvider":        {"Removed from Kubernetes in 1.26", with(server, "auth-provider:\n  name: gcp\n  config: {access-token: "+secret+"}"), `auth-provider "gcp" is refused: Kubernetes removed them; use a token or a client certificate (user "admin")`},
		"CertificateAlone":    {"A certificate needs its key", with(server, "client-certificate-data: "+cert), `client-key-data is missing beside client-certificate-data (user "admin")`},
		"KeyAlone":            {"A key needs its certificate", with(server, "client-key-data: "+key), `client-certificate-data is missing beside client-key-data (user "admin")`},
		"CertificateNotPEM":   {"Base64 of something else", with(server, "client-certificate-data: "+b64("hello")+"\nclient-key-data: "+key), `client-certificate-data holds no PEM certificate (user "admin")`},
		"CertificateNot64":    {"Not base64 at all", with(server, "client-certificate-data: '----'\nclient-key-data: "+key), "client-certificate-data is not base64: encode the PEM text once"},
		"KeyNotBase64":        {"Not base64 at all", with(server, "client-certificate-data: "+cert+"\nclient-key-data: '----'"), "client-key-data is not base64: encode the PEM text once"},
		"KeyEncrypted":        {"Nobody can be asked for a passphrase", with(server, "client-certificate-data: "+cert+"\nclient-key-data: "+b64("-----BEGIN ENCRYPTED PRIVATE KEY-----")), `client-key-data is encrypted with a passphrase: store the plain key (user "admin")`},
		"KeyOfAnother":        {"They have to match", with(server, "client-certificate-data: "+cert+"\nclient-key-data: "+otherKey), `client certificate and key do not belong together, or the key is no PEM key (user "admin")`},
		"TokenBroken":         {"Copied from a terminal that wraps", with(server, "token: 'abc "+secret+"'"), `token has a space or line break in it: store it again on one line (user "admin")`},
		"ImpersonationNobody": {"client-go would fail with each request", with(server, "token: "+secret+"\nas-groups: [system:masters]"), `impersonation lacks the user: as-uid, as-groups and as-user-extra need as (user "admin")`},
		"ExecOther":           {"Nothing is executed", exec("command: aws\nargs: [" + secret + "]"), `exec command "aws" is refused, nothing is executed: use a token, a client certificate, or /eks-token-helper or /gke-token-helper (user "admin")`},
		"ExecLookalike":       {"Exactly means exactly", exec("command: /eks-token-helper/../../bin/sh"), `exec command "/eks-token-helper/../../bin/sh" is refused, nothing is executed: use a token, a client certificate, or /eks-token-helper or /gke-token-helper (user "admin")`},
		"ExecRelative":        {"A relative path is another program", exec("command: eks-token-helper"), `exec command "eks-token-helper" is refused, nothing is executed: use a token, a client certificate, or /eks-token-helper or /gke-token-helper (user "admin")`},
		"ExecLong":            {"A name never fills the message", exec("command: " + strings.Repeat("x", 999)), `exec command "` + strings.Repeat("x", 40) + `…" is refused, nothing is executed: use a token, a client certificate, or /eks-token-helper or /gke-token-helper (user "admin")`},
		"ExecAndToken":        {"Which one is meant is not known", with(server, "token: "+secret+"\nexec: {command: /gke-token-helper, apiVersion: client.authentication.k8s.io/v1}"), `both exec and other credentials are set: keep one of them (user "admin")`},
		"ExecVersion":         {"v1alpha1 is long gone", with(server, "exec: {command: /gke-token-helper, apiVersion: client.authentication.k8s.io/v1alpha1}"), `exec apiVersion must be client.authentication.k8s.io/v1 (user "admin")`},
		"ExecInteractive":     {"kubectl wants it, too", with(server, "exec: {command: /gke-token-helper, apiVersion: client.authentication.k8s.io/v1}"), `exec interactiveMode is missing: set it to Never (user "admin")`},
		"ExecEnv":             {"An environment could choose other credentials", exec("command: /eks-token-helper\nenv: [{name: AWS_PROFILE, value: " + secret + "}]"), `exec env is refused: give /eks-token-helper its arguments, the ProviderConfig has the credentials (user "admin")`},
		"ExecArgument":        {"An argument that we do not know may matter", exec("command: /gke-token-helper\nargs: [--password=" + secret + "]"), `exec argument 1 of /gke-token-helper is unknown: see its --help (user "admin")`},
		"ExecArgumentValue":   {"The region becomes a part of a host name", exec("command: /eks-token-helper\nargs: [--cluster-name, a, --region, evil.com/]"), `exec argument --region of /eks-token-helper has no usable value (user "admin")`},
		"ExecArgumentMissing": {"A token is for one cluster", exec("command: /eks-token-helper\nargs: [--cluster-name=a]"), `/eks-token-helper needs --cluster-name and --region (user "admin")`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			k, err := Parse([]byte(tc.in))
			if err == nil {
				t.Fatalf("\n%s\nParse(...): accepted, using context %q", tc.reason, k.Context)
			}
			if diff := cmp.Diff(tc.want, err.Error()); diff != "" {
				t.Errorf("\n%s\nParse(...): -want message, +got message:\n%s", tc.reason, diff)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("\n%s\nParse(...): the message holds a secret: %s", tc.reason, err)
			}
			if !slices.ContainsFunc(explained, func(m *regexp.Regexp) bool { return m.MatchString(err.Error()) }) {
				t.Errorf("\n%s\nParse(...): docs/troubleshooting.md does not explain: %s", tc.reason, err)
			}
		})
	}
}

// documented returns the messages that docs/troubleshooting.md explains: they
// stand in the first column of a table, with … for what differs.
func documented(t *testing.T) []*regexp.Regexp {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("`([^`]+)`")
	var out []*regexp.Regexp
	for row := range strings.Lines(string(doc)) {
		if !strings.HasPrefix(row, "| ") {
			continue
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " |")
		for _, m := range code.FindAllStringSubmatch(first, -1) {
			if text := strings.TrimSpace(m[1]); !strings.HasPrefix(text, "…") {
				out = append(out, regexp.MustCompile("^"+strings.ReplaceAll(regexp.QuoteMeta(text), "…", ".*")))
			}
		}
	}
	return out
}

func TestParseAccepts(t *testing.T) {
	year := now.AddDate(1, 0, 0)
	cert, key := pair(t, year)
	soon, soonKey := pair(t, now.Add(24*time.Hour))
	old, oldKey := pair(t, now.Add(-time.Hour))

	issued := "e30." + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"iat":%d,"exp":%d}`, now.Unix(), year.Unix())) + ".x"

	type want struct {
		Server   string
		Token    string
		Helper   *Helper
		Expires  *Expiry
		Warnings []string
	}
	const api = "api.example.com:6443"
	cases := map[string]struct {
		reason string
		in     string
		want   want
	}{
		"Token":            {"The plainest form", with(server, "token: abc"), want{Server: api, Token: "abc"}},
		"TokenLine":        {"A trailing line break does no harm", with(server, "token: |\n  abc"), want{Server: api, Token: "abc"}},
		"OnlyContext":      {"One context needs no current-context", strings.Replace(with(server, "token: abc"), "current-context: main\n", "", 1), want{Server: api, Token: "abc"}},
		"NoKind":           {"kubectl accepts it without kind and apiVersion", strings.NewReplacer("apiVersion: v1\n", "", "kind: Config\n", "").Replace(with(server, "token: abc")), want{Server: api, Token: "abc"}},
		"OthersUnused":     {"What other contexts hold is not ours to judge", with(server, "token: abc") + "- name: other\n  user: {exec: {command: aws}, tokenFile: /x, client-key-data: '-'}\n", want{Server: api, Token: "abc"}},
		"JSON":             {"JSON is YAML", `{"contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}],"clusters":[{"name":"a","cluster":{"server":"https://b/k8s/clusters/c-1"}}],"users":[{"name":"a","user":{"token":"abc"}}]}`, want{Server: "b", Token: "abc"}},
		"BOM":              {"Windows editors write one", "\ufeff" + with(server, "token: abc"), want{Server: api, Token: "abc"}},
		"Certificate":      {"As kubeadm writes it", with(server+"\ncertificate-authority-data: "+cert, "client-certificate-data: "+cert+"\nclient-key-data: "+key), want{Server: api, Expires: &Expiry{"client certificate", year.Add(-time.Hour), year}}},
		"CertificateSoon":  {"A day is near", with(server, "client-certificate-data: "+soon+"\nclient-key-data: "+soonKey), want{Server: api, Expires: &Expiry{"client certificate", now.Add(24 * time.Hour).Add(-time.Hour), now.Add(24 * time.Hour)}, Warnings: []string{"client certificate expires at 2026-11-30T12:00:00Z: replace the kubeconfig before"}}},
		"CertificateOver":  {"The API server has the last word, so it is a warning", with(server, "client-certificate-data: "+old+"\nclient-key-data: "+oldKey), want{Server: api, Expires: &Expiry{"client certificate", now.Add(-time.Hour).Add(-time.Hour), now.Add(-time.Hour)}, Warnings: []string{"client certificate expired at 2026-11-29T11:00:00Z: replace the kubeconfig"}}},
		"JWT":              {"A token says when it ends", with(server, "token: "+jwt(year)), want{Server: api, Token: jwt(year), Expires: &Expiry{"token", time.Time{}, year}}},
		"JWTFirst":         {"The earlier end counts", with(server, "token: "+jwt(now.Add(time.Hour))+"\nclient-certificate-data: "+cert+"\nclient-key-data: "+key), want{Server: api, Token: jwt(now.Add(time.Hour)), Expires: &Expiry{"token", time.Time{}, now.Add(time.Hour)}, Warnings: []string{"token expires at 2026-11-29T13:00:00Z: replace the kubeconfig before"}}},
		"JWTIssued":        {"A token says when it began, too", with(server, "token: "+issued), want{Server: api, Token: issued, Expires: &Expiry{"token", now, year}}},
		"NoJWT":            {"Three parts alone are no JWT", with(server, "token: a.b.c"), want{Server: api, Token: "a.b.c"}},
		"Loopback":         {"kind writes it", with("server: https://127.0.0.1:6443", "token: abc"), want{Server: "127.0.0.1:6443", Token: "abc", Warnings: []string{"server 127.0.0.1:6443 is a loopback address: it leads to wherever the client runs, not to the cluster"}}},
		"Localhost":        {"By name", with("server: https://LocalHost.:6443", "token: abc"), want{Server: "LocalHost.:6443", Token: "abc", Warnings: []string{"server LocalHost.:6443 is a loopback address: it leads to wherever the client runs, not to the cluster"}}},
		"LoopbackIPv6":     {"The other family", with("server: https://[::1]:6443", "token: abc"), want{Server: "[::1]:6443", Token: "abc", Warnings: []string{"server [::1]:6443 is a loopback address: it leads to wherever the client runs, not to the cluster"}}},
		"Unspecified":      {"k3d writes it", with("server: https://0.0.0.0:6443", "token: abc"), want{Server: "0.0.0.0:6443", Token: "abc", Warnings: []string{"server 0.0.0.0:6443 is a loopback address: it leads to wherever the client runs, not to the cluster"}}},
		"Insecure":         {"Allowed, and said", with(server+"\ninsecure-skip-tls-verify: true", "token: abc"), want{Server: api, Token: "abc", Warnings: []string{"insecure-skip-tls-verify is set: the server's identity is not checked"}}},
		"PlainHTTP":        {"No credentials go over it, as with kubectl", with("server: http://api.example.com", "token: "+jwt(now)+"\nas: bob"), want{Server: "api.example.com", Warnings: []string{"server uses plain http: no credentials are sent, and the server's identity is not checked"}}},
		"EKSHelper":        {"Recognised, not executed", with(server, "exec: {command: /eks-token-helper, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, args: [--cluster-name, c1, --region=eu-north-1, --role-arn, 'arn:aws:iam::123456789012:role/x', --external-id=e-1]}"), want{Server: api, Helper: &Helper{Command: EKSTokenHelper, Cluster: "c1", Region: "eu-north-1", RoleARN: "arn:aws:iam::123456789012:role/x", ExternalID: "e-1"}}},
		"GKEHelper":        {"Its token needs no argument", with(server, "exec: {command: /gke-token-helper, apiVersion: client.authentication.k8s.io/v1beta1}"), want{Server: api, Helper: &Helper{Command: GKETokenHelper}}},
		"UnknownField":     {"kubectl ignores what it does not know", with(server+"\nsomething: else", "token: abc\nTokenFile: /x"), want{Server: api, Token: "abc"}},
		"ProxyAndName":     {"Proxy and TLS name are kept", with(server+"\nproxy-url: socks5://p:1080\ntls-server-name: k8s", "token: abc"), want{Server: api, Token: "abc"}},
		"ExpiryFarTooMuch": {"A time that no JSON can hold is no expiry", with(server, "token: "+jwt(time.Unix(1<<60, 0))), want{Server: api, Token: jwt(time.Unix(1<<60, 0))}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			k, err := Parse([]byte(tc.in))
			if err != nil {
				t.Fatalf("\n%s\nParse(...): %s", tc.reason, err)
			}
			got := want{Server: k.Server.Host, Token: k.RESTConfig().BearerToken, Helper: k.Helper, Expires: k.Expires, Warnings: k.Warnings(now)}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nParse(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFieldsKnown fails when client-go's kubeconfig has a field that this
// package does not look at: it may be another way to execute or read something.
func TestFieldsKnown(t *testing.T) {
	unused := map[string]bool{"extensions": true, "namespace": true, "config": true, "installHint": true, "provideClusterInfo": true}
	cases := map[string]struct{ theirs, ours any }{
		"Cluster":      {clientcmdv1.Cluster{}, clusterDetails{}},
		"AuthInfo":     {clientcmdv1.AuthInfo{}, userDetails{}},
		"Context":      {clientcmdv1.Context{}, contextDetails{}},
		"ExecConfig":   {clientcmdv1.ExecConfig{}, execPlugin{}},
		"AuthProvider": {clientcmdv1.AuthProviderConfig{}, authProvider{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ours := fields(tc.ours)
			for f := range fields(tc.theirs) {
				if !ours[f] && !unused[f] {
					t.Errorf("client-go reads the field %q, this package does not", f)
				}
			}
		})
	}
}

func fields(v any) map[string]bool {
	names := map[string]bool{}
	for f := range reflect.TypeOf(v).Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names[name] = true
	}
	return names
}

func utf16Bytes(s string) []byte {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return b
}
