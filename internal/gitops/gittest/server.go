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

// Package gittest serves a real Git repository to tests.
package gittest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/pkg/gittestserver"
)

// The repository that every server serves, and who may use it.
const (
	Repository = "acme/iac.git"
	Username   = "bot"
	Password   = "s3cret-token-9"
)

// Server is a real Git server with one bare repository.
type Server struct {
	*gittestserver.GitServer

	// Dir of the bare repository.
	Dir string

	cert, key []byte
}

// Serve a repository that holds files on a branch; none if there are none.
func Serve(tb testing.TB, branch string, files map[string]string) *Server {
	tb.Helper()

	g := gittestserver.NewGitServer(tb.TempDir())
	s := &Server{GitServer: g, Dir: filepath.Join(g.Root(), Repository)}
	s.cert, s.key = Certificate(tb)

	run(tb, "", "init", "--quiet", "--bare", "--initial-branch="+branch, s.Dir)

	if len(files) > 0 {
		s.Commit(tb, branch, "files of others", files)
	}

	return s
}

// Commit files to a branch as somebody else would.
func (s *Server) Commit(tb testing.TB, branch, message string, files map[string]string) {
	tb.Helper()

	work := tb.TempDir()
	run(tb, work, "clone", "--quiet", s.Dir, ".")
	run(tb, work, "checkout", "--quiet", "-B", branch)

	for name, content := range files {
		file := filepath.Join(work, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			tb.Fatal(err)
		}

		if target, ok := strings.CutPrefix(content, "-> "); ok {
			if err := os.Symlink(target, file); err != nil {
				tb.Fatal(err)
			}

			continue
		}

		mode := os.FileMode(0o644)
		if strings.HasPrefix(content, "#!") {
			mode = 0o755
		}

		if err := os.WriteFile(file, []byte(content), mode); err != nil {
			tb.Fatal(err)
		}
	}

	run(tb, work, "add", "--all")
	run(tb, work, "commit", "--quiet", "--message", message)
	run(tb, work, "push", "--quiet", "origin", branch)
}

// Hook installs a hook, a shell script.
func (s *Server) Hook(tb testing.TB, name, script string) {
	tb.Helper()

	if err := os.WriteFile(filepath.Join(s.Dir, "hooks", name), []byte("#!/bin/sh\n"+script), 0o755); err != nil { //nolint:gosec // Git runs it.
		tb.Fatal(err)
	}
}

// Git runs git in the served repository.
func (s *Server) Git(tb testing.TB, args ...string) string {
	tb.Helper()

	return run(tb, s.Dir, args...)
}

// Commits of a branch, as their subjects, the newest first.
func (s *Server) Commits(tb testing.TB, branch string) []string {
	tb.Helper()

	return strings.Split(strings.TrimSpace(s.Git(tb, "log", "--format=%s", branch)), "\n")
}

// Start the server, with the user and password. It returns the URL of the repository.
func (s *Server) Start(tb testing.TB) string {
	tb.Helper()

	s.Auth(Username, Password)

	if err := s.StartHTTP(); err != nil {
		tb.Fatal(err)
	}

	tb.Cleanup(s.StopHTTP)

	return s.HTTPAddress() + "/" + Repository
}

// StartTLS starts the server like Start, behind a certificate of its own.
func (s *Server) StartTLS(tb testing.TB) string {
	tb.Helper()

	s.Auth(Username, Password)

	if err := s.StartHTTPS(s.cert, s.key, s.cert, "127.0.0.1"); err != nil {
		tb.Fatal(err)
	}

	tb.Cleanup(s.StopHTTP)

	return s.HTTPAddress() + "/" + Repository
}

// Credentials of the user, with the server's certificate.
func (s *Server) Credentials() map[string][]byte {
	c := Credentials()
	c["ca.crt"] = s.cert

	return c
}

// Credentials of the user.
func Credentials() map[string][]byte {
	return map[string][]byte{"username": []byte(Username), "password": []byte(Password)}
}

func run(tb testing.TB, dir string, args ...string) string {
	tb.Helper()

	cmd := exec.CommandContext(tb.Context(), "git", args...) //nolint:gosec // Tests choose the arguments.
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost")

	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}

	return string(out)
}

// Certificate returns a certificate for 127.0.0.1 and Host that signs itself, and its key.
func Certificate(tb testing.TB) (cert, key []byte) {
	tb.Helper()

	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}

	tmpl := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "private CA"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:              []string{Host},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}

	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &k.PublicKey, k)
	if err != nil {
		tb.Fatal(err)
	}

	b, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		tb.Fatal(err)
	}

	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: b})
}
