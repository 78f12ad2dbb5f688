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

package sandbox

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/fluxcd/pkg/gittestserver"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/kubeopera/provider-kubeopera/internal/testing/pki"
)

const (
	gitRepo   = "clusters.git"
	gitUser   = "kubeopera"
	gitBranch = "main"
)

// Git is a Git server over HTTPS with basic authentication, a private certificate authority, and one repository that
// holds a file which is not ours.
type Git struct {
	// URL of the repository for the provider and the target's pods.
	URL string
	// LocalURL of the repository on this machine.
	LocalURL string
	// Dir is the bare repository.
	Dir string
	// CAFile is the authority's certificate.
	CAFile string
	// ConfigFile has git find the password for LocalURL, if it is named by GIT_CONFIG_GLOBAL.
	ConfigFile string
	// Credentials are a Secret's data in the keys that Flux uses.
	Credentials map[string][]byte

	server *gittestserver.GitServer
	listen string // host and port on this machine
}

func (s *Sandbox) startGit(ctx context.Context) error {
	root, err := filepath.Abs(s.Path(gitDir))
	if err != nil {
		return errors.Wrap(err, "cannot find the repositories' directory")
	}
	git := &Git{Dir: filepath.Join(root, gitRepo)}
	if err := seed(ctx, git.Dir); err != nil {
		return err
	}
	address := gitAddress
	if s.opts.TargetKubeconfig != "" {
		address = s.opts.GitAddress
	}
	if err := s.divertLog(); err != nil {
		return err
	}
	if err := git.serve(root, address); err != nil {
		return err
	}
	s.Git = git
	if s.opts.TargetKubeconfig == "" {
		return nil // joinNetworks does the rest
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return errors.Wrapf(err, "cannot listen for Git on %s, which has to be an address of this machine and a free port", address)
	}
	s.forward(ctx, l, dialer, git.listen)
	return nil
}

// divertLog keeps what the server says about each request in a file: it speaks through the standard logger.
func (s *Sandbox) divertLog() error {
	f, err := os.Create(s.Path(logsDir, "git.log"))
	if err != nil {
		return errors.Wrap(err, "cannot create the Git server's log")
	}
	log.SetOutput(f)
	return nil
}

// serve starts the server on a loopback address of this machine, with a certificate for the given one too.
func (g *Git) serve(root, address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return errors.Wrapf(err, "cannot parse the Git server's address %q", address)
	}
	ca, err := pki.New(filepath.Join(root, "pki"))
	if err != nil {
		return err
	}
	if err := ca.Issue(pki.Identity{File: "git", Name: "git", Hosts: []string{"localhost", "127.0.0.1", host}}); err != nil {
		return err
	}
	pem := map[string][]byte{}
	for _, name := range []string{"ca.crt", "git.crt", "git.key"} {
		if pem[name], err = ca.Read(name); err != nil {
			return err
		}
	}
	password := rand.Text()
	g.server = gittestserver.NewGitServer(root).Auth(gitUser, password)
	if err := g.server.StartHTTPS(pem["git.crt"], pem["git.key"], pem["ca.crt"], host); err != nil {
		return errors.Wrap(err, "cannot start the Git server")
	}
	local, err := url.Parse(g.server.HTTPAddress())
	if err != nil {
		return errors.Wrap(err, "cannot parse the Git server's own address")
	}
	g.listen = local.Host
	g.URL, g.LocalURL = "https://"+address+"/"+gitRepo, local.JoinPath(gitRepo).String()
	g.CAFile = ca.File("ca.crt")
	g.Credentials = map[string][]byte{"username": []byte(gitUser), "password": []byte(password), "ca.crt": pem["ca.crt"]}
	return g.configure(root, url.UserPassword(gitUser, password))
}

// configure writes what git on this machine needs, so that nobody has to print the password.
func (g *Git) configure(root string, user *url.Userinfo) error {
	store := filepath.Join(root, "credentials")
	server := url.URL{Scheme: "https", Host: g.listen, User: user}
	if err := os.WriteFile(store, []byte(server.String()+"\n"), 0o600); err != nil {
		return errors.Wrap(err, "cannot write the Git credentials")
	}
	g.ConfigFile = filepath.Join(root, "config")
	config := fmt.Sprintf("[credential]\n\thelper = \"store --file='%s'\"\n", store)
	return errors.Wrap(os.WriteFile(g.ConfigFile, []byte(config), 0o600), "cannot write git's configuration")
}

func (g *Git) stop() { g.server.StopHTTP() }

// seed makes a bare repository with a first commit, as a repository has that serves other purposes already.
func seed(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return errors.Wrap(err, "cannot make the repository's directory")
	}
	if _, err := run(ctx, dir, "", "init", "--quiet", "--bare", "--initial-branch="+gitBranch); err != nil {
		return err
	}
	blob, err := run(ctx, dir, "# Clusters\n", "hash-object", "-w", "--stdin")
	if err != nil {
		return err
	}
	tree, err := run(ctx, dir, "100644 blob "+blob+"\tREADME.md\n", "mktree")
	if err != nil {
		return err
	}
	commit, err := run(ctx, dir, "", "-c", "user.name=Sandbox", "-c", "user.email=sandbox@example.org", "commit-tree", "-m", "Begin", tree)
	if err != nil {
		return err
	}
	_, err = run(ctx, dir, "", "update-ref", "refs/heads/"+gitBranch, commit)
	return err
}

// Log returns the one-line messages of the commits that touch a path, newest first.
func (g *Git) Log(ctx context.Context, path string) ([]string, error) {
	out, err := run(ctx, g.Dir, "", "log", "--format=%s", gitBranch, "--", path)
	if err != nil || out == "" {
		return nil, err
	}
	return strings.Split(out, "\n"), nil
}

// run runs git in a repository and returns what it prints.
func run(ctx context.Context, dir, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...) //nolint:gosec // our own commands
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), errors.Wrapf(err, "cannot run git %s", args[0])
}
